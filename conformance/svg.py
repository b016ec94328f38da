"""Figures as pictures: SVG with a title and a description, readable on a dark page, or PNG."""

from html import escape
from io import BytesIO, StringIO
from typing import Final

import matplotlib as mpl
from matplotlib.figure import Figure

DOTS_PER_INCH: Final = 150
"""Of a PNG."""

# A figure is a card with a background of its own, so it can be read on any page. Where the reader
# prefers dark pages, light and dark change places; colours keep their hue.
_DARK = "@media (prefers-color-scheme: dark) {svg {filter: invert(.9) hue-rotate(180deg)}}"


def svg_text(figure: Figure, title: str, description: str) -> str:
    """The same figure gives the same text: identifiers from a salt, no date; text stays text."""
    written = StringIO()
    with mpl.rc_context({"svg.hashsalt": "kafka-conformance", "svg.fonttype": "none"}):
        figure.savefig(written, format="svg", metadata={"Date": None})
    return described(written.getvalue(), title, description)


def picture(figure: Figure, title: str, description: str, form: str) -> str | bytes:
    """A figure as ``svg`` or as ``png``, which has no room for words."""
    return svg_text(figure, title, description) if form == "svg" else png_bytes(figure)


def png_bytes(figure: Figure) -> bytes:
    """The same figure gives the same bytes with the same Matplotlib."""
    written = BytesIO()
    figure.savefig(written, format="png", dpi=DOTS_PER_INCH)
    return written.getvalue()


def described(svg: str, title: str, description: str) -> str:
    """Matplotlib's SVG, with its words for who does not see it and our style."""
    before, root, rest = svg.partition("<svg ")
    attributes, end, content = rest.partition(">")
    words = f'<title id="title">{_plain(title)}</title>'
    words += f'\n <desc id="desc">{_plain(description)}</desc>'
    styled = content.replace("</style>", f"{_DARK}</style>", 1)
    labelled = ' role="img" aria-labelledby="title desc"'
    return f"{before}{root}{attributes}{labelled}{end}\n {words}{styled}"


def _plain(text: str) -> str:
    return escape(" ".join(text.split()), quote=False)
