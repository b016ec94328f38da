"""Which loops go over records: Numba's, or Python's over single ones."""


def has_numba(wished: bool | None) -> bool:
    """Whether Numba's loop is to be used: as wished; without a wish, if Numba is installed.

    Raises ``ImportError`` if it is wished for and Numba is not installed.
    """
    if wished is False:
        return False
    try:
        from . import compiled  # noqa: F401, PLC0415 -- Numba takes long to import
    except ModuleNotFoundError:
        if wished:
            raise
        return False
    return True
