"""A run of distributions as a folder of files: JSON and Parquet for machines, plots for people."""

import json
import math
import platform
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from conformance.errors import UsageError
from conformance.files import check_folder_writable, replace_folder
from conformance.model.outcome import Effect
from conformance.model.results import Verdict, worst_of
from conformance.model.values import to_json
from conformance.sampling.judging import StatisticsResult
from conformance.statistics.verdicts import FALSE_ALARMS, POWER, Judged, Subjected
from conformance.suite_version import suite_version

FORMAT = "kafka-conformance statistics 1"
RESULTS, TESTS, MEASURES, PLOTS = "results.json", "tests.parquet", "measures.parquet", "plots"
_PLOT_ENDINGS = (".svg", ".png")
_TESTS_SCHEMA = pa.schema(
    [
        *((name, pa.string()) for name in ("distribution", "client", "subject", "test", "kind")),
        ("records", pa.int64()),
        ("statistic_name", pa.string()),
        *((name, pa.float64()) for name in ("statistic", "df", "df_error", "p", "corrected_p")),
        *((name, pa.float64()) for name in ("w", "w_low", "w_high", "choices")),
        *((name, pa.float64()) for name in ("bias", "bias_low", "bias_high")),
        *((name, pa.float64()) for name in ("smallest_w", "smallest_bias")),
        *((name, pa.string()) for name in ("verdict", "detail", "not_run")),
    ]
)
_MEASURES_SCHEMA = pa.schema(
    [
        *((name, pa.string()) for name in ("distribution", "client", "subject", "measure")),
        ("index", pa.list_(pa.int32())),
        ("count", pa.int64()),
    ]
)


def check_result_folder(folder: Path) -> None:
    """Raise :class:`UsageError` for a folder into which :func:`write_results` could not write.

    Asked before a run. An existing folder must be empty or hold results and nothing else,
    because it is replaced as a whole.
    """
    remedy = "Name a new folder, or a folder of earlier results (--output)."
    try:
        foreign = _foreign(folder) if folder.exists() else None
    except OSError as error:
        told = f"{folder} cannot be read: {error.strerror or error}."
        raise UsageError(told, remedy) from error
    if foreign is not None:
        raise UsageError(
            f"{folder} would be replaced as a whole, but it is not a folder of results: {foreign}.",
            remedy,
        )
    check_folder_writable(folder)


def write_results(
    result: StatisticsResult, folder: Path, *, plots: bool, further: Mapping[str, Any] | None = None
) -> list[Path]:
    """Write everything into a folder, in the place of older results; the files' paths.

    ``further`` are properties of ``results.json`` that a gate adds, or knows better.

    Raises :class:`UsageError` for a folder of anything else, :class:`SuiteError` if it cannot be
    written; either leaves what was there as it was.
    """
    check_result_folder(folder)
    written: list[Path] = []

    def fill(new: Path) -> None:
        (new / RESULTS).write_text(results_text(result, further), "utf-8")
        tests = [_flat(judged) for judged in result.tests]
        pq.write_table(pa.Table.from_pylist(tests, _TESTS_SCHEMA), new / TESTS)
        pq.write_table(_measures_table(result), new / MEASURES)
        if plots:
            _write_plots(result, new / PLOTS)
        files = sorted(path for path in new.rglob("*") if path.is_file())
        written.extend(folder / path.relative_to(new) for path in files)

    replace_folder(folder, fill)
    return written


def results_text(result: StatisticsResult, further: Mapping[str, Any] | None = None) -> str:
    """The JSON text of ``results.json`` (schema: statistics.schema.json)."""
    return to_json({**_document(result), **(further or {})}, indent=1) + "\n"


def _foreign(folder: Path) -> str | None:
    """What shows that a folder is not one of results, or None if it is one, or empty."""
    if not folder.is_dir():
        return "it is a file"
    found = {path.name for path in folder.iterdir()}
    if not found:
        return None
    if RESULTS not in found:
        return f"there is no {RESULTS} in it"
    try:
        document = json.loads((folder / RESULTS).read_text("utf-8"))
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        return f"its {RESULTS} is something else"
    others = found - {RESULTS, TESTS, MEASURES, PLOTS}
    if (folder / PLOTS).is_dir():
        plots = (folder / PLOTS).iterdir()
        others |= {f"{PLOTS}/{path.name}" for path in plots if path.suffix not in _PLOT_ENDINGS}
    return f"it also holds {min(others)}" if others else None


