"""Pictures of experiments, drawn from their JSON documents."""

from collections.abc import Mapping
from typing import Any


def experiment_svgs(document: Mapping[str, Any]) -> dict[str, str]:
    """x"""
    return {}
