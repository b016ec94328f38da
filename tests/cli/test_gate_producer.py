"""``gate`` and producers that were tampered with: each is another one, at a step that is named."""

from dataclasses import dataclass
from pathlib import Path

import pytest
from rich.console import Console

from conformance.commands.baseline_and_candidate import two_jars
from conformance.engine.check import check_cell
from conformance.engine.plan import behaviour_named
from conformance.gate.outcomes import in_both
from conformance.jars.store import JarStore
from conformance.model.results import CellResult, Verdict
from tests.cli.running import Suite, check_schema
from tests.doctored import PRODUCER, Edit, edited
from tests.landing import first_of_each, nightly

_INTERNALS = f"{PRODUCER}.internals"
ACCUMULATOR = f"{_INTERNALS}.RecordAccumulator"
SEQUENCES = f"{_INTERNALS}.TxnPartitionEntry"
TRANSACTIONS = f"{_INTERNALS}.TransactionManager"


@dataclass(frozen=True)
class Tampering:
    """A jar in which one thing is other than in its release, and where that is to be seen."""

    what: str
    part: str
    """What of a producer it is about, as docs/gate.md has it."""
    edit: Edit
    behaviour: str
    """The one that sees it."""
    step: str
    """The kind of step that answers otherwise first."""
    version: str = "3.8.0"
    cases: int = 60
    """So many cases of seed 0 tell; a default run has 636."""


def _of(
    what: str,
    part: str,
    at: tuple[str, str, str],
    seen: tuple[str, str],
    version: str = "3.8.0",
    cases: int = 60,
) -> Tampering:
    return Tampering(what, part, Edit(*at), *seen, version, cases)


_READY = f"{ACCUMULATOR}.batchReady"
_STATS = f"{ACCUMULATOR}.partitionReady"
_DRAIN = f"{ACCUMULATOR}.drainBatchesForOneNode"
_INSERT = f"{ACCUMULATOR}.insertInSequenceOrder"
_ALL_READY = f"{ACCUMULATOR}.ready"
_REQUEST = f"{_INTERNALS}.Sender.sendProduceRequest"
_NEW_SENDER = f"{PRODUCER}.KafkaProducer.newSender"
_LATER = "LLOAD waitedTimeMs; LLOAD timeToWaitMs; LCMP"
_FIRST_IS_LESS = "ALOAD firstBatchInQueue; INVOKE baseSequence; ALOAD batch; INVOKE baseSequence"
_AVAILABLE = "ALOAD this; GETFIELD partitionAvailabilityTimeoutMs; LCMP"
_STORED = "ALOAD queueSizes; ILOAD queueSizesIndex; ILOAD dequeSize"

