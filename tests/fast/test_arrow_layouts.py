"""Columns of cases hold the keys that they say, as they say; and what is told of an answer."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from conformance.behaviours.arrow_layouts import arrange, picks_of, told
from conformance.engine.generation import generate_cases
from conformance.model.case import Operation
from conformance.strategies.partitioning.column_cases import SEQUENCES, column_cases

LAYOUT = {"type": "binary"}
STEP: Operation = {"keys": [b"a", None, b"c"], "rows": 5, "run": 1, "layout": LAYOUT}


def _steps() -> list[Operation]:
    steps: list[Operation] = []
    generate_cases(
        column_cases(bare_counts=True),
        lambda case: case,
        lambda asked: steps.extend(asked.case["steps"]),
        cases=300,
        seed=0,
    )
    return steps


def _bytes(column: Any) -> list[bytes | None]:
    values = column.to_pylist() if isinstance(column, pa.Array | pa.ChunkedArray) else column
    return [value.encode() if isinstance(value, str) else value for value in values]


def _as_said(column: Any, layout: dict[str, Any]) -> None:
    """Asserts that a column is laid out as its step says."""
    if layout["type"] in SEQUENCES:
        return
    chunks = column.chunks if "chunks" in layout else [column]
    assert [len(chunk) for chunk in chunks] == layout.get("chunks", [len(column)])
    kind = column.type
    if "index" in layout:
        assert str(kind.index_type) == layout["index"]
        assert all(len(chunk.dictionary) >= layout["entries"] for chunk in chunks)
        kind = kind.value_type
    assert str(kind).split("[")[0] == layout["type"]
    if layout["type"] != "null" or "index" in layout:
        assert all(chunk.offset == layout.get("before", 0) for chunk in chunks)


def test_columns_hold_their_keys_in_the_layouts_that_they_name() -> None:
    for step in _steps():
        picks = picks_of(step)
        column = arrange(step, picks)
        assert len(picks) == step["rows"]
        assert _bytes(column) == [step["keys"][pick] for pick in picks]
        _as_said(column, step["layout"])


def test_chunks_have_dictionaries_of_their_own_with_nulls_and_repeated_keys() -> None:
    layout = {**LAYOUT, "index": "int8", "entries": 20, "chunks": [30, 30]}
    step = {**STEP, "rows": 60, "layout": layout}
    first, second = arrange(step, picks_of(step)).chunks
    assert first.dictionary.to_pylist() != second.dictionary.to_pylist()
    assert first.dictionary.null_count > 1
    assert first.indices.null_count > 1
    assert len(set(first.indices.drop_null().to_pylist())) > len(step["keys"])


@pytest.mark.parametrize("shift", [1, 2, 8, 16, 64, 4096, 8192, 16384, 32768])
@pytest.mark.parametrize("run", [1, 16, 100])
def test_no_shift_of_a_column_is_the_column(run: int, shift: int) -> None:
    picks = picks_of({**STEP, "rows": 70_000, "run": run})
    assert np.mean(picks[shift:] != picks[:-shift]) > min(shift, run) / run / 2


def test_what_is_told_of_an_answer() -> None:
    picks = np.array([0, 1, 2, 2, 0])
    right = [7, None, 9, 9, 7]
    assert told(pa.array(right, pa.int32()), STEP, picks) == [7, None, 9]
    long = told(pa.array(right, pa.int64()), STEP, picks)
    assert long == {"map": [["an Int32Array is promised, not", "Int64Array int64"]]}
    chunked = told(pa.chunked_array([right], pa.int32()), STEP, picks)
    assert chunked == {"map": [["an Int32Array is promised, not", "ChunkedArray int32"]]}
    short = told(pa.array(right[:4], pa.int32()), STEP, picks)
    assert short == {"map": [["rows asked", 5], ["rows", 4]]}
    another = told(pa.array([7, None, 9, 9, None], pa.int32()), STEP, picks)
    assert another == {
        "map": [["answer", None], ["but in row", 4], ["first answers", [7, None, 9]]]
    }
    buffers = pa.array(right, pa.int32()).buffers()
    wrong = pa.Array.from_buffers(pa.int32(), 5, buffers, null_count=2)
    ((name, _reason),) = told(wrong, STEP, picks)["map"]
    assert name == "invalid array"
