"""The ports by themselves: their public API, their errors, without Java."""

import subprocess
import sys

import pytest

from python_impl import (
    Cluster,
    JavaError,
    PartitionInfo,
    kafka_2_3_1,
    kafka_3_2_3,
    kafka_3_8_0,
    partition_for_key,
    to_positive,
)
from python_impl.errors import (
    JavaArithmeticError,
    JavaArrayIndexOutOfBoundsError,
    JavaAssertionError,
    JavaIllegalArgumentError,
    JavaIndexOutOfBoundsError,
    JavaNullPointerError,
)
from python_impl.int32 import int32, remainder


def test_importing_the_ports_needs_neither_java_nor_numpy() -> None:
    heavy = "{'jpype', 'pyspark', 'numpy', 'pyarrow', 'numba', 'hypothesis', 'conformance'}"
    code = f"import sys, python_impl; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("value", "wrapped"),
    [(0, 0), (2**31 - 1, 2**31 - 1), (2**31, -(2**31)), (-(2**31) - 1, 2**31 - 1), (2**32, 0)],
)
def test_int32_wraps(value: int, wrapped: int) -> None:
    assert int32(value) == wrapped


@pytest.mark.parametrize(
    ("dividend", "divisor", "result"),
    [(7, 3, 1), (-7, 3, -1), (7, -3, 1), (-7, -3, -1), (-(2**31), -1, 0), (0, 5, 0)],
)
def test_remainder_has_the_sign_of_the_dividend(dividend: int, divisor: int, result: int) -> None:
    assert remainder(dividend, divisor) == result


def test_to_positive_clears_the_sign() -> None:
    assert [to_positive(n) for n in (-(2**31), -1, 0, 5)] == [0, 2**31 - 1, 0, 5]


def test_partition_for_key() -> None:
    # murmur2("foobar") is -790332482, a vector from Kafka's own tests.
    assert partition_for_key(b"foobar", 10) == (-790332482 & 0x7FFFFFFF) % 10
    with pytest.raises(JavaArithmeticError):
        partition_for_key(b"foobar", 0)
    with pytest.raises(JavaNullPointerError):
        partition_for_key(None, 3)
    with pytest.raises(ValueError, match="num_partitions is a Java int"):
        partition_for_key(b"foobar", 2**31)
    with pytest.raises(TypeError):
        partition_for_key(b"foobar", 2.5)  # type: ignore[arg-type]


def test_cluster_keeps_the_order_and_knows_what_is_available() -> None:
    infos = [PartitionInfo("t", 9, 1), PartitionInfo("u", 0, 0), PartitionInfo("t", 2, None)]
    cluster = Cluster(infos)
    assert [info.partition for info in cluster.partitions_for_topic("t")] == [9, 2]
    assert [info.partition for info in cluster.available_partitions_for_topic("t")] == [9]
    assert list(cluster.partitions_for_topic("unknown")) == []
    assert len(Cluster.of({"my-topic": 2}, t=3).partitions_for_topic("my-topic")) == 2
    assert [info.partition for info in Cluster.of(t=3).partitions_for_topic("t")] == [0, 1, 2]


def test_every_version_exports_its_partitioners() -> None:
    assert set(kafka_2_3_1.__all__) == {"VERSION", "DefaultPartitioner"}
    assert "BuiltInPartitioner" not in kafka_3_2_3.__all__
    for module in (kafka_2_3_1, kafka_3_2_3, kafka_3_8_0):
        assert all(hasattr(module, name) for name in module.__all__)


def test_the_partitioners_draw_by_themselves_if_nobody_gives_them_a_source() -> None:
    cluster = Cluster.of(t=4)
    chosen = {kafka_2_3_1.DefaultPartitioner().partition("t", None, cluster) for _ in range(200)}
    assert chosen == {0, 1, 2, 3}
    sticky = kafka_3_2_3.DefaultPartitioner()
    first = sticky.partition("t", None, cluster)
    assert sticky.partition("t", None, cluster) == first == sticky.sticky_partition("t")
    sticky.on_new_batch("t", cluster, first)
    assert sticky.partition("t", None, cluster) != first
    built_in = kafka_3_8_0.BuiltInPartitioner("t", 100)
    assert built_in.peek(cluster).partition() in {0, 1, 2, 3}


def test_errors_name_their_java_class_and_are_python_errors() -> None:
    expected = {
        JavaArithmeticError: ("java.lang.ArithmeticException", ZeroDivisionError),
        JavaNullPointerError: ("java.lang.NullPointerException", TypeError),
        JavaIllegalArgumentError: ("java.lang.IllegalArgumentException", ValueError),
        JavaIndexOutOfBoundsError: ("java.lang.IndexOutOfBoundsException", IndexError),
        JavaArrayIndexOutOfBoundsError: (
            "java.lang.ArrayIndexOutOfBoundsException",
            JavaIndexOutOfBoundsError,
        ),
        JavaAssertionError: ("java.lang.AssertionError", AssertionError),
    }
    for error, (java_class, python_class) in expected.items():
        assert error.java_class == java_class
        assert issubclass(error, python_class)
        assert issubclass(error, JavaError)


def test_load_stats_are_read_only_through_the_partitioner() -> None:
    partitioner = kafka_3_8_0.BuiltInPartitioner("t", 1)
    assert partitioner.load_stats is None
    partitioner.update_partition_load_stats([0, 3, 1], [0, 1, 2], 3)
    assert partitioner.load_stats is not None
    assert list(partitioner.load_stats.table) == [4, 5, 8]
    assert partitioner.load_stats_range_end() == 8
    partitioner.update_partition_load_stats(None, [], 0)
    with pytest.raises(JavaNullPointerError):
        partitioner.load_stats_range_end()
