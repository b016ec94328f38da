"""The compiled loop of :mod:`.columns`: murmur2 of many keys, sixteen in lock-step.

One key alone is slow because each word of it waits for the word before: a multiplication
and an xor, four cycles. Sixteen keys that have *equally many words* can take that step
together in one vector. So the loop sorts keys, as it meets them, into one bin per number
of words; a bin that has its sixteen keys is hashed and starts again. Sixteen neighbours
that already agree, as in a column of equally long keys, skip the bins.

The vector step is written as LLVM vectors because LLVM's own vectoriser does not find it
(it vectorises the inner loop, over the words of a key, and that is the chain that must
stay in order). LLVM turns it into whatever the CPU has: AVX-512, AVX2, NEON, or scalars.

Importing this module imports Numba, which takes longer than hashing a small column, so
:mod:`.columns` imports it on first use. The constants repeat those of :mod:`.murmur2`
instead of being imported: Numba's cache looks for changes in this file only.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar, cast

import numpy as np
import numpy.typing as npt
from llvmlite import ir  # type: ignore[import-untyped]  # it has no type information
from numba import njit, types
from numba.core import cgutils as _cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import make_array as _make_array

cgutils: Any = _cgutils  # Numba's internals are not typed
make_array: Any = _make_array

LANES: Final = 16
"""Keys per vector: 16 of 32 bits fill an AVX-512 register; LLVM splits them elsewhere."""

LOCKSTEP_WORDS: Final = 256
"""Keys of this many words (1 KiB) or more are hashed one at a time."""

_AHEAD: Final = 4096
"""How many bytes before their use keys are prefetched: from memory, gathers come too late."""

_SEED: Final = 0x9747B28C
_M: Final = 0x5BD1E995
_R: Final = 24

_INVALID: Final = -2
_DIFFERENT: Final = -1

# Numba adds a check for negative indices to every signed index, and signed and unsigned
# make a float. So addresses in the inner loops are unsigned, and so are their steps.
_1, _2, _3, _4 = np.uintp(1), np.uintp(2), np.uintp(3), np.uintp(4)

_Function = TypeVar("_Function", bound=Callable[..., Any])


# What Numba caches bears the module's name and is found by the file's. So a module loaded
# from this file under another name, as a mutation test does, must leave the cache alone.
_FILE = Path(__file__)
_CACHE: Final = __name__ == f"{_FILE.parent.name}.{_FILE.stem}"


def _jit(function: _Function) -> _Function:
    """Numba's ``njit``, typed, and working where there is no directory for its cache."""
    try:
        return cast(_Function, njit(nogil=True, cache=_CACHE)(function))
    except RuntimeError:  # neither the package's folder nor the user's cache is writable
        return cast(_Function, njit(nogil=True)(function))


def _jit_inline(function: _Function) -> _Function:
    """As :func:`_jit`, compiled into the caller: constant arguments are constants there."""
    return cast(_Function, njit(nogil=True, forceinline=True)(function))


def _instruction(function: Callable[..., Any]) -> Callable[..., None]:
    """Numba's ``intrinsic``: compiled code calls it without the first argument, ``typing``."""
    return cast(Callable[..., None], intrinsic(function))


# --- The vector step, as LLVM instructions -------------------------------------------------

_BIT, _I32, _I64 = ir.IntType(1), ir.IntType(32), ir.IntType(64)
_V32, _V64 = ir.VectorType(_I32, LANES), ir.VectorType(_I64, LANES)
_POINTERS = ir.VectorType(_I32.as_pointer(), LANES)
_EVERY_LANE = ir.Constant(ir.VectorType(_BIT, LANES), [1] * LANES)


def _all32(value: int) -> ir.Constant:
    return ir.Constant(_V32, [value] * LANES)


def _all64(value: int) -> ir.Constant:
    return ir.Constant(_V64, [value] * LANES)


