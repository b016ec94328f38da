"""Runs of an experiment: one after the other, clients in turn, each accounted for."""

import random
import tempfile
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Protocol

from conformance.errors import SuiteError
from conformance.experiments.accounting import (
    Account,
    account,
    batches_told_apart,
    same_records,
)
from conformance.experiments.catalogue import Condition, Experiment, Variant
from conformance.experiments.client import ClientProcess, ClientRunError, Orders
from conformance.experiments.logs import (
    Found,
    LogBatch,
    found_records,
    read_log_batches,
    read_log_records,
)
from conformance.experiments.measures import Measured, measure
from conformance.experiments.programs import Program
from conformance.experiments.sites import Site
from conformance.experiments.told import Told, read_consumed, read_told

_PAUSE_SECONDS: Final = 2.0
_WITHIN: Final = 0.3
"""In which part of the sending a broker is paused or killed."""
_PATIENCE_SECONDS: Final = 180.0
"""For what is left when all should have been sent; ``delivery.timeout.ms`` is two minutes."""
_LOOK_SECONDS: Final = 0.1


@dataclass(frozen=True, slots=True)
class Run:
    """One run. ``not_run`` says why it is not judged; empty if it is."""

    experiment: str
    variant: Variant
    round: int
    not_run: str = ""
    measured: Measured | None = None
    account: Account | None = None
    remarks: Sequence[str] = ()
    """What is odd about it, though it is judged."""


class Listener(Protocol):
    """Is told of runs while they happen."""

    def began(self, variant: Variant, number: int) -> None:
        """One begins; ``number`` is its round, from 0."""

    def ended(self, run: Run, told: Told | None, batches: Sequence[LogBatch] | None) -> None:
        """It has ended; ``batches`` are those of the brokers, where they could be seen."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What all runs of an experiment have in common, beside the experiment."""

    site: Site
    programs: Mapping[str, Program]
    slow: Sequence[int]
    repetitions: int
    seed: int
    prefix: str
    """Names of topics begin with it."""
    topic: str = ""
    """Of a user's cluster, where all runs go; empty for a topic for each run."""


def run_experiment(experiment: Experiment, plan: Plan, listener: Listener) -> Iterator[Run]:
    """All runs: in each round every variant once, in an order drawn anew.

    A run that fails does not end the others. Topics that were made are deleted at the end,
    whatever ends it.
    """
    topics = _TopicsOfRuns(experiment, plan)
    with topics:
        for number in range(plan.repetitions):
            topics.make_round(number + 1)
            order = [*range(len(experiment.variants))]
            random.Random(f"{plan.seed} {experiment.name} {number}").shuffle(order)
            for which in order:
                variant = experiment.variants[which]
                listener.began(variant, number)
                run = _OneRun(experiment, variant, number, plan, topics.name(number, which))
                yield run.made(listener)


class _TopicsOfRuns:
    """A topic for each run, made one round ahead: a new one is not to be used in haste."""

    def __init__(self, experiment: Experiment, plan: Plan) -> None:
        self._plan = plan
        self._variants = len(experiment.variants)
        self._stem = f"{plan.prefix}-{experiment.name}"
        brokers = plan.site.brokers
        self.leaders = [brokers[one % len(brokers)] for one in range(experiment.partitions)]
        self._made: list[str] = []

    def name(self, number: int, which: int) -> str:
        return self._plan.topic or f"{self._stem}-{number}-{which}"

    def warmup(self) -> str:
        return self._plan.topic or f"{self._stem}-warmup"

    def __enter__(self) -> None:
        if self._plan.topic:
            return
        site, slow = self._plan.site, () if self._plan.site.is_ours else self._plan.slow
        fast = [one for one in site.brokers if one not in slow]
        try:
            self._make([self.warmup()], fast or site.brokers)
            self.make_round(0)
        except BaseException:
            self.__exit__()
            raise

    def make_round(self, number: int) -> None:
        if number < self._plan.repetitions and not self._plan.topic:
            self._make([self.name(number, one) for one in range(self._variants)], self.leaders)

    def _make(self, names: list[str], leaders: Sequence[int]) -> None:
        self._plan.site.create(names, leaders)
        self._made += names

    def __exit__(self, *_: object) -> None:
        if self._made:
            self._plan.site.delete(self._made)