TAMPERINGS = [
    _of(
        "linger is ignored",
        "linger",
        (_READY, "ALOAD this; GETFIELD lingerMs; I2L", "LCONST_0"),
        ("accumulator", "ready"),
    ),
    _of(
        "a batch lingers until after its time",
        "linger",
        (_READY, f"{_LATER}; IFLT", f"{_LATER}; IFLE"),
        ("accumulator", "ready"),
    ),
    _of(
        "2.3.1: a batch lingers until after its time",
        "linger",
        (_ALL_READY, f"{_LATER}; IFLT", f"{_LATER}; IFLE"),
        ("producer", "pass"),
        "2.3.1",
    ),
    _of(
        "where a drain began is forgotten",
        "drain order",
        (f"{ACCUMULATOR}.updateDrainIndex", "INVOKE put", "INVOKE putIfAbsent"),
        ("accumulator", "drain"),
    ),
    _of(
        "the youngest batch leaves first",
        "drain order",
        (_DRAIN, "INVOKE pollFirst", "INVOKE pollLast"),
        ("producer", "pass"),
    ),
    _of(
        "a request is never just full",
        "drain order",
        (_DRAIN, "ILOAD maxSize; IF_ICMPLE", "ILOAD maxSize; IF_ICMPLT"),
        ("accumulator", "drain"),
        cases=150,
    ),
    _of(
        "2.3.1: where a drain began is forgotten",
        "drain order",
        (
            _DRAIN,
            "ALOAD this; GETFIELD drainIndex; ALOAD parts; INVOKE size; IREM; DUP_X1",
            "ICONST_0; DUP_X1",
        ),
        ("accumulator", "drain"),
        "2.3.1",
    ),
    _of(
        "a full batch waits",
        "ready rule",
        (_READY, "ILOAD full; IFNE", "NOP"),
        ("accumulator", "ready"),
    ),
    _of(
        "no batch leaves for want of memory",
        "ready rule",
        (_READY, "ILOAD exhausted; IFNE", "NOP"),
        ("accumulator", "ready"),
    ),
    _of(
        "a flush sends nothing",
        "ready rule",
        (_READY, "ALOAD this; INVOKE flushInProgress; IFNE", "NOP"),
        ("producer", "pass"),
    ),
    _of(
        "3.2.3: a full batch waits",
        "ready rule",
        (_ALL_READY, "ILOAD full; IFNE", "NOP"),
        ("producer", "pass"),
        "3.2.3",
    ),
    _of(
        "queues count one batch less",
        "load stats",
        (_STATS, f"{_STORED}; IASTORE", f"{_STORED}; ICONST_1; ISUB; IASTORE"),
        ("accumulator", "ready"),
    ),
    _of(
        "the last partition is left out",
        "load stats",
        (_STATS, "ILOAD queueSizesIndex; ICONST_1; IADD", "ILOAD queueSizesIndex"),
        ("producer", "pass"),
    ),
    _of(
        "a node is slow a millisecond too early",
        "load stats",
        (_STATS, f"{_AVAILABLE}; IFLE", f"{_AVAILABLE}; IFLT"),
        ("accumulator", "ready"),
        cases=100,
    ),
    _of(
        "the last number of a batch is given again",
        "sequences",
        (f"{SEQUENCES}.incrementSequence", "ILOAD increment", "ILOAD increment; ICONST_1; ISUB"),
        ("producer", "pass"),
    ),
    _of(
        "numbers do not begin again after the last",
        "sequences",
        (f"{SEQUENCES}.incrementSequence", "INVOKE incrementSequence", "IADD"),
        ("producer", "pass"),
        cases=300,
    ),
    _of(
        "a batch that is sent again goes to the front",
        "sequences",
        (_INSERT, f"{_FIRST_IS_LESS}; IF_ICMPGE", f"{_FIRST_IS_LESS}; IF_ICMPLE"),
        ("producer", "pass"),
        cases=100,
    ),
    _of(
        "the last number on its way is taken for the first",
        "sequences",
        (f"{SEQUENCES}.nextBatchBySequence", "INVOKE first", "INVOKE last"),
        ("producer", "pass"),
    ),
    _of(
        "a batch that is sent again waits for none before it",
        "sequences",
        (f"{TRANSACTIONS}.firstInFlightSequence", "ALOAD batch; INVOKE baseSequence", "ICONST_M1"),
        ("producer", "pass"),
    ),
    _of(
        "2.3.1: numbers of a refused batch are not given again",
        "sequences",
        (
            f"{TRANSACTIONS}.adjustSequencesDueToFailedBatch",
            "ILOAD currentSequence; ALOAD batch; GETFIELD recordCount; ISUB",
            "ILOAD currentSequence",
        ),
        ("producer", "pass"),
        "2.3.1",
    ),
    _of(
        "3.2.3: a batch that is sent again goes to the front",
        "sequences",
        (_INSERT, f"{_FIRST_IS_LESS}; IF_ICMPGE", f"{_FIRST_IS_LESS}; IF_ICMPLE"),
        ("producer", "pass"),
        "3.2.3",
    ),
    _of(
        "the leader alone takes a record",
        "requests",
        (_REQUEST, "ILOAD acks; INVOKE setAcks", "ICONST_1; INVOKE setAcks"),
        ("producer", "pass"),
    ),
    _of(
        "replicas have no time",
        "requests",
        (_REQUEST, "ILOAD timeout; INVOKE setTimeoutMs", "ICONST_0; INVOKE setTimeoutMs"),
        ("producer", "pass"),
    ),
    _of(
        "nobody waits for an answer",
        "requests",
        (
            _REQUEST,
            "ALOAD this; GETFIELD requestTimeoutMs; ALOAD callback",
            "ICONST_0; ALOAD callback",
        ),
        ("producer", "pass"),
    ),
    _of(
        "linger.ms is not handed on",
        "settings",
        (f"{PRODUCER}.KafkaProducer.lingerMs", "L2I; IRETURN", "POP2; ICONST_0; IRETURN"),
        ("configured-producer", "configure"),
    ),
    _of(
        "one request at a time whatever is told",
        "settings",
        (_NEW_SENDER, "ILOAD maxInflightRequests; ICONST_1; IF_ICMPNE", "NOP"),
        ("configured-producer", "configure"),
    ),
    _of(
        "a delivery.timeout.ms that is too short is taken",
        "settings",
        (
            f"{PRODUCER}.KafkaProducer.configureDeliveryTimeout",
            "ILOAD deliveryTimeoutMs; ILOAD lingerAndRequestTimeoutMs; IF_ICMPGE",
            "GOTO",
        ),
        ("configured-producer", "configure"),
    ),
]

