"""What ``experiment`` found, as the page shows it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from conformance.reports.html.looks import Look
from conformance.reports.html.text import cut, file_name

_WIDTH: Final = 260
"""Of a picture, in units; the largest share is this wide."""
_ROW: Final = 18
_VERDICTS: Final[Mapping[str, Look]] = {
    "reproduced": Look("ok", "✓", "reproduced", "reproduced", "the whole interval says so"),
    "not reproduced": Look("bad", "✗", "not reproduced", "not reproduced", "none of it does"),
    "undecided": Look("some", "≈", "undecided", "undecided", "more repetitions may decide"),
    "not run": Look("unrun", "?", "not run", "not run", "nothing is known"),
}
_FIGURES: Final = (
    ("slow_ratio", "Slow brokers' share, of the fair one", 2),
    ("seconds", "Seconds to finish", 1),
    ("records_per_batch", "Records per batch", 1),
    ("latency_p50_ms", "Median latency, ms", 0),
    ("latency_p99_ms", "p99, ms", 0),
)


@dataclass(frozen=True)
class Bar:
    """A row of the picture: where the interval, the mean and the prediction are."""

    y: int
    low: float
    mean: float
    high: float
    predicted: float | None


@dataclass(frozen=True)
class Claimed:
    """A claim with its verdict."""

    look: Look
    text: str
    number: str


@dataclass(frozen=True)
class ExperimentView:
    """An experiment."""

    anchor: str
    name: str
    file: str
    facts: str
    interrupted: bool
    unrun: Sequence[str]
    """Runs that do not count, and why."""
    columns: Sequence[str]
    rows: Sequence[tuple[str, Sequence[str]]]
    claims: Sequence[Claimed]
    bars: Sequence[Bar]
    fair: float
    """Where a fair share is in the picture."""
    width: int
    height: int
    alternative: str
    """The picture in words."""


def experiment_views(path: Path, document: Mapping[str, Any], at: int) -> list[ExperimentView]:
    """All experiments of a file."""
    return [
        _view(path, one, f"e{at}-{number}") for number, one in enumerate(document["experiments"])
    ]


def _view(path: Path, experiment: Mapping[str, Any], anchor: str) -> ExperimentView:
    variants = experiment["variants"]
    figures = [one for one in _FIGURES if any(_mean(v, one[0]) is not None for v in variants)]
    shown = [one for one in variants if _mean(one, "slow_ratio") is not None]
    scale = _WIDTH / max(2.0, *(_largest(one) for one in shown)) if shown else 1.0
    return ExperimentView(
        anchor=anchor,
        name=cut(experiment["title"], 200),
        file=file_name(path),
        facts=_facts(experiment),
        interrupted=experiment["stopped"],
        unrun=_unrun(experiment),
        columns=[label for _, label, _ in figures],
        rows=[
            (cut(one["name"], 100), [_text(one, name, digits) for name, _, digits in figures])
            for one in variants
        ],
        claims=[_claim(one) for one in experiment["claims"]],
        bars=[_bar(one, row, scale) for row, one in enumerate(shown)],
        fair=scale,
        width=_WIDTH,
        height=_ROW * len(shown),
        alternative="; ".join(
            f"{cut(one['name'], 100)}: {_text(one, 'slow_ratio', 2)}" for one in shown
        ),
    )


def _facts(experiment: Mapping[str, Any]) -> str:
    interval = experiment["interval_ms"]
    pace = f"{1e3 / interval:,.0f} a second" if interval else "as fast as it goes"
    return (
        f"{experiment['records']:,} records of {experiment['value_bytes']:,} bytes, {pace}, "
        f"{experiment['partitions']:,} partitions; {experiment['repetitions']:,} repetitions; "
        f"{cut(experiment['site'], 300)}"
    )


def _unrun(experiment: Mapping[str, Any]) -> list[str]:
    return [
        cut(f"{variant['name']}, repetition {run['round'] + 1}: {run['not_run']}", 500)
        for variant in experiment["variants"]
        for run in variant["runs"]
        if run["not_run"]
    ]


def _mean(variant: Mapping[str, Any], name: str) -> float | None:
    mean: float | None = variant["means"].get(name, {}).get("mean")
    return mean


def _ends(variant: Mapping[str, Any], name: str) -> tuple[float, float, float]:
    """Where the interval begins, the mean, and where the interval ends."""
    interval = variant["means"][name]
    mean = interval["mean"]
    low, high = (mean if interval[end] is None else interval[end] for end in ("low", "high"))
    return low, mean, high


def _predicted(variant: Mapping[str, Any], name: str) -> float | None:
    found: float | None = (variant["predicted"] or {}).get(name)
    return found


def _text(variant: Mapping[str, Any], name: str, digits: int) -> str:
    if _mean(variant, name) is None:
        return ""
    low, mean, high = _ends(variant, name)
    half = f" ± {(high - low) / 2:,.{digits}f}" if high > low else ""
    predicted = _predicted(variant, name)
    told = "" if predicted is None else f" (predicted {predicted:,.{digits}f})"
    return f"{mean:,.{digits}f}{half}{told}"


def _largest(variant: Mapping[str, Any]) -> float:
    return max(_ends(variant, "slow_ratio")[2], _predicted(variant, "slow_ratio") or 0.0)


def _bar(variant: Mapping[str, Any], row: int, scale: float) -> Bar:
    low, mean, high = (round(max(0.0, one) * scale, 1) for one in _ends(variant, "slow_ratio"))
    predicted = _predicted(variant, "slow_ratio")
    at = None if predicted is None else round(predicted * scale, 1)
    return Bar(_ROW * row + _ROW // 2, low, mean, high, at)


def _claim(claim: Mapping[str, Any]) -> Claimed:
    interval = claim["interval"]
    number = "no run" if interval["mean"] is None else f"{interval['mean']:.2f}"
    if interval["low"] is not None and interval["mean"] is not None:
        number += f" [{interval['low']:.2f}, {interval['high']:.2f}]"
    sign = "less" if claim["kind"] == "less" else "more"
    told = f"{number} {cut(claim['unit'], 100)}, wanted {sign} than {claim['than']:g}"
    return Claimed(_VERDICTS[claim["verdict"]], cut(claim["text"], 300), told)
