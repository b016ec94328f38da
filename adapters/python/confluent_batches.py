"""confluent-kafka: the record batches of librdkafka, by a real Producer and a real Consumer.

librdkafka exports neither its writer of batches nor its reader. So each case has a client of its
own (it takes a few ms), which talks to a broker of ours: that hands over what was produced, and
hands out the bytes of the case. The settings are the defaults but for sizes, times and codec.

What a Consumer reports as an error is a refusal, and what follows is left to its user. It reports
none where it takes bytes for a batch that was cut off.
"""

import sys
from typing import Any

import confluent_kafka
from broker import TOPIC, Broker
from confluent_kafka import Consumer, Producer, TopicPartition
from testee import CouldNotTry, serve
from values import Message, data_of, hex_of, long_of

_ALL = ["2.3.1", "3.2.3", "3.8.0", "4.4.0"]
_SECONDS = 10
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
}


class Adapter:
    def __init__(self, name: str, check_crcs: bool, behaviours: dict[str, Any]) -> None:
        librdkafka = confluent_kafka.libversion()[0]
        self.version = f"{confluent_kafka.__version__} (librdkafka {librdkafka})"
        self.name, self.behaviours = name, behaviours
        self._check_crcs = check_crcs
        self._broker = Broker()

    def _settings(self) -> dict[str, Any]:
        return {"bootstrap.servers": self._broker.address, "log_level": 0}

    def write(self, codec: str, appends: list[Message]) -> bytes:
        """The batch of these records."""
        settings = {**self._settings(), **_ONE_BATCH, "compression.codec": codec}
        producer = Producer(settings)
        failed: list[Any] = []

        def report(error: Any, message: Any) -> None:
            del message
            if error is not None:
                failed.append(error)

        for append in appends:
            headers = [(name, data_of(value)) for name, value in append["headers"]]
            key, value = data_of(append["key"]), data_of(append["value"])
            for _ in range(append["times"]):
                producer.produce(
                    TOPIC,
                    value,
                    key,
                    0,
                    timestamp=int(append["timestamp"]),
                    headers=headers,
                    on_delivery=report,
                )
        left = producer.flush(_SECONDS)
        if failed or left:
            raise RuntimeError(f"{left} records were not sent: {failed[:1]}")
        batches = [self._broker.produced.get() for _ in range(self._broker.produced.qsize())]
        if len(batches) != 1:
            raise CouldNotTry("the producer makes several batches of so many records")
        return batches[0]

    def read(self, data: bytes) -> list[Any]:
        settings = {**self._settings(), **_NO_PAUSES, "group.id": "g", "enable.auto.commit": False}
        if self._check_crcs:
            settings["check.crcs"] = True
        consumer = Consumer(settings)
        self._broker.hand_out(data)
        consumer.assign([TopicPartition(TOPIC, 0, 0)])
        if not self._broker.is_read.wait(_SECONDS):
            print("HANG", data.hex()[:4000], file=sys.stderr)
        rows: list[Any] = []
        while (message := consumer.poll(0)) is not None:
            if message.error():
                print(message.error(), file=sys.stderr)
                rows.append("refused")
                break
            rows.append(_row(message))
        consumer.close()
        return rows

    def new_case(self, case: Message) -> "Case":
        return Case(self, case["config"])

    def records(self, message: Message) -> list[int]:
        del message
        raise CouldNotTry("batches have no partitions")


def _row(message: Any) -> list[Any]:
    headers = [[name, hex_of(value)] for name, value in message.headers() or ()]
    where = [long_of(message.offset()), long_of(message.timestamp()[1])]
    return [*where, hex_of(message.key()), hex_of(message.value()), headers]


class Case:
    def __init__(self, adapter: Adapter, config: Message) -> None:
        self._adapter, self._config = adapter, config
        self._appends: list[Message] = []

    def step(self, step: Message) -> Any:
        if step["op"] == "records":
            return self._adapter.read(data_of(step["data"]) or b"")
        if step["op"] == "build":
            return hex_of(self._adapter.write(self._config["codec"], self._appends))
        self._appends.append(step)
        return None


def main() -> None:
    crcs = sys.argv[1:] == ["check.crcs"]
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
    serve(Adapter("confluent-kafka record batches" + " check.crcs=true" * crcs, crcs, behaviours))


if __name__ == "__main__":
    main()
