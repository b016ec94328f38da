"""Check one cell with records by the hundred thousand: for subjects that show only partitions."""

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from conformance.engine.cell import Effort
from conformance.engine.check import cell_seed, reason_of
from conformance.engine.comparing import Progress
from conformance.errors import SuiteError
from conformance.model.behaviour import Behaviour
from conformance.model.client_version import ClientVersion
from conformance.model.distribution import Distribution
from conformance.model.results import Cell, CellResult, Picture, Seconds, TestResult, Verdict
from conformance.model.subject import Subject

if TYPE_CHECKING:
    from conformance.statistics.verdicts import Judged


def sample_cell(
    behaviour: Behaviour,
    client: ClientVersion,
    oracle: Subject,
    subject: Subject,
    effort: Effort,
    progress: Progress = lambda _records: None,
) -> CellResult:
    """Judge the distributions of one behaviour of one version, beside the real client's own.

    The records of ``effort`` are those of the largest of its distributions; the others get theirs
    in proportion. A distribution that even the real client fails is not run: then the suite or the
    machine is at fault.
    """
    # Imported here because SciPy takes seconds, and cells with cases do not need it.
    from conformance.distributions.of_testees import distributions_of  # noqa: PLC0415

    cell = Cell(behaviour.name, client.version)
    started = time.perf_counter()
    try:
        scope = subject.scope(behaviour)
        distributions = distributions_of(behaviour.name, scope.cannot, topics=scope.takes_topics)
        if not distributions:
            raise SuiteError(
                f"{behaviour.name} cannot be judged by its distribution.",
                "A testee of this behaviour has to take the suite's draws: mode 'exact'.",
            )
        judged, pictures, sampled = _judge(
            distributions,
            client,
            (oracle, subject),
            seed=cell_seed(effort.seed, cell),
            share=effort.records / max(one.records for one in distributions)
            if effort.records
            else effort.share,
            sampled_cells=effort.sampled_cells,
            progress=progress,
        )
    except Exception as error:
        return CellResult(cell, Verdict.NOT_RUN, reason=reason_of(error))
    tests = tuple(one.result for one in judged)
    return replace(
        effort.known.result_of_tests(cell, tests, oracle_tested=True),
        seconds=Seconds(execution=time.perf_counter() - started),
        reason="; ".join(dict.fromkeys(t.detail for t in tests if t.verdict is Verdict.NOT_RUN)),
        records=sampled,
        pictures=pictures,
        smallest_bias=smallest_bias(distributions[0], tests),
    )


def _judge(
    distributions: Sequence[Distribution],
    client: ClientVersion,
    subjects: tuple[Subject, Subject],
    *,
    seed: int,
    share: float,
    sampled_cells: int,
    progress: Progress,
) -> "tuple[list[Judged], tuple[Picture, ...], int]":
    """The verdicts on the second subject, what was counted, and how many records it got."""
    # Imported here because SciPy takes seconds, and cells with cases do not need it.
    from conformance.model.distribution import Measures  # noqa: PLC0415
    from conformance.sampling.blocks import BlockRunner, Key, Order, Task, add_all  # noqa: PLC0415
    from conformance.sampling.judging import judge_totals  # noqa: PLC0415
    from conformance.sampling.pictures import pictures_of  # noqa: PLC0415
    from conformance.sampling.starts import second_start  # noqa: PLC0415
    from conformance.statistics.verdicts import FALSE_ALARMS  # noqa: PLC0415

    order = Order(
        tuple(distributions),
        {one.name: max(1, round(share * one.records)) for one in distributions},
        {one.name: (client,) for one in distributions},
        seed,
    )
    further = {}
    with suppress(Exception):  # whatever it is, it is told when all records are asked
        if not distributions[0].exact:
            started = second_start(order, distributions[0], client, subjects[1])
            if started is not None:
                further[Key(distributions[0].name, client.version, 1)] = started
    runner = BlockRunner(order, *subjects)
    totals: dict[Key, Measures] = {}
    done = 0

    def tell(more: int) -> None:
        nonlocal done
        done += more
        progress(done)

    for distribution in distributions:
        task = Task(distribution.name, 0, order.blocks_of(distribution))
        add_all(totals, runner.run(task, tell))
    tests, _ = judge_totals(
        order, totals, subjects, false_alarms=FALSE_ALARMS / sampled_cells, further=further
    )
    name = subjects[0].describe(client)
    for test in tests:
        if test.of.subject == name and test.outcome.not_run:
            raise SuiteError(
                f"{test.of.distribution}: {test.outcome.test!r} cannot be tested: "
                f"{test.outcome.not_run}.",
                "Use more records (--records).",
            )
        if test.of.subject == name and test.verdict is not Verdict.CONFORMS:
            raise SuiteError(
                f"{name} itself fails the test {test.outcome.test!r} of {test.of.distribution}: "
                f"{test.outcome.detail or f'p = {test.corrected_p}'}.",
                "Use another seed; a failure that stays is a bug in the suite.",
            )
    pictures = tuple(
        picture
        for distribution in distributions
        for picture in pictures_of(
            distribution,
            totals[Key(distribution.name, client.version, 0)],
            totals[Key(distribution.name, client.version, 1)],
        )
    )
    return [test for test in tests if test.of.subject != name], pictures, done


def smallest_bias(distribution: Distribution, tests: Sequence[TestResult]) -> float | None:
    """How often too often one partition may be taken, at least, for the best test to find it."""
    found = [
        test.smallest_bias
        for test in tests
        if test.distribution == distribution.name and test.test in distribution.tells_bias
    ]
    return min((bias for bias in found if bias is not None), default=None)
