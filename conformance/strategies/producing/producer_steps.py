"""Single steps of a producer's histories, of which :mod:`.producer_cases` makes cases."""

from typing import Any, Final

from conformance.model.case import Operation
from conformance.strategies.producing.choices import StepsOnOneClock

RETRIABLE: Final = (6, 7, 3, 5, 13, 19, 20, 2, 56, 74, 89, 100)
_FATAL: Final = (17, 18, 21, 29, 31, 32, 35, 43, 44, 45, 47, 59, 76, 87, -1, 46, 200, 9, 49)
_OF_SEQUENCES: Final = (45, 59, 45, 59, 46, 49, 49, 47, 90)
"""What a broker answers that does not expect a sequence, or does not know the producer."""
TOO_LARGE: Final = 10
MISMATCH: Final = "mismatch"
NO_ANSWERS: Final = ("disconnect", "time out", MISMATCH)
_HOWS: Final = (*("answer",) * 9, *NO_ANSWERS)
UNKNOWN_TOPIC: Final = "unknown"
CALLBACK: Final = "callback"
_FORBIDDEN: Final = "authorization of key"
REFUSALS: Final = (
    *(None, "key", "value", "class of key", "class of value"),
    *(_FORBIDDEN, CALLBACK),
)
"""What a serializer does not take, or that a callback throws; by ``ProducerHistory``'s numbers."""
OWN_PARTITIONER: Final = "own"
"""A ``partitioner.class`` that is none of Kafka's."""
THROWS: Final = "throws"
NO_RECORD: Final = "no record"
"""What an interceptor hands on that hands on null."""
ERRORS: Final = ("unauthorized", "invalid")
"""What metadata tell of a topic."""
_OF_LARGEST: Final = 86
"""Bytes by which the producer estimates a request to be larger than a value of 64 to 8191 bytes."""
_EPOCHS: Final = (0, 0, 0, 3, 2**15 - 2, 2**15 - 1)
_ANSWER: Final = "answer"
_Turns = list[list[Any]]
_NO_IDS: Final[tuple[_Turns, ...]] = (
    [],
    [["disconnect", 0, 0, 0]],
    [["no node", 0, 0, 0]],
    [["no connection", 0, 0, 0]],
    [[_ANSWER, 14, -1, -1]],
    [[_ANSWER, 51, -1, -1]],
    [[_ANSWER, 7, -1, -1]],
    [["no connection", 0, 0, 0], ["disconnect", 0, 0, 0]],
)
"""What comes of a request for a producer id, which is then sent again."""
_REFUSED_IDS: Final[tuple[_Turns, ...]] = (
    *([[_ANSWER, code, -1, -1]] for code in (31, 31, 53, 47, 90, 35, -1)),
    [[MISMATCH, 0, 0, 0]],
)