LINGER = TAMPERINGS[0]


def compared(candidate: Path, tampering: Tampering) -> CellResult:
    """What a run finds first, as it was drawn; the command makes it small."""
    jars = two_jars(Console(quiet=True), JarStore(), tampering.version, str(candidate))
    behaviour = behaviour_named(tampering.behaviour)
    client = in_both(jars.before, jars.after, [behaviour.name]).client
    return check_cell(
        behaviour, client, *jars.subjects, cases=tampering.cases, seed=0, shrink=False
    )


@pytest.mark.parametrize(
    "tampering",
    first_of_each(TAMPERINGS, lambda one: one.part),
    ids=lambda one: one.what,
)
def test_a_producer_that_was_tampered_with_is_another_one(
    tmp_path: Path, tampering: Tampering
) -> None:
    result = compared(edited(tmp_path / "own.jar", [tampering.edit], tampering.version), tampering)
    assert result.verdict is Verdict.DIVERGES, result.reason
    found = result.divergence
    assert found is not None
    assert found.case["steps"][found.step]["op"] == tampering.step


@nightly
def test_the_gate_tells_the_step(suite: Suite) -> None:
    suite.cwd.mkdir(parents=True, exist_ok=True)
    edited(suite.cwd / "own.jar", [LINGER.edit])
    answer = suite.run(*gate(LINGER))
    answer.expect(1, "differs from", "at step", "Steps:", "1 changed")
    [change] = check_schema(suite.cwd / "gate.json", "report")["gate"]["changes"]
    assert (change["behaviour"], change["change"]) == (LINGER.behaviour, "changed")
    assert change["what"].startswith(f"{LINGER.step}: ")


@nightly
def test_a_producer_that_was_built_again_is_the_same(suite: Suite) -> None:
    suite.cwd.mkdir(parents=True, exist_ok=True)
    touched = [one.edit for one in TAMPERINGS if one.version == "3.8.0"]
    # Each edit puts back what it takes: the class files are written anew, their code is the same.
    rebuilt = [Edit(edit.method, edit.was, edit.was) for edit in touched]
    edited(suite.cwd / "own.jar", rebuilt)
    answer = suite.run(*gate(LINGER)).expect(0, "1 same")
    assert "Both are the same file" not in answer.out


def gate(tampering: Tampering) -> tuple[str, ...]:
    return (
        *("gate", "--baseline", tampering.version, "--candidate", "own.jar", "--profile", "quick"),
        *("--behaviour", tampering.behaviour, "--no-cache", "--jobs", "1", "--json", "gate.json"),
    )
