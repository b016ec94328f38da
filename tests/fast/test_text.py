"""Words of a testee in messages."""

from conformance.text import listed


def test_a_million_words_are_cut() -> None:
    assert listed([]) == ""
    assert listed(["a", "b"], 2) == "a, b"
    assert listed(list(map(str, range(10**6))), 3) == "0, 1, 2 and 999,997 more"
