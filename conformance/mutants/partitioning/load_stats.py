"""Bugs in the cumulative table of queue sizes, and in the choice from it."""

from conformance.mutants.mutant import Mutant

_FILE = "producer/load_stats.py"
_CELL = ("load-stats", "3.8.0")
_ADAPTIVE = ("adaptive", "3.8.0")

_DIFFER = "    return length < len(queue_sizes) or len(set(used)) > 1\n"
_TOO_FEW = "    if length < 1 or len(queue_sizes) < 2:\n"
_SEARCH = "        index = abs(_binary_search(self.table, self.length, weighted) + 1)\n"
_SUM = "int32(max_size_plus_1 - queue_sizes[i] + queue_sizes[i - 1])"


def _load_stats(name: str, bug: str, before: str, after: str) -> Mutant:
    return Mutant(name, bug, _FILE, before, after, *_CELL)


MUTANTS = [
    _load_stats(
        "weight without plus one",
        "the longest queue is never chosen",
        "max_size_plus_1 = int32(max(used) + 1)",
        "max_size_plus_1 = int32(max(used))",
    ),
    _load_stats(
        "excluded partitions set the maximum",
        "the largest size is looked for beyond the length",
        "max_size_plus_1 = int32(max(used) + 1)",
        "max_size_plus_1 = int32(max(queue_sizes) + 1)",
    ),
    _load_stats(
        "equal sizes never adapt",
        "equal sizes mean uniform even if a partition was excluded",
        _DIFFER,
        "    return len(set(used)) > 1\n",
    ),
    _load_stats(
        "equal sizes adapt",
        "a table is built although nothing differs",
        _DIFFER,
        "    return True\n",
    ),
    _load_stats(
        "caller's array is kept",
        "the array of queue sizes is copied instead of changed in place",
        "    queue_sizes[0] = int32(",
        "    queue_sizes = list(queue_sizes)\n    queue_sizes[0] = int32(",
    ),
    _load_stats(
        "table does not wrap",
        "the running sums in unbounded integers",
        _SUM,
        "max_size_plus_1 - queue_sizes[i] + queue_sizes[i - 1]",
    ),
    _load_stats(
        "table folds everything",
        "excluded partitions get a weight too",
        "    for i in range(1, length):\n        queue_sizes[i] =",
        "    for i in range(1, len(queue_sizes)):\n        queue_sizes[i] =",
    ),
    _load_stats(
        "one partition does not adapt",
        "a length of 1 means uniform",
        _TOO_FEW,
        "    if length < 2 or len(queue_sizes) < 2:\n",
    ),
    _load_stats(
        "two partitions do not adapt",
        "a topic of two partitions is taken for too small",
        _TOO_FEW,
        "    if length < 1 or len(queue_sizes) < 3:\n",
    ),
    _load_stats(
        "negative length adapts",
        "a length is compared with 0 only",
        _TOO_FEW,
        "    if length == 0 or len(queue_sizes) < 2:\n",
    ),
    _load_stats(
        "search ends at the length",
        "an index beyond the length is pulled back into it",
        "        return element(self.partition_ids, index)\n",
        "        return element(self.partition_ids, min(index, self.length - 1))\n",
    ),
    _load_stats(
        "choice off by one",
        "a draw equal to a sum belongs to the partition before",
        _SEARCH,
        "        index = _binary_search(self.table, self.length, weighted)\n"
        "        index = index if index >= 0 else -index - 1\n",
    ),
    _load_stats(
        "range end of the whole array",
        "the modulus is the last entry of the array, excluded or not",
        "return self.table[self.length - 1]",
        "return self.table[-1]",
    ),
    _load_stats(
        "choice answers the index",
        "the index in the table for the partition's id",
        "        return element(self.partition_ids, index)\n",
        "        element(self.partition_ids, index)\n        return index\n",
    ),
    _load_stats(
        "choice floor modulo",
        "Python's remainder of a negative draw",
        "weighted = remainder(random, self.range_end)",
        "weighted = random % self.range_end if self.range_end else remainder(random, 0)",
    ),
    _load_stats(
        "choice by linear search",
        "first larger sum from the left, wrong where wrapped sums are unordered",
        _SEARCH,
        "        index = next(\n"
        "            (i for i in range(self.length) if self.table[i] > weighted), self.length\n"
        "        )\n",
    ),
    _load_stats(
        "assertions forgotten",
        "an index beyond the length is not noticed with -ea",
        "if assertions and index >= self.length:",
        "if False:",
    ),
    Mutant(
        "excluded partitions are chosen",
        "the choice ranges over all ids",
        _FILE,
        "    return PartitionLoadStats(queue_sizes, partition_ids, length)\n",
        "    return PartitionLoadStats(queue_sizes, partition_ids, len(queue_sizes))\n",
        *_ADAPTIVE,
    ),
    _load_stats(
        "weights are sizes",
        "the longest queue gets the most records",
        "int32(max_size_plus_1 - queue_sizes[i] + queue_sizes[i - 1])",
        "int32(queue_sizes[i] + queue_sizes[i - 1])",
    ),
    _load_stats(
        "first weight is a size",
        "the first entry of the table is not turned round",
        "    queue_sizes[0] = int32(max_size_plus_1 - queue_sizes[0])\n",
        "",
    ),
    _load_stats(
        "last weight stays a size",
        "the loop ends one entry early",
        "    for i in range(1, length):\n",
        "    for i in range(1, length - 1):\n",
    ),
    _load_stats(
        "sums start anew",
        "each sum takes the neighbour's size, not its sum",
        "    for i in range(1, length):\n",
        "    for i in reversed(range(1, length)):\n",
    ),
    _load_stats(
        "first size taken for the largest",
        "the maximum is not looked for",
        "max_size_plus_1 = int32(max(used) + 1)",
        "max_size_plus_1 = int32(used[0] + 1)",
    ),
    _load_stats(
        "largest size plus one saturates",
        "2^31-1 + 1 stays 2^31-1",
        "max_size_plus_1 = int32(max(used) + 1)",
        "max_size_plus_1 = min(max(used) + 1, 2**31 - 1)",
    ),
    _load_stats(
        "first weight does not wrap",
        "the first weight is an unbounded integer",
        "    queue_sizes[0] = int32(max_size_plus_1 - queue_sizes[0])\n",
        "    queue_sizes[0] = max_size_plus_1 - queue_sizes[0]\n",
    ),
    _load_stats(
        "sums saturate",
        "the running sums stay at 2^31-1",
        "int32(max_size_plus_1 - queue_sizes[i] + queue_sizes[i - 1])",
        "min(max_size_plus_1 - queue_sizes[i] + queue_sizes[i - 1], 2**31 - 1)",
    ),
    _load_stats(
        "sums are unsigned",
        "the running sums wrap at 2^32",
        "int32(max_size_plus_1 - queue_sizes[i] + queue_sizes[i - 1])",
        "(max_size_plus_1 - queue_sizes[i] + queue_sizes[i - 1]) & 0xFFFFFFFF",
    ),
    _load_stats(
        "excluded sizes are cleared",
        "the entries beyond the length are set to 0",
        "    return PartitionLoadStats(queue_sizes, partition_ids, length)\n",
        "    queue_sizes[length:] = [0] * (len(queue_sizes) - length)\n"
        "    return PartitionLoadStats(queue_sizes, partition_ids, length)\n",
    ),
    _load_stats(
        "ids are cut to the length",
        "only the ids of partitions that count are kept",
        "    return PartitionLoadStats(queue_sizes, partition_ids, length)\n",
        "    return PartitionLoadStats(queue_sizes, partition_ids[:length], length)\n",
    ),
    _load_stats(
        "too long a length is cut",
        "a length beyond the sizes is no error",
        '        raise JavaArrayIndexOutOfBoundsError(f"length {length} of '
        '{len(queue_sizes)} sizes")\n',
        "        length = len(queue_sizes)\n",
    ),
    _load_stats(
        "different lengths are not asserted",
        "ids that do not fit the sizes are not noticed with -ea",
        "    if assertions and len(queue_sizes) != len(partition_ids):\n",
        "    if False:\n",
    ),
    _load_stats(
        "different lengths are refused",
        "ids that do not fit the sizes are an error also without -ea",
        "    if assertions and len(queue_sizes) != len(partition_ids):\n",
        "    if len(queue_sizes) != len(partition_ids):\n",
    ),
    _load_stats(
        "length is not asserted",
        "a length beyond the sizes is an ordinary error with -ea",
        "    if assertions and length > len(queue_sizes):\n",
        "    if False:\n",
    ),
    _load_stats(
        "search beyond the end",
        "the search starts with the whole length as its last index",
        "low, high = 0, length - 1",
        "low, high = 0, length",
    ),
    _load_stats(
        "search ends early",
        "the last candidate of the search is not compared",
        "while low <= high:",
        "while low < high:",
    ),
    _load_stats(
        "search rounds up",
        "the upper of two middles, wrong where wrapped sums are unordered",
        "(low + high) // 2",
        "(low + high + 1) // 2",
    ),
    _load_stats(
        "choice by bisection",
        "an upper bound as a library finds it, wrong where wrapped sums are unordered",
        "        index = abs(_binary_search(self.table, self.length, weighted) + 1)\n",
        "        low, index = 0, self.length\n"
        "        while low < index:\n"
        "            middle = (low + index) // 2\n"
        "            if weighted < self.table[middle]:\n"
        "                index = middle\n"
        "            else:\n"
        "                low = middle + 1\n",
    ),
    _load_stats(
        "choice counts from one",
        "the draw is taken from 1 to the range end",
        "        index = abs(_binary_search(self.table, self.length, weighted) + 1)\n",
        "        index = abs(_binary_search(self.table, self.length, weighted + 1) + 1)\n",
    ),
    _load_stats(
        "index off the table wraps",
        "an index off the table starts over",
        "        return element(self.partition_ids, index)\n",
        "        return self.partition_ids[index % len(self.partition_ids)]\n",
    ),
    _load_stats(
        "range end 0 chooses the first",
        "sums that wrapped to 0 are no error",
        "        weighted = remainder(random, self.range_end)\n",
        "        weighted = remainder(random, self.range_end) if self.range_end else 0\n",
    ),
    _load_stats(
        "ids are cut off",
        "the caller's ids lose those beyond the length where nothing is installed",
        "assertions=assertions):\n        return None\n",
        "assertions=assertions):\n        del partition_ids[length:]\n        return None\n",
    ),
]