class _OneRun:
    def __init__(
        self, experiment: Experiment, variant: Variant, number: int, plan: Plan, topic: str
    ) -> None:
        self._experiment = experiment
        self._variant = variant
        self._plan = plan
        self._topic = topic
        self._run = Run(experiment.name, variant, number)
        self._name = uuid.uuid4().hex[:8]

    def made(self, listener: Listener) -> Run:
        """Run, and say what came of it."""
        told: Told | None = None
        batches: list[LogBatch] | None = None
        with tempfile.TemporaryDirectory(prefix="kafka-conformance-run-") as place:
            folder = Path(place)
            try:
                self._client(folder)
                told = read_told(folder)
                batches, found, consumed = self._read(told, folder)
                run = self._judged(told, batches, found, consumed)
            except (SuiteError, OSError, ValueError) as error:
                run = replace(self._run, not_run=_reason(error))
                self._plan.site.revive()
        listener.ended(run, told, batches)
        return run

    def _client(self, folder: Path) -> None:
        experiment, variant, plan = self._experiment, self._variant, self._plan
        warmup = plan.topic or f"{plan.prefix}-{experiment.name}-warmup"
        orders = Orders(
            plan.site.bootstrap_servers,
            self._topic,
            self._name,
            experiment.records,
            experiment.interval_of(variant),
            experiment.value_bytes,
            experiment.settings_of(variant),
            warmup,
            experiment.warmup_records,
        )
        slow = variant.condition is Condition.SLOW
        with ClientProcess(plan.programs[variant.client], orders, folder) as client:
            client.wait_ready()
            with plan.site.slowed(plan.slow) if slow else nullcontext():
                client.start()
                self._disturb()
                self._wait(client)
            client.read_back()

    def _sending_seconds(self) -> float:
        return self._experiment.records * self._experiment.interval_of(self._variant) / 1e9

    def _disturb(self) -> None:
        """Pause or kill one of the slow brokers in mid-run, if the variant wants it."""
        site, victim, condition = self._plan.site, self._plan.slow[0], self._variant.condition
        if condition is Condition.PAUSED:
            time.sleep(_WITHIN * self._sending_seconds())
            site.pause(victim)
            try:
                time.sleep(_PAUSE_SECONDS)
            finally:
                site.resume(victim)
        elif condition is Condition.KILLED:
            time.sleep(_WITHIN * self._sending_seconds())
            site.kill(victim)
            site.restart(victim)

    def _wait(self, client: ClientProcess) -> None:
        settings = self._experiment.settings_of(self._variant)
        seconds = self._sending_seconds() + float(settings.get("linger.ms", 0)) / 1e3
        until = time.monotonic() + seconds + _PATIENCE_SECONDS
        while not client.has_sent() and time.monotonic() < until:
            self._plan.site.check()
            time.sleep(_LOOK_SECONDS)
        client.wait_sent(_LOOK_SECONDS)

    def _read(self, told: Told, folder: Path) -> tuple[list[LogBatch] | None, Found, Found]:
        """The brokers' batches and records, and the consumer's; the latter twice if need be."""
        consumed = found_records(read_consumed(folder / "read.bin"), self._name)
        if self._plan.topic:
            consumed = consumed.of_this_run()
        folders = self._plan.site.log_folders(self._topic, told.leaders)
        if folders is None:
            return None, consumed, consumed
        batches = read_log_batches(folders, self._name)
        return batches, read_log_records(folders, self._name), consumed

    def _judged(
        self, told: Told, batches: list[LogBatch] | None, found: Found, consumed: Found
    ) -> Run:
        counted = account(told.records, found)
        problems, remarks = [], []
        if not counted.nothing_lost or counted.foreign:
            problems.append(f"the accounts do not balance: {counted.told()}")
        elif not counted.is_clean:
            remarks.append(counted.told())
        if not same_records(found, consumed):
            problems.append("the consumer did not get what is in the log segments")
        if batches is not None and not counted.failed:
            unkept, unsent = batches_told_apart(told.batches, batches)
            if unkept or unsent:
                problems.append(f"batches differ: {unkept} only sent, {unsent} only on brokers")
        if counted.failed and self._variant.condition in (Condition.HEALTHY, Condition.SLOW):
            problems.append(f"records failed: {counted.told()}")
        measured = None
        if counted.delivered:
            measured = measure(
                told,
                self._plan.slow if self._experiment.needs_disturbance else (),
                linger_ms=float(self._experiment.settings_of(self._variant).get("linger.ms", 0)),
                interval_ns=self._experiment.interval_of(self._variant),
            )
        return replace(
            self._run,
            not_run="; ".join(problems),
            measured=measured,
            account=counted,
            remarks=remarks,
        )


def _reason(error: Exception) -> str:
    if isinstance(error, ClientRunError):
        return error.what
    return error.what if isinstance(error, SuiteError) else f"{error}"
