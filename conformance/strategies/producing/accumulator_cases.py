"""Histories of an accumulator; see ``behaviours/producing/accumulator.py`` for their words."""

from functools import cache
from typing import Any, Final

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.model.case import Case, Metadata, Operation
from conformance.strategies.histories import pick
from conformance.strategies.integers import int32
from conformance.strategies.metadata import metadata_histories, renamed
from conformance.strategies.names import NAMES_BYTES, topic_names
from conformance.strategies.packed import Choices, packed
from conformance.strategies.producing.choices import (
    OVERHEAD,
    StepsOnOneClock,
    choices_of_steps,
    with_more_partitions,
    with_moved_leaders,
)

_TOPICS: Final = (1, 1, 1, 2, 2, 3)
_BATCH_SIZES: Final = (200, 200, 100, 500, 1000, 16384, 69, 1)
_LINGERS: Final = (0, 5, 50, 50, 15_000, 1)
_BACKOFFS: Final = ((100, 100), (100, 1000), (0, 0), (10, 10), (100, 250), (200, 100))
_DELIVERY_TIMEOUTS: Final = (120_000, 200, 60, 2**31 - 1)
_AVAILABILITY_TIMEOUTS: Final = (0, 0, 10, 50)
_PAUSES: Final = (0, 0, 0, 1, 1, 5, 10, 49, 50, 51, 99, 100, 119, 150, 15_000, 120_000)
_ENDLESS: Final = 1_000_000
_KINDS: Final = (
    *("append",) * 12,
    *("ready", "ready", "drain", "drain", "pass", "pass", "pass", "trip", "trip", "trip", "trip"),
    *("queues", "queues", "parts", "parts", "parts", "retries"),
    *("complete", "complete", "retry", "retry", "split", "split", "fail"),
    *("mute", "mute", "unmute", "unmute", "latency", "latency", "expire", "metadata"),
    *("flush", "end flush", "waiting", "close", "abort incomplete", "abort undrained"),
)
_ENDS: Final = ("complete", "retry", "split", "fail", "complete", "retry", "split", None)
_QUEUES: Final = 6
"""Partitions for each of which a case makes a queue at once, at most."""
_SHORT: Final = 6
"""Sizes, the first, whose records have no key and lengths of one byte."""
_TWO_BATCHES: Final = 5
"""Where a ``max_size`` of two batches of one record stands among others."""
_NODES: Final = 192
"""What is above this in a choice says to how many nodes a drain goes."""
_BUFFERS: Final = 6
"""Fewer buffers than that are little memory."""
_MOST_TURNS: Final = 20
"""Of threads that append together: three pauses of each of four, and some that choose again."""
_ODD: Final = 0x9E3779B1
"""Multiplied by this, numbers at an edge are no longer alike."""
_NOBODY: Final = 77
"""A node that leads nothing."""


@cache
@st.composite
def accumulator_cases(draw: DrawFn, *, chooses: bool, aborts: bool) -> Case:
    """Records of any size, and passes of a sender over them; time goes on in between.

    With ``chooses``, the accumulator finds a partition for records that name none (from 3.3 on);
    with ``aborts``, it can be asked not to open a batch (2.4 to 3.9).
    """
    config, names = draw(_configs())
    history = renamed(draw(metadata_histories(topics=len(names))), names)
    known = [one for one in history if one] or [[(names[0], [[0, 0], [1, 1]])]]
    metadata = with_moved_leaders([*known, with_more_partitions(known[0], 1)])
    operations = draw(choices_of_steps(_KINDS, _PAUSES))
    resolver = _Resolver(config, names, metadata, chooses=chooses, aborts=aborts)
    return {"config": config, "metadata": [*metadata], "steps": resolver.steps(operations)}


@cache
def _configs() -> SearchStrategy[tuple[dict[str, Any], tuple[str, ...]]]:
    def chosen(of: Choices) -> tuple[dict[str, Any], tuple[str, ...]]:
        size = of.one_of(_BATCH_SIZES)
        backoff, most = of.one_of(_BACKOFFS)
        memory = of.one_of((*(32 << 20,) * 5, size, 2 * size, 3 * size, 5 * size))
        config = {
            "batch_size": size,
            "linger_ms": of.one_of(_LINGERS),
            "buffer_memory": max(1, memory + of.between(-1, 1)),
            "backoff_ms": backoff,
            "backoff_max_ms": most,
            "delivery_timeout_ms": of.one_of(_DELIVERY_TIMEOUTS),
            "adaptive": of.below(4) > 0,
            "availability_timeout_ms": of.one_of(_AVAILABILITY_TIMEOUTS),
        }
        return config, topic_names(of, of.one_of(_TOPICS))

    return packed(10 + NAMES_BYTES, chosen)


