"""A testee to read: record batches of message format 2, written and read without compression.

Run it:  kafka-conformance testee -- python examples/python/batches.py
Needs Python 3.8 and nothing else. The bytes: docs/behaviours.md; the protocol: docs/protocol.md.
``encode`` takes all records at once and ``decode`` hands out what a consumer sees, as most clients
do; the words in ``cannot`` say so. ``refusals`` tells why it stops. Replace them by calls of your
own code.
"""

import struct

from testee import serve

CODECS = ["gzip", "snappy", "lz4", "zstd"]
BEHAVIOURS = {
    "record-sizes": {"mode": "exact", "cannot": ["null headers", "lone surrogates"]},
    "record-batch": {
        "mode": "exact",
        "operations": ["append", "append at", "build"],
        "cannot": ["open batches", "control batches", "null headers", "lone surrogates", *CODECS],
    },
    "batch-reading": {
        "mode": "exact",
        "operations": ["records", "refusals"],
        "cannot": ["odd batches", *CODECS],
    },
}
# base offset, bytes that follow, leader's epoch, magic, CRC; attributes, last offset's delta, first
# and largest time, producer id and epoch, first sequence number, records
START, REST = struct.Struct(">qiibI"), struct.Struct(">hiqqqhii")
BEFORE_LENGTH_COUNTS, LEAST_LENGTH, MAGIC_AT = 12, 14, 16
LOG_APPEND_TIME, TRANSACTIONAL, CONTROL = 0x08, 0x10, 0x20


def _crc_of_byte(crc):
    for _ in range(8):
        crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)  # Castagnoli's polynomial, not gzip's
    return crc


TABLE = [_crc_of_byte(byte) for byte in range(256)]


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = TABLE[(crc ^ byte) & 0xFF] ^ crc >> 8
    return crc ^ 0xFFFFFFFF


def signed(number, bits):
    """What is left of a number in so many bits, as in Java."""
    return (number + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1)


def varint(number, bits=32):
    """Zig-zag, then 7 bits in a byte, the lowest first. With 64 bits: a varlong."""
    left, out = (number << 1 ^ number >> bits - 1) % (1 << bits), bytearray()
    while left > 0x7F:
        out.append(left & 0x7F | 0x80)
        left >>= 7
    return bytes([*out, left])


def sized(data):
    """Bytes behind their length; null has length -1."""
    return varint(-1) if data is None else varint(len(data)) + data


def of_contents(key, value, headers):
    """What stands behind a record's deltas."""
    named = b"".join(sized(name.encode()) + sized(data) for name, data in headers)
    return sized(key) + sized(value) + varint(len(headers)) + named


def record(offset_delta, time_delta, *contents):
    """A record's bytes. Its deltas are from the first of the batch, not from the one before."""
    body = b"\0" + varint(time_delta, 64) + varint(offset_delta) + of_contents(*contents)
    return varint(len(body)) + body


def encode(config, records):
    """A batch's bytes; a record is its offset, time, key, value and headers."""
    base, first_time = int(config["base_offset"]), records[0][1]
    written = b"".join(
        record(offset - base, signed(time - first_time, 64), *contents)
        for offset, time, *contents in records
    )
    attributes = TRANSACTIONAL if config["transactional"] else 0
    last_time = max(time for _, time, *_ in records)
    if config["log_append_time"] is not None:
        attributes, last_time = attributes | LOG_APPEND_TIME, int(config["log_append_time"])
    producer = int(config["producer_id"]), config["epoch"], config["sequence"]
    last = records[-1][0] - base
    rest = REST.pack(attributes, last, first_time, last_time, *producer, len(records)) + written
    length = START.size - BEFORE_LENGTH_COUNTS + len(rest)
    return START.pack(base, length, config["leader_epoch"] or 0, 2, crc32c(rest)) + rest


CORRUPT, BAD_RECORD = "CORRUPT_MESSAGE", "INVALID_RECORD"
NO_CODEC, OLD_FORMAT = "UNSUPPORTED_COMPRESSION_TYPE", "UNSUPPORTED_FOR_MESSAGE_FORMAT"


class RefusedError(Exception):
    """What a consumer does not read on after: the name of Kafka's error code, and what it found."""


