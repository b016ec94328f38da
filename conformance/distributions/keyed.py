"""Keys: does the hash spread them evenly, and does every subject send each to the same place?"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from conformance.behaviours.partitioning.keyed import has_partition_for_key
from conformance.distributions.key_families import ZIPF, ZIPF_KEYS, KeyFamily, zipf_ranks
from conformance.distributions.samplers import asked, empty_answers
from conformance.java.sources import java_source
from conformance.model.client_version import ClientVersion
from conformance.model.distribution import (
    Answers,
    Ask,
    Block,
    Distribution,
    Measures,
    Sampler,
    tally,
)
from conformance.model.outcome import Outcome
from conformance.model.port import Port
from conformance.model.program import LoadedClient
from conformance.oracle.kafka_classes import BUILT_IN, DEFAULT
from conformance.oracle.objects import direct_buffer, java_cluster
from conformance.statistics.tests import uniform_test

PARTITIONS = 12
_TOPIC = "t"
_CALLS = {
    True: f"""
public final class KeyedCall extends Keyed {{
    private final int count;
    public KeyedCall(int count) {{ this.count = count; }}
    int partition(byte[] key) {{ return {BUILT_IN}.partitionForKey(key, count); }}
}}""",
    False: f"""
public final class KeyedCall extends Keyed {{
    private final {DEFAULT} partitioner = new {DEFAULT}();
    private final org.apache.kafka.common.Cluster cluster;
    public KeyedCall(org.apache.kafka.common.Cluster cluster) {{ this.cluster = cluster; }}
    int partition(byte[] key) {{
        return partitioner.partition("{_TOPIC}", null, key, null, null, cluster);
    }}
}}""",
}


class Keyed(Distribution):
    """Millions of keys of one family over twelve partitions."""

    behaviour = "keyed"
    records = 11_000_000
    least = block_records = 65_536
    exact = True
    cost = 0.1

    def __init__(self, family: KeyFamily, *, partitions: int = PARTITIONS) -> None:
        self.family = family
        self.partitions = partitions
        self.name = f"keyed/{family.name}"
        self.summary = family.summary

    def inputs(self, block: Block) -> pa.Array:
        """The serialized keys: Arrow binary (records)."""
        return self.family.keys(block)

    def java(self, client: ClientVersion, java: LoadedClient) -> Sampler:
        """``partitionForKey`` where the client has it, else ``DefaultPartitioner``."""
        bare = has_partition_for_key(client)
        call = java.helper(java_source("Keyed") + _CALLS[bare], "KeyedCall")
        target: Any = (
            self.partitions if bare else java_cluster(java, {_TOPIC: range(self.partitions)})
        )
        keyed = call(target)

        def sample(block: Block, inputs: pa.Array) -> Answers:
            del block
            answers = empty_answers(len(inputs))
            _, offsets, data = inputs.buffers()
            bounds = np.frombuffer(offsets, np.int32, len(inputs) + 1, inputs.offset * 4)
            keyed.partitions(*map(direct_buffer, (data, bounds, answers)))
            return answers

        return sample

    def port(self, client: ClientVersion, implementation: Port) -> Sampler:
        """The port's whole columns."""

        def sample(block: Block, inputs: pa.Array) -> Answers:
            del block
            answers = implementation.partitions_for_keys(inputs, self.partitions)
            return np.asarray(answers.to_numpy(zero_copy_only=False))

        return sample

    def testee(self, client: ClientVersion, ask: Ask) -> Sampler:
        """See :class:`Distribution`; the keys as hexadecimal text."""
        partitions = [[number, number] for number in range(self.partitions)]

        def sample(block: Block, inputs: pa.Array) -> Answers:
            keys = [key.hex() for key in inputs.to_pylist()]
            question = {"partitions": partitions, "keys": keys}
            return asked(ask, self.behaviour, client, block, question)

        return sample

    def shape(self, block: Block, inputs: pa.Array) -> tuple[int, ...]:
        """See :class:`Distribution`; nulls in a file of keys are left out."""
        return (len(inputs),)

    def measure(self, block: Block, inputs: pa.Array, answers: Answers) -> Measures:
        """Keys per partition."""
        return Measures(len(inputs), {"partition": tally(answers, self.partitions)})

    def judge(self, totals: Measures) -> Sequence[Outcome]:
        """Whether all partitions got equally many different keys."""
        return [uniform_test("distinct keys", totals.counts["partition"])]

    def show(self, inputs: pa.Array, event: int) -> str:
        """The key, as bytes."""
        return f"key {inputs[event].as_py()!r}"


class KeyedWithRepeats(Keyed):
    """A family in which keys come again: it is the different keys that are spread evenly."""

    records = 2_000_000
    cost = 0.3

    def __init__(self) -> None:
        super().__init__(ZIPF)

    def measure(self, block: Block, inputs: pa.Array, answers: Answers) -> Measures:
        """Records per partition, and a bitmap of the keys seen in each partition."""
        measures = super().measure(block, inputs, answers)
        seen = np.zeros((self.partitions, ZIPF_KEYS), np.bool_)
        seen[answers, zipf_ranks(block)] = True
        measures.seen["keys"] = np.packbits(seen, axis=1).view(np.int64)
        return measures

    def judge(self, totals: Measures) -> Sequence[Outcome]:
        """Whether all partitions got equally many different keys, however often each came."""
        bits = np.unpackbits(totals.seen["keys"].view(np.uint8), axis=1)
        return [uniform_test("distinct keys", bits.sum(axis=1, dtype=np.int64))]
