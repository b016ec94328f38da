"""Which behaviours can see which file of the port."""

from collections.abc import Mapping
from typing import Final

from conformance.engine.plan import make_plan
from conformance.model.results import Cell

_STICKY = ("sticky-cache", "sticky", "uniform-sticky")
_BUILT_IN = ("built-in", "adaptive")
_SENDS = ("round-robin-sends", "round-robin")
_IN_TURN = ("round-robin-null-key", "round-robin")
_KEYED = ("keyed", "explicit-partition")
_RECORDS = ("record-sizes", "record-batch")
_COLUMNS = "record-columns"
_READ = "batch-reading"
_ACCUMULATOR = ("accumulator", "producer")
_CONFIGURED = "configured-producer"

SEEN_BY: dict[str, tuple[str, ...]] = {
    "__init__.py": ("murmur2", "keyed", "keyed-columns", "serialized-keys"),
    "cluster.py": (*_IN_TURN, *_KEYED, "sticky", "built-in", "rack-aware"),
    "column_loop.py": ("keyed-columns",),
    "columns.py": ("keyed-columns",),
    "deserializers.py": (_READ,),
    "errors.py": (*_IN_TURN, *_KEYED, *_STICKY, *_BUILT_IN, "load-stats", "record-batch"),
    "hash_order.py": _ACCUMULATOR,
    "int32.py": (*_IN_TURN, "murmur2", *_KEYED, "sticky-cache", *_BUILT_IN, "load-stats"),
    "kafka_2_3_1.py": ("round-robin-null-key", *_KEYED, "record-batch"),
    "kafka_3_2_3.py": (*_SENDS, *_STICKY, *_KEYED, "record-batch"),
    "kafka_3_8_0.py": (*_SENDS, *_STICKY, *_KEYED, *_BUILT_IN, "record-batch"),
    "kafka_4_4_0.py": (*_SENDS, *_KEYED, *_BUILT_IN, "rack-aware", "record-batch"),
    "murmur2.py": ("murmur2", "keyed", "serialized-keys", "keyed-columns"),
    "murmur2_kernel.py": ("keyed-columns",),
    "murmur2_numpy.py": ("keyed-columns",),
    "producer/__init__.py": (),
    "producer/backoff.py": (*_ACCUMULATOR, _CONFIGURED),
    "producer/buffer_pool.py": _ACCUMULATOR,
    "producer/built_in_partitioner.py": (*_BUILT_IN, "load-stats", "rack-aware"),
    "producer/default_partitioner.py": ("round-robin-null-key", "sticky", "keyed"),
    "producer/interceptors.py": ("producer",),
    "producer/kafka_producer.py": ("producer", _CONFIGURED, "round-robin-sends"),
    "producer/keyed.py": _KEYED,
    "producer/late_returning_sender.py": ("producer",),
    "producer/load_stats.py": ("load-stats", "adaptive", "rack-aware"),
    "producer/partition_accumulator.py": _ACCUMULATOR,
    "producer/partition_producer.py": ("producer", _CONFIGURED),
    "producer/partition_sender.py": ("producer",),
    "producer/produce_request.py": ("producer",),
    "producer/producer_batch.py": _ACCUMULATOR,
    "producer/producer_id.py": ("producer",),
    "producer/producer_id_requests.py": ("producer",),
    "producer/producer_metadata.py": ("producer",),
    "producer/producer_record.py": ("explicit-partition",),
    "producer/producer_sends.py": ("round-robin-sends",),
    "producer/producer_settings.py": ("producer", _CONFIGURED),
    "producer/protocol_errors.py": ("producer",),
    "producer/rack_aware_partitioner.py": ("rack-aware", "adaptive"),
    "producer/record_accumulator.py": _ACCUMULATOR,
    "producer/resetting_transaction_manager.py": ("producer",),
    "producer/round_robin_partitioner.py": ("round-robin", "round-robin-sends"),
    "producer/sender.py": ("producer",),
    "producer/sequences.py": ("producer",),
    "producer/sticky_partition_cache.py": _STICKY,
    "producer/topic_accumulator.py": _ACCUMULATOR,
    "producer/topic_counters.py": _IN_TURN,
    "producer/transaction_manager.py": ("producer",),
    "producer/txn_partition_map.py": ("producer",),
    "producer/uniform_sticky_partitioner.py": ("uniform-sticky",),
    "producer/waiting_pool.py": (),
    "randomness.py": (),
    "records/__init__.py": (*_RECORDS, _READ),
    "records/batch.py": ("record-batch", "record-sizes"),
    "records/builder.py": ("record-batch",),
    "records/column_writer.py": (_COLUMNS,),
    "records/column_writer_kernel.py": (_COLUMNS,),
    "records/compiled.py": (_READ,),
    "records/compression.py": ("record-batch", "compression-ratio"),
    "records/compression_ratio.py": ("compression-ratio",),
    "records/control_record.py": ("record-batch",),
    "records/decompression.py": ("codec-streams", _READ),
    "records/float32.py": ("compression-ratio", "record-batch"),
    "records/header_reading.py": (_READ,),
    "records/loops.py": (_READ,),
    "records/producer_state.py": ("record-batch",),
    "records/reader.py": (_READ,),
    "records/record.py": _RECORDS,
    "records/segment.py": (_READ,),
    "records/segment_columns.py": (_READ,),
    "records/segment_kernel.py": (_READ,),
    "records/segment_pieces.py": (_READ,),
    "records/sized_builder.py": (),
    "records/table_types.py": (_COLUMNS,),
    "records/varint_reading.py": (_READ,),
    "records/varints.py": _RECORDS,
    "records/xxhash32.py": ("codec-streams", _READ),
    "records/zstd_frames.py": (_READ,),
    "serializers.py": ("serialized-keys", "record-batch"),
}
"""By file: the behaviours whose cases run through it, in the order in which they are asked.

A file that no behaviour of the suite sees (``randomness.py``: every case hands its draws over;
``sized_builder.py``: the drains have it, and tests hold it to the builder that writes;
``waiting_pool.py``: tests hold it to real threads) has none; see :data:`TESTED_BY`.
"""