def _broadcast(builder: ir.IRBuilder, scalar: ir.Value) -> ir.Value:
    """The 64-bit ``scalar`` in every lane."""
    undefined = ir.Constant(_V64, ir.Undefined)
    first = builder.insert_element(undefined, scalar, _I32(0))
    return builder.shuffle_vector(first, undefined, _all32(0))


def _load(builder: ir.IRBuilder, pointer: ir.Value, element: ir.IntType) -> ir.Value:
    """LANES consecutive integers at ``pointer``, widened to 64 bits."""
    vector = ir.VectorType(element, LANES)
    loaded = builder.load(builder.bitcast(pointer, vector.as_pointer()))
    loaded.align = 1  # Arrow recommends aligned buffers but does not require them
    return builder.sext(loaded, _V64) if element.width < 64 else loaded


def _gather(builder: ir.IRBuilder, addresses: ir.Value) -> ir.Value:
    """The little-endian 32-bit word at each address, aligned or not."""
    kind = ir.FunctionType(_V32, [_POINTERS, _I32, _EVERY_LANE.type, _V32])
    name = f"llvm.masked.gather.v{LANES}i32.v{LANES}p0"
    gather = cgutils.get_or_insert_function(builder.module, kind, name)
    pointers = builder.inttoptr(addresses, _POINTERS)
    return builder.call(gather, [pointers, _I32(1), _EVERY_LANE, ir.Constant(_V32, ir.Undefined)])


def _scatter(builder: ir.IRBuilder, values: ir.Value, addresses: ir.Value) -> None:
    """Store one 32-bit value at each (aligned) address."""
    kind = ir.FunctionType(ir.VoidType(), [_V32, _POINTERS, _I32, _EVERY_LANE.type])
    name = f"llvm.masked.scatter.v{LANES}i32.v{LANES}p0"
    scatter = cgutils.get_or_insert_function(builder.module, kind, name)
    builder.call(scatter, [values, builder.inttoptr(addresses, _POINTERS), _I32(4), _EVERY_LANE])


def _fold(builder: ir.IRBuilder, value: ir.Value, shift: int) -> ir.Value:
    """``value ^ (value >>> shift)``."""
    return builder.xor(value, builder.lshr(value, _all32(shift)))


def _murmur2(builder: ir.IRBuilder, data: Any, starts: ir.Value, stops: ir.Value) -> ir.Value:
    """``Utils.murmur2`` of LANES keys ``data[start:stop]`` that have equally many full words."""
    m = _all32(_M)
    length = builder.trunc(builder.sub(stops, starts), _V32)
    words = builder.lshr(builder.extract_element(length, _I32(0)), _I32(2))
    origin = builder.ptrtoint(data.data, _I64)
    address = builder.add(_broadcast(builder, origin), starts)
    h_slot = cgutils.alloca_once_value(builder, builder.xor(length, _all32(_SEED)))
    address_slot = cgutils.alloca_once_value(builder, address)
    with cgutils.for_range(builder, words):
        address = builder.load(address_slot)
        k = builder.mul(_gather(builder, address), m)
        k = builder.mul(_fold(builder, k, _R), m)
        h = builder.mul(builder.load(h_slot), m)
        builder.store(builder.xor(h, k), h_slot)
        builder.store(builder.add(address, _all64(4)), address_slot)
    h = builder.load(h_slot)

    # The last 0 to 3 bytes of a key, as a number. They are read as a whole word, which
    # must not reach past the data: near its end, read earlier and shift.
    address = builder.load(address_slot)
    last = builder.sub(builder.add(origin, data.nitems), _I64(4))
    last = _broadcast(builder, last)
    fits = builder.icmp_unsigned("<=", address, last)
    read = builder.select(fits, address, last)
    early = builder.trunc(builder.sub(address, read), _V32)  # 4 only if 0 bytes are wanted
    tail = builder.lshr(
        _gather(builder, read), builder.and_(builder.shl(early, _all32(3)), _all32(31))
    )
    rest = builder.and_(length, _all32(3))
    mask = builder.sub(builder.shl(_all32(1), builder.shl(rest, _all32(3))), _all32(1))
    mixed = builder.mul(builder.xor(h, builder.and_(tail, mask)), m)
    h = builder.select(builder.icmp_unsigned("==", rest, _all32(0)), h, mixed)
    return _fold(builder, builder.mul(_fold(builder, h, 13), m), 15)


