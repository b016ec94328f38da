"""Results of experiments that never ran, and their documents."""

from dataclasses import replace
from typing import Any

from conformance.errors import ExitCode
from conformance.experiments.accounting import account
from conformance.experiments.catalogue import Experiment, Variant, experiments_named
from conformance.experiments.claims import judge
from conformance.experiments.measures import measure
from conformance.experiments.results import Outcome, Result, means_of, rounds_of
from conformance.experiments.running import Run
from conformance.experiments.told import Told
from conformance.json_schema import problem_of
from conformance.model.values import from_json
from conformance.reports.experiment_files import experiments_document, experiments_text
from tests.experiments.made import batch, found, records, told

# To the slow broker go three records of four with 3.2.3, one of two with the others.
TO_SLOW = {"3.2.3": [1, 1, 1, 0], "2.3.1": [0, 1, 0, 1], "3.8.0": [0, 0, 1, 0]}


def told_by(client: str) -> Told:
    """What the client of a version told of four records."""
    partitions = TO_SLOW[client]
    batches = [
        batch(partition, partition, one, 1, at_ms=one + 1, request=one)
        for one, partition in enumerate(partitions)
    ]
    return told(records(partitions), batches, {0: 0, 1: 1})


def run_of(experiment: Experiment, variant: Variant, number: int) -> Run:
    """A run that counts."""
    client = told_by(variant.client)
    slow = (1,) if experiment.needs_disturbance else ()
    return Run(
        *(experiment.name, variant, number),
        measured=measure(client, slow, linger_ms=0, interval_ns=experiment.interval_ns),
        account=account(client.records, found(client.records)),
    )


def result_of(experiment: Experiment, *, failed: str = "", stopped: bool = False) -> Result:
    """Three repetitions of each producer; ``failed``: why the first run does not count."""
    runs = [run_of(experiment, one, number) for one in experiment.variants for number in range(3)]
    if failed:
        runs[0] = replace(runs[0], not_run=failed)
    outcomes = []
    for variant in experiment.variants:
        own = [run for run in runs if run.variant is variant]
        predicted = {"slow_ratio": 1.25, "seconds": 1.0}
        outcomes.append(Outcome(variant, own, means_of(own), predicted))
    judged = [judge(claim, rounds_of(runs, 3)) for claim in experiment.claims]
    return Result(experiment, "four brokers", (1,), 7, 3, outcomes, judged, stopped)


[STICKY] = experiments_named(["sticky-slow-brokers"])
CONDITION = experiments_named(["map"])[0]


def document_of(*results: Result) -> dict[str, Any]:
    """The JSON document of results, which its schema allows."""
    complete = all(one.is_complete for one in results)
    code = ExitCode.CONFORMS if complete else ExitCode.NOT_RUN
    document = from_json(experiments_text(experiments_document(results, code)))
    assert problem_of("experiment", document) is None
    return dict(document)
