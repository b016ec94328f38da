"""The record batches of kafka-python and aiokafka: their own builders and readers, called directly.

A batch is made by ``DefaultRecordBatchBuilder``, to which the producers append; the broker writes
the first offset and the leader's epoch, so both are left at 0. Bytes are read as the consumers'
fetchers do it: ``MemoryRecords``, the checksum of each batch, then its records; control batches are
not handed out. Whatever a consumer raises, an error of the library or not, is a refusal.
"""

import sys
from importlib import import_module
from importlib.metadata import version
from typing import Any

from testee import CouldNotTry, serve
from values import Message, data_of, hex_of, long_of

_CODECS = {"none": 0, "gzip": 1, "snappy": 2, "lz4": 3, "zstd": 4}
_ALL = ["2.3.1", "3.2.3", "3.8.0", "4.4.0"]
_NO_LIMIT = 2**31 - 1


def _contents(step: Message) -> tuple[Any, Any, Any]:
    """Key, value and headers as the libraries want them."""
    headers = [(key, data_of(value)) for key, value in step["headers"]]
    return data_of(step["key"]), data_of(step["value"]), headers


class Library:
    """The modules of one of the two, which began as one."""

    def __init__(self, name: str) -> None:
        package = {"kafka-python": "kafka", "aiokafka": "aiokafka"}[name]
        self.name, self.version = f"{name} record batches", version(name)
        records = import_module(f"{package}.record.default_records")
        self.builder = records.DefaultRecordBatchBuilder
        self.memory_records = import_module(f"{package}.record.memory_records").MemoryRecords
        util = import_module(f"{package}.record.util")
        self.encode_varint, self.size_of_varint = util.encode_varint, util.size_of_varint

    def new_builder(self, config: Message) -> Any:
        state = int(config["producer_id"]), config["epoch"], config["sequence"]
        codec = _CODECS[config["codec"]]
        return self.builder(2, codec, int(config["transactional"]), *state, _NO_LIMIT)

    def varint(self, number: int) -> list[Any]:
        out = bytearray()
        self.encode_varint(number, out.append)
        return [self.size_of_varint(number), hex_of(out)]

    def records(self, data: bytes) -> list[Any]:
        """What a consumer hands out, and whether it stops at an error."""
        rows: list[Any] = []
        try:
            batches = self.memory_records(data)
            while batches.has_next():
                batch = batches.next_batch()
                if not batch.validate_crc():
                    return [*rows, "refused"]
                if not batch.is_control_batch:
                    rows += [_row(record) for record in batch]
        except Exception as error:
            print(f"refused: {error!r}"[:200], file=sys.stderr)
            return [*rows, "refused"]
        return rows


def _row(record: Any) -> list[Any]:
    headers = [[key, hex_of(value)] for key, value in record.headers]
    where = [long_of(record.offset), long_of(record.timestamp)]
    return [*where, hex_of(record.key), hex_of(record.value), headers]


class Case:
    """One builder, fresh."""

    def __init__(self, library: Library, config: Message) -> None:
        self._library = library
        self._builder = library.new_builder(config) if config else None
        self._next = 0

    def step(self, step: Message) -> Any:
        library, name = self._library, step["op"]
        if name == "records":
            return library.records(data_of(step["data"]) or b"")
        if name in ("varint", "varlong"):
            return library.varint(int(step["number"] if name == "varint" else step["long"]))
        if name == "upper bound":
            return library.builder.estimate_size_in_bytes(*_contents(step))
        if name == "record size":
            deltas = step["offset_delta"], int(step["timestamp_delta"])
            return library.builder.size_in_bytes(*deltas, *_contents(step))
        assert self._builder is not None
        if name == "build":
            return hex_of(self._builder.build())
        self._next = int(step.get("offset", self._next))
        for _ in range(step.get("times", 1)):
            self._builder.append(self._next, int(step["timestamp"]), *_contents(step))
            self._next += 1
        return None


class Adapter:
    """A library behind the protocol."""

    def __init__(self, library: Library, behaviours: Message) -> None:
        self._library, self.behaviours = library, behaviours
        self.name, self.version = library.name, library.version

    def new_case(self, case: Message) -> Case:
        return Case(self._library, case["config"])

    def records(self, message: Message) -> list[int]:
        del message
        raise CouldNotTry("batches have no partitions")


def main() -> None:
    (name,) = sys.argv[1:]
    sizes = ["varint", "varlong", "upper bound"]
    if name == "kafka-python":  # aiokafka's is a method of a builder that has records
        sizes.append("record size")
    exact = {"mode": "exact", "claims": _ALL}
    behaviours = {
        "record-sizes": {
            **exact,
            "cannot": ["null headers", "lone surrogates"],
            "operations": sizes,
        },
        "record-batch": {
            **exact,
            "cannot": [
                *("open batches", "control batches", "log append time", "base offsets"),
                # Times 2^63 ms apart are written wrongly: asked, that would hide the rest.
                *("leader epochs", "null headers", "lone surrogates", "far times"),
            ],
            "operations": ["append", "append at", "build"],
        },
        "batch-reading": {**exact, "cannot": ["odd batches"], "operations": ["records"]},
    }
    serve(Adapter(Library(name), behaviours))


if __name__ == "__main__":
    main()
