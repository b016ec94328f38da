"""Reads what the quality tests measured."""

import json
from pathlib import Path
from typing import Any


def read(folder: Path) -> list[dict[str, Any]]:
    """All measurements of a kind, in the order that they give."""
    return sorted(
        (json.loads(file.read_text()) for file in folder.glob("*.json")),
        key=lambda figures: figures["order"],
    )