class _Resolver(StepsOnOneClock):
    """Steps that name earlier ones by their position."""

    most_steps = 110

    def __init__(
        self,
        config: dict[str, Any],
        names: tuple[str, ...],
        metadata: list[Metadata],
        *,
        chooses: bool,
        aborts: bool,
    ) -> None:
        super().__init__(config, names, metadata)
        self._chooses = chooses
        self._aborts = aborts
        scarce = config["buffer_memory"] < _BUFFERS * config["batch_size"]
        self._one_in = 16 if scarce else 32
        """One append in so many has others at the same time: more where they vie for memory."""
        self._drains: list[int] = []
        self._latest: tuple[str, int] = names[0], 0

    def _only(self, chosen: Operation) -> Operation:
        return self._append(chosen)

    def _operation(self, kind: str, chosen: Operation) -> None:
        if kind in ("close", "abort incomplete") and chosen["how"] % 4:
            kind = "append"  # for hardly anything happens after these
        if kind == "append":
            self._steps.append(self._append(chosen))
        elif kind in ("ready", "drain", "pass"):
            self._send(kind, chosen)
        elif kind == "trip":
            self._trip(chosen)
        elif kind == "queues":
            self._queues(chosen)
        elif kind == "parts":
            self._parts(chosen)
        elif kind == "retries":
            self._retries(chosen)
        elif kind in ("complete", "retry", "split", "fail"):
            self._end(kind, chosen)
        else:
            self._other(kind, chosen)

    def _trip(self, chosen: Operation) -> None:
        """A record, or a few; they linger, leave, and something becomes of their batch."""
        apart = chosen["how"] // 32 % 2
        for number in range(1 + chosen["how"] % 4):
            where = self._along(chosen, number) if apart else chosen["where"]
            how = chosen["how"] ^ (128 if number else 0)  # told of, or not
            self._steps.append(self._append({**chosen, "where": where, "how": how}))
        self._pass_time(self._config["linger_ms"])
        self._send("pass", chosen)
        end = _ENDS[chosen["how"] // 4 % len(_ENDS)]
        if end is not None:
            self._end(end, {**chosen, "how": chosen["how"] // 256 * 8})

    def _parts(self, chosen: Operation) -> None:
        """A batch that is drained at once and comes back in parts; a newer one is behind them."""
        drain, first = {**chosen, "where": 0xA000}, {**chosen, "how": 0}
        many = chosen["how"] % 2
        uneven = 32 if chosen["how"] // 8 % 2 else 0
        for number in range(1 + 3 * many):
            size = (chosen["size"] % 64 + uneven * (number % 3)) % 256
            self._steps.append({**self._append({**chosen, "size": size}), "abort": False})
            self._now += chosen["how"] // 4 % 3
        self._send("drain", drain)
        if not many:
            self._steps.append(self._append(chosen))
        elif chosen["how"] // 2 % 2:
            self._pass_time(10)
            self._end("retry", first)
            self._pass_time(2 * self._config["backoff_max_ms"])
            self._send("drain", drain)
        self._end("split", first)
        self._send("ready", chosen)
        self._steps.append({"op": "expire", "now": self._now, "reset": True})
        if many:  # since 4.2 the part is halved
            self._send("drain", drain)
            self._end("split", first)
            for _ in range(2):
                self._send("drain", drain)
                self._end("complete", first)

    def _retries(self, chosen: Operation) -> None:
        """A batch that is sent again and again, backs off longer each time, and may expire."""
        began = self._now
        self._steps.append(self._append(chosen))
        if chosen["how"] // 16 % 2:
            self._epoch = max(self._epoch, 1)
        for number in range(2 + chosen["how"] % 4):
            self._send("drain", {**chosen, "where": 0xA000})
            self._end("retry", {**chosen, "how": 0})
            self._epoch += chosen["how"] // 64 % 4 == number
            draw = [chosen["draw"][0] + number * 0x3C6EF35F, chosen["draw"][1]]
            late = 0x300 if number % 2 else 0  # metadata from before, with an older epoch
            how = chosen["how"] & ~0x300 | late
            self._send("ready", {**chosen, "how": how, "draw": [int32(draw[0]), draw[1]]})
            self._pass_time(2 * self._config["backoff_max_ms"])
        expiry = began + self._config["delivery_timeout_ms"] + chosen["where"] % 3 - 1
        if chosen["how"] // 2048 % 2 and self._now <= expiry < 2**30:
            self._now = expiry
            self._steps.append({"op": "expire", "now": expiry, "reset": True})

    def _queues(self, chosen: Operation) -> None:
        """Batches for each partition of a topic, and a look at them; a node may be late by then."""
        where, how = chosen["where"], chosen["how"]
        known = self._metadata[self._known]
        topic, partitions = known[where % len(known)] if known else (self._names[0], [])
        alike = how // 64 % 4 == 3
        if alike:
            chosen = {**chosen, "size": chosen["size"] % _SHORT * 16}
        for at, (number, _) in enumerate(partitions[:_QUEUES]):
            for _ in range(1 if alike else 1 + (how >> at) % 2 + (where >> at) % 2):
                step = self._append({**chosen, "where": 0, "how": 0})
                self._steps.append({**step, "topic": topic, "partition": number, "told": True})
        leaders = [leader for _, leader in partitions if leader is not None]
        timeout = self._config["availability_timeout_ms"]
        if self._chooses and timeout and leaders:
            node = {"op": "latency", "node": leaders[how // 256 % len(leaders)]}
            if how // 16 % 4:
                self._steps.append({**node, "now": self._now, "can_drain": True})
            self._pass_time(timeout + how // 4096 % 3 - 1)
            self._steps.append({**node, "now": self._now, "can_drain": False})
        if alike:  # a request of two of them is full to the byte
            self._send("ready", chosen)
            self._send("drain", {**chosen, "where": _TWO_BATCHES + _NODES * len(leaders)})
        else:
            self._send("pass", {**chosen, "where": where // 8 * 6 + (5 if how & 1 else 0)})
        if how // 2 % 2:
            # There may be more partitions than have a queue by then.
            wider = [at for at, one in enumerate(self._metadata) if self._has_more(one, topic)]
            before = (self._known - 1) % len(self._metadata)
            self._known = wider[where % len(wider)] if wider else before
            self._send("ready", chosen)

    def _has_more(self, metadata: Metadata, topic: str) -> bool:
        """Whether a topic has more partitions there than now."""
        now, then = dict(self._metadata[self._known] or []), dict(metadata or [])
        return len(then.get(topic, [])) > len(now.get(topic, []))

    def _append(self, chosen: Operation) -> Operation:
        where, how = chosen["where"], chosen["how"]
        step = {
            "op": "append",
            **self._record(where, chosen["size"]),
            "abort": self._aborts and how % 8 == 7,
            "now": self._now,
            "metadata": self._known,
            "draw": chosen["draw"],
        }
        step["told"] = True
        if step["partition"] is not None:
            self._latest = step["topic"], step["partition"]
            step["told"] = how // 128 % 2 == 0
        if how // 8 % self._one_in == self._one_in - 1:
            others = self._others(step, chosen)
            step |= {"meanwhile": others, "order": _order(chosen, 1 + len(others))}
        return step

    def _others(self, step: Operation, chosen: Operation) -> list[dict[str, Any]]:
        """What other threads append at the same time: one record, two, or three."""
        how, where, size = chosen["how"], chosen["where"], chosen["size"]
        others = []
        for number in range((1, 1, 2, 3)[where // 512 % 4]):
            other = self._record(where // 7 + number, size // (2 + number))
            if step["partition"] is None and how // 512 % 8 > number:
                # What fills a batch of the same topic changes its next partition.
                other = self._record(where // 7, 128 + size // 2)
                other |= {"topic": step["topic"], "partition": None}
            if (where // 2048 + 3 * number) % 4 == 3:  # metadata come between the two
                later = 1 + where // 8192 % 2 + number
                other["metadata"] = (self._known + later) % len(self._metadata)
            others.append(other)
        return others

    def _record(self, where: int, size: int) -> dict[str, Any]:
        where, topic_at = divmod(where, len(self._names))
        topic = self._names[topic_at]
        known = dict(self._metadata[self._known])
        numbers = [number for number, _ in known.get(topic, [])] or [0]
        where, chosen = divmod(where, 4)
        partition: int | None = numbers[where % len(numbers)]
        if self._chooses and chosen:
            partition = None
        key = (None, None, b"", b"key")[size % 4]
        return {"topic": topic, "partition": partition, "key": key, "size": self._size(size)}

    def _send(self, kind: str, chosen: Operation) -> None:
        # Clocks of machines go back now and then.
        now = max(0, self._now - 5) if chosen["how"] // 2048 % 16 == 15 else self._now
        seen = {"now": now, "metadata": self._known, "epoch": self._epoch_seen(chosen)}
        drawn = {**seen, "draw": chosen["draw"]}
        where = chosen["where"]
        two_batches = 2 * (OVERHEAD + (self._size(chosen["size"]) or 0))
        sizes = (_ENDLESS, _ENDLESS, 1, 2 * self._config["batch_size"], 300, two_batches)
        most = {"max_size": sizes[where % len(sizes)]}
        if kind in ("ready", "pass"):
            self._steps.append({"op": "ready", **drawn})
        if kind == "ready":
            return
        self._drains.append(len(self._steps))
        if kind == "pass":
            ready = {"step": len(self._steps) - 1}
            self._steps.append({"op": "drain", "of": ready, **most, **drawn})
            return
        leaders = sorted(
            {leader for _, parts in self._metadata[self._known] for _, leader in parts} - {None}
        )
        if where // 6 % 32 == 31:
            leaders.insert(0, _NOBODY)
        nodes = leaders[: 1 + where // _NODES % max(1, len(leaders))]
        self._steps.append(
            {"op": "drain", "nodes": nodes[:: 1 - where // 256 % 2 * 2], **most, **drawn}
        )

    def _epoch_seen(self, chosen: Operation) -> int:
        """The latest epoch; rarely an older one, as of metadata that came late."""
        how: int = chosen["how"]
        if how // 4096 % 8 == 7:
            self._epoch += 1
        return max(-1, self._epoch - int(how // 256 % 4 == 3))

    def _end(self, kind: str, chosen: Operation) -> None:
        if not self._drains:
            return
        # Mostly of the last drains, for older batches are no longer in flight.
        how, where = chosen["how"], chosen["where"]
        of = pick(self._drains, (0, 0, 0, 1, 1, 2, 3, where)[how % 8])
        number = (0, 0, 1, 0, 2, 3)[how // 8 % 6]
        step = {"op": kind, "of": {"step": of}, "number": number}
        if kind == "retry":
            step["now"] = self._now
        if kind == "complete":
            step["twice"] = how // 64 % 16 == 15
        self._steps.append(step)
        if how // 1024 % 4 == 3:
            another = ("complete", "fail", "abort")[how // 4096 % 3]
            again = {"op": "again", "of": step["of"], "number": number, "how": another}
            self._steps.append(again)

    def _other(self, kind: str, chosen: Operation) -> None:
        where, how = chosen["where"], chosen["how"]
        if kind == "expire":
            if how // 2 % 4 == 3 and self._now + self._config["delivery_timeout_ms"] < 2**30:
                self._steps.append(self._append(chosen))
                self._now += max(0, self._config["delivery_timeout_ms"] + where % 3 - 1)
            self._steps.append({"op": kind, "now": self._now, "reset": how % 2 == 0})
        elif kind in ("mute", "unmute"):
            self._mute(kind, chosen)
        elif kind == "latency":
            if self._chooses:
                node = {"node": where % 3, "now": self._now, "can_drain": how % 2 == 1}
                self._steps.append({"op": kind, **node})
        elif kind == "waiting":
            self._steps.append({"op": kind, "threads": how % 3})
        elif kind == "end flush":
            begun: list[Operation] = [{"op": "flush"}] * (how % 3)
            self._steps += [*begun, {"op": kind}, self._append(chosen)]
            self._send("ready", chosen)
        elif kind == "close":
            self._steps += [self._append(chosen), {"op": kind}]
            self._send("ready", chosen)
        else:
            self._steps.append({"op": kind})
            if kind == "abort incomplete" and self._drains:
                of = {"of": {"step": self._drains[-1]}, "number": 0}
                self._steps.append({"op": "again", **of, "how": ("complete", "fail")[how // 8 % 2]})

    def _mute(self, kind: str, chosen: Operation) -> None:
        how = chosen["how"]
        topic, partition = self._latest
        at = {"topic": topic, "partition": partition}
        if kind == "mute":
            self._steps.append({"op": kind, **at})
            return
        until = (0, self._now, self._now + 1, self._now + 50)[how % 4]
        if how // 4 % 2:
            # Its batch shows whether it is muted, before that time and then.
            self._steps += [{**self._append(chosen), **at}, {"op": kind, **at, "until": until}]
            self._send("ready", chosen)
            self._now = max(self._now, until)
            self._send("pass", chosen)
        else:
            self._steps.append({"op": kind, **at, "until": until})


def _order(chosen: Operation, threads: int) -> list[int]:
    """In which order threads go on; the lowest first, where it tells nothing."""
    first, tail = chosen["draw"]
    number = (first * _ODD) % 2**32 + (tail << 32) + (chosen["how"] >> 13 << 42)
    order: list[int] = []
    while number and len(order) < _MOST_TURNS:
        number, thread = divmod(number, threads)
        order.append(thread)
    return order