_EDGES: Final = ("tests/fast/test_producer_edges.py",)
_READING: Final = ("tests/fast/test_batch_reading.py",)
_LIMITS: Final = ("tests/fast/test_reading_limits.py",)
_ARGUMENTS: Final = ("tests/fast/test_record_arguments.py",)
_BROKERS: Final = ("tests/oracle/test_what_brokers_write.py",)

TESTED_BY: Final[Mapping[str, tuple[str, ...]]] = {
    "column_loop.py": ("tests/fast/test_column_loop.py",),
    "deserializers.py": _READING,
    "hash_order.py": _EDGES,
    "producer/kafka_producer.py": _EDGES,
    "producer/produce_request.py": _EDGES,
    "producer/producer_batch.py": _EDGES,
    "producer/producer_id.py": _EDGES,
    "producer/producer_metadata.py": _EDGES,
    "producer/producer_record.py": _EDGES,
    "producer/producer_settings.py": (
        "tests/fast/test_producer_settings.py",
        "tests/oracle/test_producer_settings.py",
    ),
    "producer/protocol_errors.py": ("tests/oracle/test_protocol_errors.py",),
    "producer/topic_accumulator.py": (*_EDGES, "tests/examples/test_producer.py"),
    "producer/transaction_manager.py": _EDGES,
    "producer/waiting_pool.py": ("tests/oracle/test_waiting_pool.py",),
    "randomness.py": ("tests/fast/test_port.py",),
    "records/__init__.py": ("tests/fast/test_column_writer.py",),
    "records/batch.py": (*_ARGUMENTS, *_BROKERS),
    "records/builder.py": (
        *_ARGUMENTS,
        "tests/fast/test_append_if_room.py",
        "tests/fast/test_sized_builder.py",
        *_BROKERS,
    ),
    "records/control_record.py": _ARGUMENTS,
    "records/decompression.py": ("tests/fast/test_decompression.py", *_LIMITS),
    "records/float32.py": ("tests/fast/test_record_batches.py",),
    "records/loops.py": _READING,
    "records/reader.py": (*_READING, *_LIMITS),
    "records/record.py": _ARGUMENTS,
    "records/segment.py": (*_READING, "tests/fast/test_segment_files.py"),
    "records/segment_columns.py": (*_READING, *_LIMITS),
    "records/segment_kernel.py": (*_READING, *_LIMITS),
    "records/segment_pieces.py": _READING,
    "records/sized_builder.py": ("tests/fast/test_sized_builder.py",),
    "records/zstd_frames.py": ("tests/fast/test_zstd_frames.py",),
}
"""By file: its unit tests, for what cases cannot see of it."""


def cells_seeing(file: str) -> list[Cell]:
    """The cells whose cases run through a file of the port, the sharpest behaviour first."""
    seen_by = SEEN_BY[file]
    cells = [cell for cell in make_plan().cells if cell.behaviour in seen_by]
    return sorted(cells, key=lambda cell: seen_by.index(cell.behaviour))