class ProducerSteps(StepsOnOneClock):
    """Turns choices into steps on one clock; see :class:`.producer_cases.ProducerScenarios`."""

    most_steps = 90

    def steps(self, operations: list[Operation]) -> list[Operation]:
        """The steps; one at least. After some, all is given up, and an answer comes after that."""
        steps, last = super().steps(operations), operations[-1]
        if last["how"] // 512 % 4 < 3:
            return steps
        self._steps = [*steps, {"op": "force close"}]
        self._respond(last, (TOO_LARGE, None)[last["how"] // 2048 % 2])
        return self._steps

    def _only(self, chosen: Operation) -> Operation:
        return self._send(chosen)

    def _operation(self, kind: str, chosen: Operation) -> None:
        how: int = chosen["how"]
        if kind in ("close", "force close") and how % 4:
            kind = "send"  # for hardly anything happens after these
        if kind == "send":
            self._steps.append(self._send(chosen))
        elif kind == "pass":
            self._pass(chosen)
        elif kind == "respond":
            self._respond(chosen)
        elif kind in ("flush", "end flush", "close", "force close"):
            self._steps.append({"op": kind})
        else:
            getattr(self, f"_{kind}")(chosen)

    # One step.

    def _send(self, chosen: Operation) -> Operation:
        where, how = chosen["where"], chosen["how"]
        kind = how // 64 % 32
        where, topic_at = divmod(where, len(self._names))
        topic = self._names[topic_at]
        numbers = [number for number, _ in dict(self._metadata[self._known]).get(topic, [])]
        where, named = divmod(where, 4)
        partition = (numbers or [0])[where % len(numbers or [0])] if named == 0 else None
        if kind == 31:
            partition = len(numbers) + how // 2048 % 2
        if kind == 30:
            topic = UNKNOWN_TOPIC
        step = {
            "op": "send",
            "topic": topic,
            "partition": partition,
            "key": (None, None, b"", b"key")[chosen["size"] % 4],
            "size": self._largest(how) if kind == 29 else self._size(chosen["size"]),
            "arrivals": [],
            "refuses": self._refusal(kind, how // 2048),
            **self._seen(how),
            "draw": chosen["draw"],
        }
        if self._config["partitioner"] == OWN_PARTITIONER:
            step["answers"] = self._answers(numbers or [0], chosen["where"], how)
        if kind in (20, 21, 22):
            step["timestamp"] = self._timestamp(how // 2048)
        if kind in (22, 23, 24, 25):
            large = self._config["batch_size"] * (how // 2048 % 2)
            step["header"] = large + (self._size(chosen["where"] // 16 % 256) or 0)
        if kind in (25, 26):
            step["replacements"] = self._replacements(how // 2048, chosen["where"])
        return step

    @staticmethod
    def _refusal(kind: int, how: int) -> str | None:
        if kind in (16, 17):
            return CALLBACK
        if kind == 19:
            return _FORBIDDEN
        return REFUSALS[1 + how % 5] if kind in (18, 28) else None

    def _timestamp(self, how: int) -> str:
        """A record's own: the first, one that is refused, the last, or near the clock's."""
        return str((0, -1, 2**63 - 1, self._now + 1, max(0, self._now - 1))[how % 5])

    def _answers(self, numbers: list[int], where: int, how: int) -> list[int | None]:
        """What a partitioner answers, when it is asked and when it is asked again."""
        kind, first = how // 64 % 32, numbers[where // 16 % len(numbers)]
        if 14 <= kind < 28:
            odd = (-1, None, len(numbers), 2**31 - 1)[how // 2048 % 4]
            return [odd] if how // 8192 % 2 else [first, odd]
        return [first, numbers[where // 64 % len(numbers)]]

    def _replacements(self, how: int, where: int) -> list[Any]:
        """What two interceptors do: nothing, throw, or hand on another record, or none."""
        other: dict[str, Any] = {
            "topic": self._names[where // 4 % len(self._names)],
            "partition": (None, None, 0, 1)[how // 2 % 4],
            "key": (None, b"other")[how // 8 % 2],
        }
        another = {**other, "partition": None, "key": b"another"}
        ways: list[list[Any]] = [
            *([other], [THROWS, other], [other, THROWS], [other, another]),
            *([NO_RECORD], [NO_RECORD, other], [other, NO_RECORD]),
        ]
        return ways[(how + where) % len(ways)]

    def _seen(self, how: int) -> dict[str, int]:
        # Clocks of machines go back now and then.
        now = max(0, self._now - 5) if how // 4096 % 16 == 15 else self._now
        return {"now": now, "metadata": self._known, "epoch": self._epoch}

    def _largest(self, how: int) -> int:
        """Bytes of a value without key that a request has just room for, or hardly."""
        most: int = min(self._config["max_request_size"], 1000)
        return max(0, most - _OF_LARGEST + how // 2048 % 3 - 1)

    def _leaders(self) -> list[int]:
        led = {leader for _, parts in self._metadata[self._known] for _, leader in parts}
        return sorted(led - {None})

    def _pass(self, chosen: Operation, *, reachable: bool = False) -> None:
        how, where = chosen["how"], chosen["where"]
        unready = []
        if not reachable and how % 4 == 3:
            for at, node in enumerate(self._leaders()):
                if where >> at & 1:
                    unready.append([node, (where // 256 % 8) * (at + 1) * 5])
        self._steps.append(
            {
                "op": "pass",
                **self._seen(how),
                "unready": unready,
                "turns": self._turns(how // 4, where) if self._config["idempotence"] else [],
                "draw": chosen["draw"],
            }
        )

    def _turns(self, how: int, where: int) -> list[list[Any]]:
        """What comes of requests for a producer id; most often an id."""
        given = [_ANSWER, 0, 7 + len(self._steps), _EPOCHS[where // 4 % len(_EPOCHS)]]
        kind = how % 32
        if kind > 29:
            return [*_REFUSED_IDS[how // 32 % len(_REFUSED_IDS)]]
        if kind > 24:
            failed = [*_NO_IDS[how // 32 % len(_NO_IDS)]]
            return [*failed, given] if how // 256 % 2 else failed
        return [given]

    def _respond(
        self,
        chosen: Operation,
        code: int | None = None,
        number: int | None = None,
        *,
        outcome: str | None = None,
        offset: int | None = None,
        start: int | None = None,
    ) -> None:
        """An answer, or none; ``offset`` and ``start`` are the batch's, and that of its log."""
        how, where = chosen["how"], chosen["where"]
        codes = [self._code(where >> 4 * at) for at in range(1 + how // 16 % 3)]
        refused = how // 64 % 4
        self._steps.append(
            {
                "op": "respond",
                "number": (where // 8 % 4 if how // 256 % 4 == 3 else 0)
                if number is None
                else number,
                "how": outcome or (_HOWS[how // 1024 % len(_HOWS)] if code is None else "answer"),
                "codes": codes if code is None else [code],
                "offsets": [1000 * (len(self._steps) + 1), 7, 0][: 1 + where % 3]
                if offset is None
                else [offset],
                "starts": [-1, 0, 5, 2**20][where // 1024 % 4 : where // 1024 % 4 + 2]
                if start is None
                else [start],
                "refused_of": where // 64 % 2,
                "refused": [where // 128 % 3, 3 + where // 512 % 3][: refused - 1]
                if refused
                else [],
                "throttle": (0, 0, 0, 10)[where // 4096 % 4],
                "now": self._now,
            }
        )

    def _code(self, how: int) -> int:
        kind, more = how % 8, how // 8
        if kind < 3:
            return 0
        if kind < 5:
            return RETRIABLE[more % len(RETRIABLE)]
        if kind == 7 and self._config["idempotence"]:
            return _OF_SEQUENCES[more % len(_OF_SEQUENCES)]
        return TOO_LARGE if kind == 5 else _FATAL[more % len(_FATAL)]
