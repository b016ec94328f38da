"""Texts that try to get out of where they are shown."""

from typing import Any

from conformance.engine.known import KnownDivergence
from tests.reports.samples import A_NUMBER, STAYS, differing, diverging, not_run, report, sampled

MARKUP = "</pre></details><script>document.title='owned'</script><img src=x onerror=alert(1)>"
QUOTES = "\"'><svg onload=alert(1)> {{ 7 * 7 }} {% raw %} ]]> <!-- &lt;"
TURNED = "abc\u202etxt.exe\u2066\u200b\u0000\x1b[31mred\x07\u2028\ufeff\U000e0041"
PILED = "z" + "\u0301" * 500
LONG = "W" * 1_048_576
TALL = "line\n" * 5_000
NAMES = (MARKUP, QUOTES, TURNED, PILED, LONG[:200], "شركة כהן", "javascript:alert(1)", "")


def hostile() -> list[dict[str, Any]]:
    """A report of each name, with such texts wherever there is one."""
    return [_report(f"{name}{number}", name) for number, name in enumerate(NAMES)]


def _report(name: str, text: str) -> dict[str, Any]:
    known = KnownDivergence("sticky", ("3.2.3",), (STAYS,), text or "?", f"javascript:{text}//")
    cells = [
        diverging(key=LONG.encode(), topic=LONG, by=name, answer=text, remarks=(text, TALL, LONG)),
        diverging(
            "keyed",
            "2.3.1",
            key=text.encode("utf-8"),
            topic=text,
            difference=differing(A_NUMBER, A_NUMBER, operation=text or "?"),
        ),
        diverging("round-robin", "3.8.0", key=TURNED.encode(), answer={"error": text + LONG}),
        sampled(),
        not_run(why=(text + TALL) or "?"),
    ]
    return report(
        cells,
        name,
        version=text or "?",
        language=f"{text} 5" if text else "?",
        known=(known,),
        likeness=(f"keyed: {text}", f"{text}: {LONG}"),
        outdated=(text or "?",),
        command=("sh", "-c", text, LONG),
    )
