"""Statistics in words."""

from collections.abc import Mapping
from typing import Any

from conformance.text import percent

_SIZES = ((0.05, "tiny"), (0.2, "small"), (0.4, "medium"))
_ALWAYS = 0.01
"""A corrected p below this is worth a word."""
_NEVER = 1e-9
"""Nobody counts runs of which one in so many is odd."""


def evidence(test: Mapping[str, Any]) -> str:
    """What a test saw: how likely by chance, how large, how small a one would have been seen."""
    if test["verdict"] == "not run":
        return f"not run: {test.get('not_run') or test['detail']}"
    parts = [test["detail"], _chance(test["corrected_p"])]
    effect = test.get("effect")
    if effect is not None:
        parts.append(_bias(effect.get("bias"), test.get("smallest_bias")))
    else:
        parts.append(_effect(test.get("w"), test.get("smallest_w")))
        parts.append(_bias(None, test.get("smallest_bias")))
    return "; ".join(filter(None, parts)) or "exact: every record counts"


def _chance(p: float | None) -> str:
    if p is None:
        return ""
    if p > _ALWAYS:
        return f"as chance would have it (corrected p = {p:.2g})"
    if p < _NEVER:
        told = f"corrected p = {p:.0e}" if p >= 1e-300 else "corrected p below 10⁻³⁰⁰"
        return f"chance does not explain it ({told})"
    return f"hardly by chance: one run in {1 / p:,.0f} (corrected p = {p:.1g})"


def _effect(w: float | None, smallest: float | None) -> str:
    told = []
    if w:
        size = next((name for limit, name in _SIZES if w < limit), "large")
        told.append(f"a {size} effect, Cohen's w = {w:.3f}")
    elif w is not None:
        told.append("no effect, Cohen's w = 0")
    if smallest is not None:
        told.append(f"one of {smallest:.3f} would have been found")
    return ", ".join(told)


def _bias(bias: float | None, smallest: float | None) -> str:
    told = []
    if bias:
        told.append(f"as if one partition got {percent(bias)} more than its share")
    if smallest is not None:
        told.append(f"a bias of {percent(smallest)} would have been found")
    return ", ".join(told)
