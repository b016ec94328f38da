"""Settings of a producer; see ``behaviours/producing/producer.py`` for their words."""

from functools import cache
from typing import Any, Final

from hypothesis.strategies import SearchStrategy

from conformance.strategies.names import NAMES_BYTES, topic_names
from conformance.strategies.packed import Choices, packed
from conformance.strategies.producing.producer_steps import OWN_PARTITIONER, UNKNOWN_TOPIC

_TOPICS: Final = (1, 1, 2, 2, 3)
_BATCH_SIZES: Final = (200, 200, 100, 500, 1000, 16384, 69, 1)
_LINGERS: Final = (0, 5, 50, 0, 1, 1000)
_BACKOFFS: Final = ((100, 100), (100, 1000), (0, 0), (10, 10), (100, 250), (10, 40))
_REQUEST_TIMEOUTS: Final = (30, 1000, 30_000)
_MORE_TIME: Final = (0, 0, 1, 70, 120_000)
"""By how much ``delivery.timeout.ms`` is more than it must be."""
_AVAILABILITY_TIMEOUTS: Final = (0, 10, 10, 50)
_RETRIES: Final = (2**31 - 1, 2**31 - 1, 2**31 - 1, 0, 1, 2)
_ACKS: Final = (-1, -1, 1, 1, 0)
_MAX_BLOCKS: Final = (60_000, 0, 10, 50)
_MAX_REQUESTS: Final = (1 << 20, 1 << 20, 300, 150, 500)
_COMPRESSIONS: Final = (*("none",) * 5, "gzip")
USUAL_PERCENT: Final = 100
_PERCENTS: Final = (USUAL_PERCENT, 50, 25, 25)
"""Percent to which records of a topic are thought to be compressed, before the first batch."""


@cache
def producer_configs(
    partitioners: tuple[str, ...],
) -> SearchStrategy[tuple[dict[str, Any], tuple[str, ...]]]:
    """Settings, and names of topics; ``partitioners`` are classes that can be chosen."""

    def chosen(of: Choices) -> tuple[dict[str, Any], tuple[str, ...]]:
        size, linger = of.one_of(_BATCH_SIZES), of.one_of(_LINGERS)
        backoff, longest = of.one_of(_BACKOFFS)
        memory = of.one_of((*(32 << 20,) * 5, size, 2 * size, 3 * size, 5 * size))
        request_timeout = of.one_of(_REQUEST_TIMEOUTS)
        idempotent = of.below(9) > 4
        compression, percent = of.one_of(_COMPRESSIONS), of.one_of(_PERCENTS)
        most = of.one_of(_MAX_REQUESTS)
        if compression == "none":
            percent = USUAL_PERCENT
        if percent != USUAL_PERCENT:  # then nothing else shall keep records out of a batch
            size, memory, most = min(max(size, 200), 500), 32 << 20, 1 << 20
        config = {
            "batch_size": size,
            "linger_ms": linger,
            "buffer_memory": max(1, memory + of.between(-1, 1)),
            "retry_backoff_ms": backoff,
            "retry_backoff_max_ms": longest,
            "request_timeout_ms": request_timeout,
            "delivery_timeout_ms": linger + request_timeout + of.one_of(_MORE_TIME),
            "adaptive": of.below(4) > 0,
            "availability_timeout_ms": of.one_of(_AVAILABILITY_TIMEOUTS),
            "idempotence": idempotent,
            "max_request_size": most,
            "max_in_flight": of.one_of((5, 5, 1, 2, 4, 1, 3)),
            "acks": -1 if idempotent else of.one_of(_ACKS),
            "retries": max(int(idempotent), of.one_of(_RETRIES)),
            "max_block_ms": of.one_of(_MAX_BLOCKS),
            "ignore_keys": of.below(4) == 3,
            "partitioner": of.one_of((*(None,) * 5, OWN_PARTITIONER, *partitioners)),
            "compression": compression,
            "estimated_percent": percent,
            "invalid_topic": of.one_of((*(None,) * 7, UNKNOWN_TOPIC)),
        }
        return config, topic_names(of, of.one_of(_TOPICS))

    return packed(20 + NAMES_BYTES, chosen)
