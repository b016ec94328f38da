"""Pages taken apart with nothing but the standard library."""

from dataclasses import dataclass, field
from html.parser import HTMLParser

_VOID = frozenset({"meta", "br", "input", "link", "img", "hr"})
_OPTIONAL = frozenset({"tr", "td", "th", "li", "p", "thead", "tbody", "dt", "dd"})
"""Elements whose end HTML lets one leave out."""
_CELLS = frozenset({"td", "th"})
_ENDED_BY = {"tr": _CELLS | {"tr"}, "td": _CELLS, "th": _CELLS, "li": {"li"}, "dd": {"dt"}}
_ENDED_BY |= {tag: _CELLS | {"tr", "thead"} for tag in ("tbody", "thead")}
"""By the elements whose beginning ends them."""


@dataclass
class Element:
    """An element, its attributes, and all text inside."""

    tag: str
    attributes: dict[str, str | None]
    text: str = ""

    def get(self, name: str) -> str:
        """An attribute, empty if it is not there."""
        return self.attributes.get(name) or ""


@dataclass
class Page(HTMLParser):
    """All elements in their order; fails for elements that end where they did not begin."""

    source: str
    elements: list[Element] = field(default_factory=list)
    _open: list[Element] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.feed(self.source)
        self.close()
        assert not [one.tag for one in self._open if one.tag not in _OPTIONAL]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, dict(attrs))
        assert len(element.attributes) == len(attrs), f"an attribute twice: {tag} {attrs}"
        self.elements.append(element)
        while self._open and self._open[-1].tag in _ENDED_BY.get(tag, ()):
            self._open.pop()
        if tag not in _VOID and not self.get_starttag_text().endswith("/>"):  # type: ignore[union-attr]
            self._open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(Element(tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open[-1].tag != tag and self._open[-1].tag in _OPTIONAL:
            self._open.pop()
        assert self._open, f"</{tag}> ends nothing"
        assert self._open[-1].tag == tag, f"</{tag}> ends <{self._open[-1].tag}>"
        self._open.pop()

    def handle_data(self, data: str) -> None:
        for element in self._open:
            element.text += data

    def all(self, tag: str, css: str = "") -> list[Element]:
        """The elements of a tag, or those of them that have a class."""
        return [
            one
            for one in self.elements
            if one.tag == tag and (not css or css in one.get("class").split())
        ]

    def by_id(self, name: str) -> Element:
        """The element of that name, of which there is one."""
        (found,) = [one for one in self.elements if one.get("id") == name]
        return found

    def signs(self) -> dict[str, Element]:
        """The signs of the matrix that lead somewhere, by what is said of them."""
        return {one.get("aria-label"): one for one in self.all("a", "v")}