def _document(result: StatisticsResult) -> dict[str, Any]:
    counts = dict.fromkeys((Verdict.CONFORMS, Verdict.DIVERGES, Verdict.NOT_RUN), 0)
    for judged in result.tests:
        counts[judged.verdict] += 1
    return {
        "format": FORMAT,
        "suite_version": suite_version(),
        "seed": result.seed,
        "records": result.records,
        "exit_code": int(result.exit_code),
        "false_alarms": FALSE_ALARMS,
        "power": POWER,
        "verdicts": {str(verdict): count for verdict, count in counts.items()},
        "samples": [_sample(result, of) for of in result.measures],
        "absent": [
            {"distribution": distribution, "client": client, "reason": reason}
            for (distribution, client), reason in result.absent.items()
        ],
        "tests": [_test(judged) for judged in result.tests],
        "run": {
            "written": datetime.now(UTC).isoformat(timespec="seconds"),
            "seconds": result.seconds,
            "master": result.master,
            "python": platform.python_version(),
        },
    }


def _sample(result: StatisticsResult, of: Subjected) -> dict[str, Any]:
    measures = result.measures[of]
    return {
        **_names(of),
        "records": measures.records,
        "verdict": str(worst_of(judged.verdict for judged in result.tests if judged.of == of)),
        "measures": {name: list(counts.shape) for name, counts in measures.counts.items()},
    }


def _names(of: Subjected) -> dict[str, str]:
    return {"distribution": of.distribution, "client": of.client, "subject": of.subject}


def _test(judged: Judged) -> dict[str, Any]:
    outcome = judged.outcome
    return {
        **_names(judged.of),
        "test": outcome.test,
        "kind": str(outcome.kind),
        "records": outcome.records,
        "statistic_name": outcome.statistic_name,
        "statistic": _finite(outcome.statistic),
        "df": _finite(outcome.df),
        "df_error": _finite(outcome.df_error),
        "p": _finite(outcome.p),
        "corrected_p": _finite(judged.corrected_p),
        "effect": None if outcome.effect is None else _effect(outcome.effect),
        "smallest_w": _finite(judged.smallest_w),
        "smallest_bias": _finite(judged.smallest_bias),
        "verdict": str(judged.verdict),
        "detail": outcome.detail,
        "not_run": outcome.not_run,
    }


def _effect(effect: Effect) -> dict[str, float | None]:
    return {
        "w": _finite(effect.w),
        "w_low": _finite(effect.low),
        "w_high": _finite(effect.high),
        "choices": _finite(effect.choices),
        "bias": _finite(effect.bias(effect.w)),
        "bias_low": _finite(effect.bias(effect.low)),
        "bias_high": _finite(effect.bias(effect.high)),
    }


def _flat(judged: Judged) -> dict[str, Any]:
    """A test as a row: what JSON nests is beside the rest."""
    row = _test(judged)
    return {**row, **(row.pop("effect") or {})}


def _finite(number: float | None) -> float | None:
    """JSON has neither infinity nor NaN, which SciPy may answer at the ends of its range."""
    return float(number) if number is not None and math.isfinite(number) else None


def _measures_table(result: StatisticsResult) -> pa.Table:
    """All counts but zeros; ``samples`` in the JSON has the shapes to put them back into."""
    parts = [
        pa.table(
            {
                **{name: [text] * len(counts) for name, text in _names(of).items()},
                "measure": [measure] * len(counts),
                "index": indices,
                "count": counts,
            },
            _MEASURES_SCHEMA,
        )
        for of, measure, indices, counts in _cells(result)
    ]
    return pa.concat_tables([_MEASURES_SCHEMA.empty_table(), *parts])


def _cells(result: StatisticsResult) -> Iterator[tuple[Subjected, str, pa.Array, pa.Array]]:
    """Of each array of counts, the places and the counts that are not zero."""
    for of, measures in result.measures.items():
        for name, counts in measures.counts.items():
            places = np.argwhere(counts)
            ends = np.arange(len(places) + 1, dtype=np.int32) * np.int32(counts.ndim)
            flat = pa.array(places.astype(np.int32).ravel())
            yield (
                of,
                name,
                pa.ListArray.from_arrays(pa.array(ends), flat),
                pa.array(counts[counts != 0]),
            )


def _write_plots(result: StatisticsResult, folder: Path) -> None:
    # Imported here because matplotlib takes long, and not every run draws.
    from conformance.reports.plots import PLOTS as DRAWN  # noqa: PLC0415
    from conformance.svg import png_bytes, svg_text  # noqa: PLC0415

    folder.mkdir()
    for name, draw in DRAWN.items():
        figure = draw(result)
        if figure is None:
            continue
        panels = "; ".join(filter(None, (axes.get_title("left") for axes in figure.axes)))
        description = f"{figure.get_supxlabel()} Panels: {panels}."
        text = svg_text(figure, figure.get_suptitle(), description)
        (folder / f"{name}.svg").write_text(text, "utf-8")
        (folder / f"{name}.png").write_bytes(png_bytes(figure))