class Reader:
    """Bytes and a position in them."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, size):
        if not 0 <= size <= len(self.data) - self.at:
            raise RefusedError(BAD_RECORD, f"{size} bytes of {len(self.data) - self.at}")
        self.at += size
        return self.data[self.at - size : self.at]

    def varint(self, bits=32):
        number = 0
        for shift in range(0, bits, 7):
            byte = self.take(1)[0]
            number |= (byte & 0x7F) << shift
            if byte < 0x80:
                number %= 1 << bits
                return number >> 1 ^ -(number & 1)
        raise RefusedError(BAD_RECORD, "a number that is too long")

    def sized(self):
        size = self.varint()
        return None if size < 0 else self.take(size)

    def header(self):
        name = self.sized()
        if name is None:
            raise RefusedError(BAD_RECORD, "a header without name")
        return [name.decode("utf-8", "replace"), hexed(self.sized())]


def records_of(batch):
    """The rows of a batch that is whole."""
    if len(batch) < START.size + REST.size:
        raise RefusedError(CORRUPT, "no header")
    base, _, _, _, crc = START.unpack_from(batch)
    if crc32c(batch[START.size :]) != crc:
        raise RefusedError(CORRUPT, "checksum")
    attributes, _, first_time, last_time, _, _, _, count = REST.unpack_from(batch, START.size)
    if attributes & 7:
        raise RefusedError(NO_CODEC, "this example reads no compressed batches")
    reader, rows = Reader(batch[START.size + REST.size :]), []
    if count < 0:
        raise RefusedError(BAD_RECORD, "count")
    for _ in range(count):
        body = Reader(reader.take(reader.varint()))
        body.take(1)  # attributes, of which none is in use
        time, offset = first_time + body.varint(64), base + body.varint()
        time = last_time if attributes & LOG_APPEND_TIME else signed(time, 64)
        key, value, headers = body.sized(), body.sized(), body.varint()
        if not 0 <= headers <= len(body.data) - body.at:
            raise RefusedError(BAD_RECORD, "number of headers")
        headers = [body.header() for _ in range(headers)]
        rows.append([int64(signed(offset, 64)), int64(time), hexed(key), hexed(value), headers])
        if body.at < len(body.data):
            raise RefusedError(BAD_RECORD, "bytes behind a record")
    if count and reader.at < len(reader.data):
        raise RefusedError(BAD_RECORD, "bytes behind the last record")
    return [] if attributes & CONTROL else rows


def batches_of(data):
    """The bytes of each batch; what is cut off at the end is none."""
    at = 0
    while len(data) - at >= BEFORE_LENGTH_COUNTS:
        (length,) = struct.unpack_from(">8xi", data, at)
        if length < LEAST_LENGTH:
            raise RefusedError(CORRUPT, "length")
        if len(data) - at <= MAGIC_AT:
            return
        if data[at + MAGIC_AT] > 2 or length > 2**31 - 1 - BEFORE_LENGTH_COUNTS:
            raise RefusedError(CORRUPT, "magic or length")
        end = at + BEFORE_LENGTH_COUNTS + length
        if end > len(data):
            return
        if data[at + MAGIC_AT] < 2:
            raise RefusedError(OLD_FORMAT, "messages of an older format")
        yield data[at:end]
        at = end


def decode(data):
    """What a consumer hands out; then "refused" if it stops at what it cannot read."""
    rows = []
    try:
        for batch in batches_of(data):
            rows += records_of(batch)
    except RefusedError:
        return [*rows, "refused"]
    return rows


def refusals(data):
    """Why each batch is refused, or null; then why what follows is, or "end"."""
    reasons = []
    try:
        for batch in batches_of(data):
            reasons.append(reason_of(batch))
    except RefusedError as error:
        return [*reasons, error.args[0]]
    return [*reasons, "end"]


def reason_of(batch):
    try:
        records_of(batch)
    except RefusedError as error:
        return error.args[0]
    return None


def given(data):
    return None if data is None else bytes.fromhex(data["hex"])


def hexed(data):
    return None if data is None else {"hex": data.hex()}


def int64(number):
    return {"int64": str(number)}


def contents_of(step):
    headers = [(name, given(value)) for name, value in step["headers"]]
    return given(step["key"]), given(step["value"]), headers


def perform(step):
    """The answer to a step that needs none before it."""
    name = step["op"]
    if name == "records":
        return decode(given(step["data"]))
    if name == "refusals":
        return refusals(given(step["data"]))
    if name in ("varint", "varlong"):
        one = varint(step["number"]) if name == "varint" else varint(int(step["long"]), 64)
        return [len(one), hexed(one)]
    if name == "sequence":  # 0 follows 2^31 - 1
        return [(step["sequence"] + by) % 2**31 for by in (step["by"], -step["by"])]
    if name == "record size":
        return len(record(step["offset_delta"], int(step["timestamp_delta"]), *contents_of(step)))
    # upper bound: of a batch with that record, whose own numbers have 21 bytes at most
    return START.size + REST.size + 21 + len(of_contents(*contents_of(step)))


def trace(case, message):
    """One answer for each step of a case: of a batch, null until it is built."""
    if message["behaviour"] != "record-batch":
        return [perform(step) for step in case["steps"]]
    records, following = [], int(case["config"]["base_offset"])
    for step in case["steps"][:-1]:
        following = int(step.get("offset", following))
        for _ in range(step.get("times", 1)):
            records.append((following, int(step["timestamp"]), *contents_of(step)))
            following += 1
    return [None] * (len(case["steps"]) - 1) + [hexed(encode(case["config"], records))]


if __name__ == "__main__":  # not when check_vectors.py imports it
    serve("example of batches", BEHAVIOURS, trace)
