"use strict";
(() => {
  // Everything can be read without this: it filters, and opens what a link leads to.
  const form = document.getElementById("filter");
  const reveal = () => {
    const target = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
    const details = target && target.closest("details");
    if (details && !details.open) {
      details.open = true;
      target.scrollIntoView();
    }
  };
  addEventListener("hashchange", reveal);
  addEventListener("beforeprint", () => {
    for (const one of document.querySelectorAll("details.bad, details.known, details.unrun")) one.open = true;
  });
  reveal();
  if (!form) return;
  const words = document.getElementById("words");
  const troubles = document.getElementById("troubles");
  const filter = () => {
    const wanted = words.value.trim().toLowerCase();
    for (const one of document.querySelectorAll("[data-name]")) {
      one.hidden = !one.dataset.name.includes(wanted) || (troubles.checked && one.dataset.end === "ok");
    }
    const rows = document.querySelectorAll(".matrix tr[data-name]");
    const shown = [...rows].filter((row) => !row.hidden).length;
    document.getElementById("shown").textContent = `${shown} of ${rows.length} shown`;
  };
  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  filter();
})();