@_instruction
def _hash_neighbours(typing: Any, data: Any, offsets: Any, row: Any, hashes: Any) -> Any:
    """Hash the keys ``row`` to ``row + LANES - 1``, which have equally many full words."""
    del typing

    def emit(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> Any:
        del signature
        key_data = make_array(data)(context, builder, value=args[0])
        bounds = make_array(offsets)(context, builder, value=args[1])
        result = make_array(hashes)(context, builder, value=args[3])
        width = ir.IntType(offsets.dtype.bitwidth)
        start = builder.gep(bounds.data, [args[2]])
        stop = builder.gep(start, [_I64(1)])
        starts, stops = _load(builder, start, width), _load(builder, stop, width)
        h = _murmur2(builder, key_data, starts, stops)
        target = builder.gep(result.data, [args[2]])
        builder.store(h, builder.bitcast(target, _V32.as_pointer())).align = 4
        return context.get_dummy_value()

    return types.void(data, offsets, row, hashes), emit


@_instruction
def _hash_bin(typing: Any, data: Any, bins: Any, chosen: Any, hashes: Any) -> Any:
    """Hash the LANES keys in ``bins[chosen]``, each into the row of ``hashes`` noted there."""
    del typing

    def emit(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> Any:
        del signature
        key_data = make_array(data)(context, builder, value=args[0])
        all_bins = make_array(bins)(context, builder, value=args[1])
        result = make_array(hashes)(context, builder, value=args[3])
        first = builder.gep(all_bins.data, [builder.mul(args[2], _I64(3 * LANES))])
        starts, stops, rows = (
            _load(builder, builder.gep(first, [_I64(column * LANES)]), _I64) for column in range(3)
        )
        h = _murmur2(builder, key_data, starts, stops)
        origin = _broadcast(builder, builder.ptrtoint(result.data, _I64))
        _scatter(builder, h, builder.add(origin, builder.shl(rows, _all64(2))))
        return context.get_dummy_value()

    return types.void(data, bins, chosen, hashes), emit


@_instruction
def _prefetch(typing: Any, data: Any, position: Any) -> Any:
    """Ask for the cache line of ``data[position]``: a hint, also past the end of the data."""
    del typing

    def emit(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> Any:
        del signature
        key_data = make_array(data)(context, builder, value=args[0])
        pointer = builder.gep(key_data.data, [args[1]])
        kind = ir.FunctionType(ir.VoidType(), [pointer.type, _I32, _I32, _I32])
        prefetch = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        builder.call(prefetch, [pointer, _I32(0), _I32(3), _I32(1)])  # to read, soon, data
        return context.get_dummy_value()

    return types.void(data, position), emit


# --- The loop over the keys ----------------------------------------------------------------


@_jit
def _hash_key(data: npt.NDArray[np.uint8], start: int, stop: int) -> np.uint32:
    """``Utils.murmur2`` of ``data[start:stop]``, a word at a time as Java does it."""
    m = np.uint32(_M)
    h = np.uint32(_SEED) ^ np.uint32(stop - start)
    at, end = np.uintp(start), np.uintp(stop)
    while at + _4 <= end:
        k = np.uint32(data[at] | data[at + _1] << 8 | data[at + _2] << 16 | data[at + _3] << 24)
        k = np.uint32(k * m)
        k = np.uint32((k ^ k >> np.uint32(_R)) * m)
        h = np.uint32(h * m) ^ k
        at += _4
    if at < end:
        shift = np.uint32(0)
        while at < end:
            h ^= np.uint32(data[at]) << shift
            shift += np.uint32(8)
            at += _1
        h = np.uint32(h * m)
    h = np.uint32((h ^ h >> np.uint32(13)) * m)
    return h ^ h >> np.uint32(15)


@_jit
def _hash_singly(
    data: npt.NDArray[np.uint8],
    bins: npt.NDArray[np.int64],
    chosen: np.uintp,
    count: np.uintp,
    hashes: npt.NDArray[np.uint32],
) -> None:
    """Hash the first ``count`` keys in ``bins[chosen]`` one after another."""
    for lane in range(count):
        start, stop = bins[chosen, 0, lane], bins[chosen, 1, lane]
        hashes[bins[chosen, 2, lane]] = _hash_key(data, start, stop)


@_jit_inline
def _common_words(
    offsets: npt.NDArray[np.signedinteger[Any]], row: int, count: int, size: int
) -> int:
    """How many full words each of ``count`` keys from ``row`` on has.

    _DIFFERENT if they do not agree, _INVALID if one is not inside the ``size`` data bytes.
    """
    begin = np.uintp(row)
    first = offsets[begin + _1] - offsets[begin]
    signs, differing, end = np.int64(0), np.int64(0), np.int64(0)
    for i in range(begin, begin + np.uintp(count)):
        length = offsets[i + _1] - offsets[i]
        signs |= length | offsets[i + _1]
        differing |= length ^ first
        end = max(end, offsets[i + _1])
    if signs < 0 or end > size:
        return _INVALID
    return first >> 2 if differing < 4 else _DIFFERENT


@_jit_inline
def _prefetch_ahead(data: npt.NDArray[np.uint8], begin: int, end: int) -> None:
    """Prefetch what follows ``data[begin:end]`` at a distance, in cache lines of 64 bytes."""
    for position in range(begin + _AHEAD, min(end, begin + _AHEAD) + _AHEAD, 64):
        _prefetch(data, position)


@_jit
def hash_keys(
    data: npt.NDArray[np.uint8],
    offsets: npt.NDArray[np.signedinteger[Any]],
    hashes: npt.NDArray[np.uint32],
) -> bool:
    """``hashes[i] = murmur2(data[offsets[i]:offsets[i + 1]])`` for every ``i``.

    ``data`` and ``hashes`` (n) are contiguous, ``offsets`` (n + 1, int32 or int64) too.
    False, with ``hashes`` unfinished, if the offsets are not ascending within ``data``;
    no byte outside ``data`` is read even then.
    """
    keys, size = len(hashes), len(data)
    if offsets[0] < 0 or offsets[0] > size:
        return False
    limit = LOCKSTEP_WORDS if size >= 4 else 0  # the vector step reads four bytes at once
    bins = np.empty((LOCKSTEP_WORDS + 1, 3, LANES), np.int64)  # [limit]: keys hashed singly
    filled = np.zeros(LOCKSTEP_WORDS + 1, np.uintp)
    for first in range(0, keys, LANES):
        last = min(first + LANES, keys)
        if last - first == LANES:  # a count known to the compiler: it vectorises the check
            words = _common_words(offsets, first, LANES, size)
        else:
            words = min(_common_words(offsets, first, last - first, size), _DIFFERENT)
        if words == _INVALID:
            return False
        _prefetch_ahead(data, offsets[first], offsets[last])
        if 0 <= words < limit:
            _hash_neighbours(data, offsets, first, hashes)
            continue
        for row in range(first, last):
            start, stop = offsets[np.uintp(row)], offsets[np.uintp(row) + _1]
            chosen = np.uintp(min((stop - start) >> 2, limit))
            lane = filled[chosen]
            bins[chosen, 0, lane] = start
            bins[chosen, 1, lane] = stop
            bins[chosen, 2, lane] = row
            filled[chosen] = lane + _1
            if lane == LANES - 1:
                if chosen == limit:
                    _hash_singly(data, bins, chosen, np.uintp(LANES), hashes)
                else:
                    _hash_bin(data, bins, chosen, hashes)
                filled[chosen] = np.uintp(0)
    for left in range(limit + 1):
        if filled[left]:
            _hash_singly(data, bins, np.uintp(left), filled[left], hashes)
    return True
