"""confluent-kafka: the record batches of librdkafka, by a real Producer and a real Consumer.

librdkafka exports neither its writer of batches nor its reader. So each case has a client of its
own (it takes a few ms), which talks to a broker that hands over what was produced, and hands out
the bytes of the case. The settings are the defaults but for sizes, times and codec. The clients are
in a child process, for some damage kills librdkafka, and some keeps it busy for ever.

What a Consumer reports as an error is a refusal, and what follows is left to its user. It reports
none where it takes bytes for a batch that was cut off: it asks for the same offset again.
"""

import sys
from typing import Any

import confluent_kafka
from broker import TOPIC, Broker
from child import Child
from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition
from testee import CouldNotTry, serve
from values import Message, data_of, hex_of, long_of

_ALL = ["2.3.1", "3.2.3", "3.8.0", "4.4.0"]
_WRITING_SECONDS = 20
_READING_SECONDS = 1  # it takes a few ms
_ONE_BATCH = {  # whatever a case has goes into one: the last record is there before it is sent
    "linger.ms": 200_000,
    "batch.size": 2**31 - 1,
    "batch.num.messages": 1_000_000,
    "message.max.bytes": 1_000_000_000,
    "queue.buffering.max.messages": 0,  # no limit
    "queue.buffering.max.kbytes": 2**31 - 1,
}
_NO_PAUSES = {  # the next fetch tells that all was read, so nothing may put it off
    "fetch.error.backoff.ms": 0,
    "queued.min.messages": 10_000_000,
    "queued.max.messages.kbytes": 2_097_151,
    "group.id": "g",
    "enable.auto.commit": False,
}


def _settings(broker: Broker) -> Message:
    return {"bootstrap.servers": broker.address, "log_level": 0}


def _write(broker: Broker, codec: str, appends: list[Message]) -> bytes:
    """The batch of these records."""
    producer = Producer({**_settings(broker), **_ONE_BATCH, "compression.codec": codec})
    # If the topic became known during the flush, records would go in several batches.
    producer.list_topics(TOPIC, _WRITING_SECONDS)
    failed: list[Any] = []

    def report(error: Any, message: Any) -> None:
        del message
        if error is not None:
            failed.append(error)

    for append in appends:
        record = {
            "key": data_of(append["key"]),
            "value": data_of(append["value"]),
            "timestamp": int(append["timestamp"]),
            "headers": [(name, data_of(value)) for name, value in append["headers"]],
        }
        for _ in range(append["times"]):
            producer.produce(TOPIC, partition=0, on_delivery=report, **record)
    left = producer.flush(_WRITING_SECONDS)
    batches = broker.produced()
    if failed or left:
        raise RuntimeError(f"{left} records were not sent: {failed[:1]}")
    if len(batches) != 1:
        raise CouldNotTry("the producer makes several batches of so many records")
    return batches[0]


def _read(broker: Broker, data: bytes, check_crcs: bool) -> list[Any]:
    """What a consumer hands out, and whether it reports an error then."""
    broker.hand_out(data)
    consumer = Consumer({**_settings(broker), **_NO_PAUSES, "check.crcs": check_crcs})
    consumer.assign([TopicPartition(TOPIC, 0, 0)])
    broker.wait_until_read()
    rows: list[Any] = []
    try:
        while (message := consumer.poll(0)) is not None:
            rows.append(_row(message))
    except Exception as error:
        print(f"refused: {error!r}"[:200], file=sys.stderr)
        rows.append("refused")
    return rows


def _row(message: Any) -> list[Any]:
    if message.error():
        raise KafkaException(message.error())
    headers = [[name, hex_of(value)] for name, value in message.headers() or ()]
    where = [long_of(message.offset()), long_of(message.timestamp()[1])]
    return [*where, hex_of(message.key()), hex_of(message.value()), headers]


class Case:
    def __init__(self, child: Child, codec: str | None, check_crcs: bool) -> None:
        self._child, self._codec, self._check_crcs = child, codec, check_crcs
        self._appends: list[Message] = []

    def step(self, step: Message) -> Any:
        if step["op"] == "records":
            data = data_of(step["data"]) or b""
            return self._child.ask(_READING_SECONDS, _read, data, self._check_crcs)
        if step["op"] == "build":
            batch = self._child.ask(_WRITING_SECONDS, _write, self._codec, self._appends)
            return hex_of(batch)
        self._appends.append(step)
        return None


class Adapter:
    def __init__(self, check_crcs: bool, behaviours: Message) -> None:
        librdkafka = confluent_kafka.libversion()[0]
        self.version = f"{confluent_kafka.__version__} (librdkafka {librdkafka})"
        self.name = "confluent-kafka record batches" + ", check.crcs=true" * check_crcs
        self.behaviours = behaviours
        self._child, self._check_crcs = Child(Broker), check_crcs

    def new_case(self, case: Message) -> Case:
        return Case(self._child, case["config"].get("codec"), self._check_crcs)

    def records(self, message: Message) -> list[int]:
        del message
        raise CouldNotTry("batches have no partitions")

    def end(self) -> None:
        self._child.end()


def main() -> None:
    (check_crcs,) = sys.argv[1:]
    exact = {"mode": "exact", "claims": _ALL}
    behaviours = {
        "record-batch": {
            **exact,
            "cannot": [
                *("open batches", "control batches", "producer state", "log append time"),
                *("base offsets", "leader epochs", "null headers", "lone surrogates"),
            ],
            "operations": ["append", "build"],
        },
        "batch-reading": {**exact, "cannot": ["odd batches"], "operations": ["records"]},
    }
    adapter = Adapter({"false": False, "true": True}[check_crcs], behaviours)
    try:
        serve(adapter)
    finally:
        adapter.end()


if __name__ == "__main__":
    main()
