"""The behaviours that the suite checks: one module each, registered here."""

from conformance.behaviours.partitioning.adaptive import Adaptive
from conformance.behaviours.partitioning.built_in import BuiltIn
from conformance.behaviours.partitioning.explicit_partition import ExplicitPartition
from conformance.behaviours.partitioning.keyed import Keyed, KeyedColumns
from conformance.behaviours.partitioning.load_stats import LoadStats
from conformance.behaviours.partitioning.murmur2 import Murmur2
from conformance.behaviours.partitioning.rack_aware import RackAware
from conformance.behaviours.partitioning.round_robin import RoundRobin
from conformance.behaviours.partitioning.round_robin_null_key import RoundRobinNullKey
from conformance.behaviours.partitioning.round_robin_sends import RoundRobinSends
from conformance.behaviours.partitioning.serialized_keys import SerializedKeys
from conformance.behaviours.partitioning.sticky import Sticky
from conformance.behaviours.partitioning.sticky_cache import StickyCache
from conformance.behaviours.partitioning.uniform_sticky import UniformSticky
from conformance.behaviours.producing.accumulator import Accumulator
from conformance.behaviours.producing.configured_producer import ConfiguredProducer
from conformance.behaviours.producing.producer import Producer
from conformance.behaviours.records.batch_reading import BatchReading
from conformance.behaviours.records.codec_streams import CodecStreams
from conformance.behaviours.records.compression_ratio import CompressionRatio
from conformance.behaviours.records.record_batch import RecordBatch
from conformance.behaviours.records.record_columns import RecordColumns
from conformance.behaviours.records.record_sizes import RecordSizes
from conformance.model.behaviour import Behaviour

BEHAVIOURS: tuple[Behaviour, ...] = (
    Murmur2(),
    Keyed(),
    KeyedColumns(),
    SerializedKeys(),
    ExplicitPartition(),
    RoundRobinNullKey(),
    RoundRobin(),
    RoundRobinSends(),
    Sticky(),
    UniformSticky(),
    StickyCache(),
    BuiltIn(),
    LoadStats(),
    Adaptive(),
    RackAware(),
    RecordSizes(),
    CompressionRatio(),
    RecordBatch(),
    RecordColumns(),
    BatchReading(),
    CodecStreams(),
    Accumulator(),
    Producer(),
    ConfiguredProducer(),
)
"""In the order of the matrix."""

OF_JARS = tuple(behaviour for behaviour in BEHAVIOURS if behaviour.for_jars)
"""Those in which two jars can differ."""
