"""How well a topic's batches will be compressed, as the producer learns it batch by batch.

Vocabulary: ``{"op": "update", "topic", "codec", "ratio"}`` (the bits of a float32 as a double's 16
hex digits) answers the new estimate, a double; ``{"op": "estimate", "topic", "codec"}`` the present
one; ``{"op": "set", "topic", "codec", "ratio"}`` and ``{"op": "reset", "topic"}`` answer null.
"""

import math
import struct
from collections.abc import Iterator

from hypothesis.strategies import SearchStrategy

from conformance.behaviours.records.contents import ALL_CODECS
from conformance.behaviours.records.meanings import SIZES
from conformance.model.behaviour import Behaviour, JavaPerformer, PortPerformer
from conformance.model.case import Case, Operation
from conformance.model.client_version import ClientVersion
from conformance.model.dimension import numbers
from conformance.model.port import Port, RatioRelease, release_of
from conformance.model.program import NULL, Linker, Mode, Program, double
from conformance.model.trace import Answer, Trace, answer_of
from conformance.model.values import double as double_value
from conformance.model.values import float_of, is_error
from conformance.model.ways import Way
from conformance.oracle.internals import BATCH_WRITER, add_batch_writer
from conformance.oracle.kafka_classes import RECORDS, STRING
from conformance.strategies.records.ratio_cases import ratio_cases

_ESTIMATOR = f"{RECORDS}.CompressionRatioEstimator"
_METHODS = {
    "update": "updateEstimation",
    "estimate": "estimation",
    "set": "setEstimation",
    "reset": "resetEstimation",
}


class CompressionRatio(Behaviour):
    """``CompressionRatioEstimator``: by topic and codec, in float32."""

    name = "compression-ratio"
    summary = "the estimate of a topic's compression, which adapts from batch to batch"
    ways = (Way(f"{_ESTIMATOR}.updateEstimation", ALL_CODECS, since="2.1"),)
    arrived = "asked since 2.1, which brought zstd (KIP-110)"
    meaning = SIZES
    operations = tuple(_METHODS)
    typed = True
    for_testees = False
    weight = 0.6
    interesting = {
        "worse": "a batch was compressed worse than estimated",
        "better": "a batch was compressed better than estimated",
        "as estimated": "a batch was compressed as estimated",
        "step down": "the estimate falls by the step, not to what was observed",
        "step up": "the estimate rises by the step, beyond what was observed",
        "not a number": "a ratio that is NaN: of a batch without bytes",
        "another topic": "a topic whose name is like one before",
        "forgotten": "a topic is reset after it has learnt",
    }
    dimensions = (
        numbers(
            "updates",
            "observations of a case",
            (0, 1, 2, 4, 8, 16),
            lambda case: (sum(step["op"] == "update" for step in case["steps"]),),
        ),
        numbers(
            "codecs",
            "codecs of a case",
            (0, 1, 2, 3, 4, 5),
            lambda case: (len({step["codec"] for step in case["steps"] if "codec" in step}),),
        ),
    )

    def cases(self, client: ClientVersion) -> SearchStrategy[Case]:
        """Histories of observations."""
        return ratio_cases()

    def labels(self, case: Case, trace: Trace) -> Iterator[str]:
        known: dict[tuple[str, str], bytes] = {}
        for operation, step in zip(case["steps"], trace, strict=True):
            topic = operation["topic"]
            if any(topic != other for other, _ in known):
                yield "another topic"
            if operation["op"] == "reset":
                if any(topic == other for other, _ in known):
                    yield "forgotten"
                known = {key: value for key, value in known.items() if key[0] != topic}
            elif operation["op"] == "update" and not is_error(step["answer"]):
                key = (topic, operation["codec"])
                before = float_of(known.get(key, struct.pack(">d", 1.0)).hex())
                after = bytes.fromhex(step["answer"]["double"])
                yield from _labels(before, float_of(operation["ratio"]), float_of(after.hex()))
                known[key] = after

    def java_method(self, client: ClientVersion, operation: Operation) -> str:
        return f"{_ESTIMATOR}.{_METHODS[operation['op']]}"

    def java(self, client: ClientVersion, link: Linker) -> "_JavaRatio":
        return _JavaRatio(link)

    def port(self, client: ClientVersion, implementation: Port) -> PortPerformer:
        release: RatioRelease = release_of(implementation, client)

        def perform(case: Case) -> Trace:
            estimator = release.CompressionRatioEstimator()

            def call(operation: Operation) -> Answer:
                topic, name = operation["topic"], operation["op"]
                if name == "reset":
                    estimator.reset_estimation(topic)
                    return None
                of = (topic, operation["codec"])
                if name == "estimate":
                    return _double(estimator.estimation(*of))
                ratio = float_of(operation["ratio"])
                if name == "set":
                    estimator.set_estimation(*of, ratio)
                    return None
                return _double(estimator.update_estimation(*of, ratio))

            return [{"answer": answer_of(call, one)} for one in case["steps"]]

        return perform


class _JavaRatio(JavaPerformer):
    def __init__(self, link: Linker) -> None:
        add_batch_writer(link)
        of = (STRING, STRING)
        self._update = link.method(BATCH_WRITER, "updateRatio", *of, "double")
        self._estimate = link.method(BATCH_WRITER, "ratio", *of)
        self._set = link.method(BATCH_WRITER, "setRatio", *of, "double")
        self._reset = link.method(_ESTIMATOR, "resetEstimation", STRING)

    def program(self, case: Case) -> Program:
        program = Program()
        # The estimates are static: what an earlier case has left is forgotten first.
        for topic in sorted({step["topic"] for step in case["steps"]}):
            program.call(self._reset, NULL, program.text(topic))
        for operation in case["steps"]:
            name, topic = operation["op"], program.text(operation["topic"])
            if name == "reset":
                program.call(self._reset, NULL, topic, mode=Mode.ANSWER)
                continue
            of = (topic, program.text(operation["codec"]))
            if name == "estimate":
                program.call(self._estimate, NULL, *of, mode=Mode.ANSWER)
            else:
                method = self._update if name == "update" else self._set
                ratio = double(float_of(operation["ratio"]))
                program.call(method, NULL, *of, ratio, mode=Mode.ANSWER)
        return program


def _labels(before: float, observed: float, after: float) -> Iterator[str]:
    if math.isnan(observed):
        yield "not a number"
    elif observed == before:
        yield "as estimated"
    elif observed > before:
        yield "worse"
        if after > observed:
            yield "step up"
    else:
        yield "better"
        if after > observed:
            yield "step down"


def _double(value: Answer) -> Answer:
    # Java hands every NaN on as the same one.
    return double_value(value) if isinstance(value, float) else value
