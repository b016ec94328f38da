"""Bugs in hashing and keyed partitioning; most of them have been in real ports."""

from conformance.mutants.mutant import Mutant

_MURMUR2 = "murmur2.py"
_KEYED = "producer/keyed.py"
_INT32 = "int32.py"
_COLUMNS = "columns.py"
_SERIALIZERS = "serializers.py"
_HASH = ("murmur2", "3.8.0")
_KEY = ("keyed", "2.3.1")
_KEY_3_8 = ("keyed", "3.8.0")
_SERIALIZED = ("serialized-keys", "3.2.3")

_PARTITION = "return remainder(to_positive(murmur2(key)), count)"
_MULTIPLY = "        k = k * m & 0xFFFFFFFF  # noqa: PLW2901 - as in Java\n"
_TAIL = 'h ^= int.from_bytes(data[length & ~3 :], "little")'
_LENGTH = "    length = len(data)\n"
_RETURN = "    return int32(h)\n"
_IMPORT = "from .int32 import int32\n"

MUTANTS = [
    Mutant(
        "signed modulo",
        "the remainder of a signed hash, without toPositive",
        _KEYED,
        _PARTITION,
        "return remainder(murmur2(key), count)",
        *_KEY,
        seen_in="librdkafka PR 1816",
    ),
    Mutant(
        "floor modulo of the hash",
        "a non-negative remainder of the signed hash, as Python's % gives",
        _KEYED,
        _PARTITION,
        "return murmur2(key) % count if count else remainder(1, 0)",
        *_KEY,
    ),
    Mutant(
        "abs for the mask",
        "the absolute value of the hash instead of its low 31 bits",
        _KEYED,
        _PARTITION,
        "return remainder(abs(murmur2(key)), count)",
        *_KEY_3_8,
        seen_in="sarama (FNV)",
    ),
    Mutant(
        "mask 0xFFFFFFFF",
        "a mask of 32 bits instead of 31",
        _INT32,
        "return number & 0x7FFFFFFF",
        "return number & 0xFFFFFFFF",
        *_KEY,
        seen_in="kafka_ex 398",
    ),
    Mutant(
        "abs with a special case",
        "toPositive of -2^31 answers 2^31-1, everything else is right",
        _INT32,
        "return number & 0x7FFFFFFF",
        "return number & 0x7FFFFFFF if number != INT32_MIN else INT32_MAX",
        *_HASH,
    ),
    Mutant(
        "unsigned shift for the mask",
        ">>> 0 instead of & 0x7fffffff",
        _KEYED,
        _PARTITION,
        "return remainder(murmur2(key) % 2**32 >> 0, count)",
        *_KEY_3_8,
        seen_in="platformatic/kafka 121",
    ),
    Mutant(
        "multiplication in floating point",
        "a 32-bit product computed in 53 bits",
        _MURMUR2,
        _MULTIPLY,
        "        k = int(float(k) * float(m)) & 0xFFFFFFFF\n",
        *_HASH,
        seen_in="kafkajs 357",
    ),
    Mutant(
        "seed missing",
        "the hash starts from 0",
        _MURMUR2,
        "h = SEED ^ length",
        "h = length",
        *_HASH,
        seen_in="node-sinek 39",
    ),
    Mutant(
        "crc32 by default",
        "another hash",
        _MURMUR2,
        _RETURN,
        "    import zlib\n    return int32(zlib.crc32(data))\n",
        *_HASH,
        seen_in="rdkafka bindings",
    ),
    Mutant(
        "FNV-1a by default",
        "another hash",
        _MURMUR2,
        _RETURN,
        "    h = 0x811C9DC5\n    for byte in data:\n"
        "        h = (h ^ byte) * 0x01000193 & 0xFFFFFFFF\n    return int32(h)\n",
        *_HASH,
        seen_in="sarama",
    ),
    Mutant(
        "the language's own hash",
        "another hash",
        _MURMUR2,
        _RETURN,
        "    return int32(sum(31**i * b for i, b in enumerate(reversed(data[:99]))))\n",
        *_HASH,
        seen_in="kafka-python 374",
    ),
    Mutant(
        "murmur3",
        "murmur3 for murmur2 (mmh3 with Kafka's seed)",
        _MURMUR2,
        _RETURN,
        "    import mmh3\n    return mmh3.hash(data, 0x9747B28C)\n",
        *_HASH,
    ),
    Mutant(
        "tail sign-extended",
        "the last bytes as signed numbers",
        _MURMUR2,
        _TAIL,
        'h ^= int.from_bytes(data[length & ~3 :], "little", signed=True) & 0xFFFFFFFF',
        *_HASH,
        seen_in="several",
    ),
    Mutant(
        "body sign-extended",
        "the bytes of a word as signed numbers, added up",
        _MURMUR2,
        _MULTIPLY,
        "        k = sum((b - 256 if b > 127 else b) << 8 * i"
        ' for i, b in enumerate(k.to_bytes(4, "little")))\n' + _MULTIPLY,
        *_HASH,
        seen_in="several",
    ),
    Mutant(
        "tail big-endian",
        "the last bytes in the wrong order",
        _MURMUR2,
        _TAIL,
        _TAIL.replace("little", "big"),
        *_HASH,
    ),
    Mutant(
        "words big-endian",
        "the words in the wrong byte order",
        _MURMUR2,
        'f"<{length // 4}I"',
        'f">{length // 4}I"',
        *_HASH,
    ),
    Mutant(
        "tail of three loses a byte",
        "the switch does not fall through for three bytes",
        _MURMUR2,
        _TAIL,
        "rest = data[length & ~3 :]\n"
        '        h ^= int.from_bytes(rest[:2] if len(rest) == 3 else rest, "little")',
        *_HASH,
    ),
    Mutant(
        "final shift 14",
        "15 mistyped in the final mix",
        _MURMUR2,
        "h ^= h >> 15",
        "h ^= h >> 14",
        *_HASH,
    ),
    Mutant(
        "keys of one length hashed otherwise",
        "keys of 207 bytes, far from any power of two, start from another hash",
        _MURMUR2,
        _LENGTH,
        "    length = len(data) + (len(data) == 207)\n",
        *_HASH,
    ),
    Mutant(
        "NULs at the end of a long key dropped",
        "a buffer is taken for a string of C",
        _MURMUR2,
        _LENGTH,
        "    data = data.rstrip(b'\\0') if len(data) > 8 else data\n" + _LENGTH,
        *_HASH,
    ),
    Mutant(
        "other buffers lose NULs",
        "bytearray and memoryview are hashed without NULs at their end",
        _MURMUR2,
        "    return bytes(data)\n",
        "    return bytes(data).rstrip(b'\\0')\n",
        *_HASH,
    ),
    Mutant(
        "length in characters",
        "the length of the decoded text starts the hash",
        _MURMUR2,
        "h = SEED ^ length",
        'h = SEED ^ len(data.decode("utf-8", "ignore") if length < 64 else data)',
        *_HASH,
    ),
    Mutant(
        "partition kept by key",
        "the last key's partition is answered again, whatever the topic has by now",
        _KEYED,
        f"    {_PARTITION}\n",
        "    kept = partition_for_key.__dict__\n"
        "    if not count or kept.get('key') != key:\n"
        f"        kept['partition'] = {_PARTITION.removeprefix('return ')}\n"
        "        kept['key'] = key\n"
        "    return kept['partition']\n",
        "round-robin-sends",
        "3.2.3",
    ),
    Mutant(
        "available partitions only",
        "keys are spread over the partitions that have a leader",
        "producer/default_partitioner.py",
        "        count = len(cluster.partitions_for_topic(topic))\n",
        "        count = len(cluster.available_partitions_for_topic(topic)) or len(\n"
        "            cluster.partitions_for_topic(topic)\n        )\n",
        *_KEY,
    ),
    Mutant(
        "partition in floating point",
        "the right number of the wrong type",
        _KEYED,
        _PARTITION,
        "return float(remainder(to_positive(murmur2(key)), count))",
        *_KEY,
    ),
    Mutant(
        "columns take a count of 16 bits",
        "the number of partitions is cut",
        _COLUMNS,
        "count = np.uint32(abs(divisor))",
        "count = np.uint32(abs(divisor) & 0xFFFF or 1)",
        "keyed-columns",
        "3.8.0",
    ),
    Mutant(
        "little-endian integers",
        "integer keys in the machine's byte order",
        _SERIALIZERS,
        'struct.pack(">i", number)',
        'struct.pack("<i", number)',
        *_SERIALIZED,
    ),
    Mutant(
        "NaN kept",
        "a NaN is written with its own bits",
        _SERIALIZERS,
        "    return _CANONICAL_NAN if isnan(number) else struct",
        "    return struct",
        *_SERIALIZED,
    ),
    Mutant(
        "surrogates replaced",
        "a lone surrogate becomes the replacement character, not a question mark",
        _SERIALIZERS,
        'return joined.encode("utf-8", "replace")',
        'halves = joined.encode("utf-16-le", "surrogatepass")\n'
        '    return halves.decode("utf-16-le", "replace").encode()',
        *_SERIALIZED,
    ),
    Mutant(
        "pairs cut at a buffer's end",
        "text is encoded in pieces of 1024 UTF-16 units, and a pair across two is lost",
        _SERIALIZERS,
        'return joined.encode("utf-8", "replace")',
        'raw = joined.encode("utf-16-le", "surrogatepass")\n'
        "    pieces = [raw[at : at + 2048] for at in range(0, len(raw), 2048)]\n"
        '    joined = "".join(one.decode("utf-16-le", "surrogatepass") for one in pieces)\n'
        '    return joined.encode("utf-8", "replace")',
        *_SERIALIZED,
    ),
    Mutant(
        "infinity becomes the largest double",
        "a serializer that clamps",
        _SERIALIZERS,
        'struct.pack(">d", number)',
        'struct.pack(">d", max(-1.7976931348623157e308, min(1.7976931348623157e308, number)))',
        *_SERIALIZED,
    ),
    Mutant(
        "negative zero becomes zero",
        "-0.0 is written as 0.0",
        _SERIALIZERS,
        'struct.pack(">d", number)',
        'struct.pack(">d", number + 0.0)',
        *_SERIALIZED,
    ),
    Mutant(
        "byte order mark dropped",
        "text is stripped of a leading U+FEFF",
        _SERIALIZERS,
        'return joined.encode("utf-8", "replace")',
        'return joined.removeprefix("\\ufeff").encode("utf-8", "replace")',
        *_SERIALIZED,
    ),
    Mutant(
        "text normalized",
        "text is brought to NFC first",
        _SERIALIZERS,
        'return joined.encode("utf-8", "replace")',
        "import unicodedata\n"
        '    return unicodedata.normalize("NFC", joined).encode("utf-8", "replace")',
        *_SERIALIZED,
    ),
    Mutant(
        "UUID as bytes",
        "a UUID's 16 bytes for its text",
        _SERIALIZERS,
        'str(uuid).encode("ascii")',
        "uuid.bytes",
        *_SERIALIZED,
    ),
]
