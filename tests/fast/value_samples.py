"""Values of every type that an answer can have."""

from typing import Any

from hypothesis import strategies as st

from conformance.model.values import double, int64, mapping, thrown, to_json

_INT32 = st.integers(-(2**31), 2**31 - 1)
_PLAIN = st.one_of(
    st.none(),
    _INT32,
    st.text(st.characters(), max_size=5),
    st.binary(max_size=5),
    st.integers(-(2**63), 2**63 - 1).map(int64),
    st.floats().map(double),
    st.just(thrown("java.lang.NullPointerException")),
)


def _maps(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    pairs = st.tuples(inner, inner)
    return st.lists(pairs, max_size=3, unique_by=lambda pair: to_json(pair[0])).map(mapping)


VALUES = st.recursive(
    _PLAIN, lambda inner: st.lists(inner, max_size=3) | _maps(inner), max_leaves=6
)
