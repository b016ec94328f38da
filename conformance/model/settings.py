"""Settings of Kafka's clients, as each client itself declares them."""

from collections.abc import Mapping
from typing import Final, NamedTuple, TypeAlias

NO_DEFAULT: Final = "(must be set)"


class Setting(NamedTuple):
    """One setting, each part as Java prints it."""

    type: str
    """Such as ``INT``."""
    default: str
    """``null`` where it is null; a class by its name without the package."""
    validator: str
    """The values that it accepts, such as ``[0,...]``; ``null`` for any of its type."""
    importance: str


Settings: TypeAlias = Mapping[str, Mapping[str, Setting]]
"""By client (``producer``, ``consumer``) and by name."""
