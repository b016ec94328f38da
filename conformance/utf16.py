"""Text as Java has it, in UTF-16: two halves of a pair are one character, a half alone is none."""


def utf16(text: str) -> bytes:
    """The units of a text, two bytes each, little-endian; halves of a pair as they stand."""
    return text.encode("utf-16-le", "surrogatepass")


def joined(text: str) -> str:
    """The text with each pair of surrogates as the one character that it is."""
    return utf16(text).decode("utf-16-le", "surrogatepass")


def has_lone_surrogate(text: str) -> bool:
    """Whether a text has a surrogate that is not one of a pair."""
    return any("\ud800" <= char <= "\udfff" for char in joined(text))
