"""A summary of experiments as JSON (experiment-summary.schema.json), and as a picture."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Final

from conformance.experiments.summary import SLICE_MS, Share, Summary
from conformance.model.values import to_json
from conformance.reports.experiment_courses import NOTE, TITLE, Panel, courses_figure
from conformance.simulation.answers import plain
from conformance.suite_version import suite_version
from conformance.svg import picture
from conformance.text import inert

FORMAT: Final = "kafka-conformance experiment summary 1"


def summary_text(found: Sequence[Summary]) -> str:
    """The JSON text."""
    document = {
        "format": FORMAT,
        "suite_version": suite_version(),
        "exit_code": 0,
        "slice_ms": SLICE_MS,
        "producers": [_producer(one) for one in found],
    }
    return to_json(plain(document), indent=1) + "\n"


def _producer(one: Summary) -> dict[str, Any]:
    return {
        "experiment": one.producer.experiment,
        "variant": one.producer.variant,
        "runs": one.runs,
        "records": one.records,
        "delivered": one.delivered,
        "errors": one.errors,
        "seconds": asdict(one.seconds),
        "slow_ratio": asdict(one.slow_ratio),
        "brokers": [_share(share) for share in one.brokers],
        "partitions": [
            {**_share(share), "sent": one.sent[share.partitions[0]]} for share in one.partitions
        ],
        "latency_ms": one.latency_ms,
        "batch_records": one.batch_records,
        "batch_bytes": one.batch_bytes,
        "waited_ms": one.waited_ms,
    }


def _share(share: Share) -> dict[str, Any]:
    return {
        "broker": share.broker,
        "partitions": [*share.partitions],
        "records": share.records,
        "slow": share.slow,
        "ratio": asdict(share.ratio),
    }


def summary_picture(found: Sequence[Summary], form: str) -> str | bytes:
    """What each partition got over time: means over the runs of each producer."""
    several = len({one.producer.experiment for one in found}) > 1
    figure = courses_figure([_panel(one, named=several) for one in found])
    return picture(figure, TITLE, NOTE, form)


def _panel(one: Summary, *, named: bool) -> Panel:
    name = f"{inert(one.producer.experiment)}\n" if named else ""
    slices = max((len(sent) for sent in one.sent.values()), default=0)
    return Panel(
        name + inert(one.producer.variant),
        [SLICE_MS * at for at in range(slices + 1)],
        {partition: [0, *sent] for partition, sent in one.sent.items()},
        {share.partitions[0]: share.broker for share in one.partitions},
        [share.broker for share in one.brokers if share.slow],
    )
