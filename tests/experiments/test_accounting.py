"""Every record accounted for: each way to go wrong is seen, and told."""

from dataclasses import replace

import numpy as np
import pytest

from conformance.experiments.accounting import (
    Account,
    account,
    batches_told_apart,
    same_records,
)
from conformance.experiments.logs import Found, LogBatch
from tests.experiments.made import batch, found, records

SENT = records([0, 1, 0, 1, 0])


def test_what_is_where_its_callback_said_is_clean() -> None:
    counted = account(SENT, found(SENT))
    assert counted.is_clean
    assert counted.nothing_lost
    assert (counted.sent, counted.delivered, counted.found) == (5, 5, 5)
    assert counted.told() == ""


def test_a_record_that_is_on_no_broker_is_lost() -> None:
    counted = account(SENT, found(SENT, without=(2,)))
    assert counted.lost == 1
    assert not counted.nothing_lost
    assert counted.told() == "of 5 records 1 lost"


def test_a_second_copy_is_told_and_nothing_is_lost_by_it() -> None:
    counted = account(SENT, found(SENT, again=(1, 3)))
    assert (counted.doubled, counted.lost, counted.misplaced) == (2, 0, 0)
    assert counted.nothing_lost
    assert not counted.is_clean


def test_a_record_at_another_offset_is_misplaced() -> None:
    there = found(SENT)
    offset = there.offset.copy()
    offset[4] = 7
    counted = account(SENT, replace(there, offset=offset))
    assert (counted.misplaced, counted.lost) == (1, 0)
    assert not counted.nothing_lost


def test_two_records_that_took_each_others_place_are_misplaced() -> None:
    there = found(SENT)
    number = there.number.copy()
    number[0], number[2] = number[2], number[0]
    assert account(SENT, replace(there, number=number)).misplaced == 2


def test_failed_records_are_told_by_their_exceptions() -> None:
    sent = records([0, 0, 0], errors={0: "TimeoutException", 2: "TimeoutException"})
    counted = account(sent, found(sent))
    assert (counted.failed, counted.delivered, counted.unanswered) == (2, 1, 0)
    assert counted.errors == {"TimeoutException": 2}
    assert "2 failed" in counted.told()
    assert "TimeoutException 2" in counted.told()


def test_a_failed_record_that_is_there_all_the_same_is_told() -> None:
    sent = records([0, 0], errors={1: "TimeoutException"})
    there = Found(*(np.array(column) for column in ([0, 0], [0, 1], [0, 0], [0, 1])))
    assert account(sent, there).written_though_failed == 1


def test_a_record_without_any_callback_is_unanswered() -> None:
    offset = SENT.offset.copy()
    offset[1] = -1
    counted = account(replace(SENT, offset=offset), found(SENT))
    assert counted.unanswered == 1
    assert not counted.nothing_lost


@pytest.mark.parametrize("number", [-1, 5, 2**40])
def test_a_number_that_was_never_sent_is_somebody_elses(number: int) -> None:
    there = found(SENT)
    numbers = there.number.copy()
    numbers[0] = number
    counted = account(SENT, replace(there, number=numbers))
    assert (counted.foreign, counted.lost) == (1, 1)


def test_an_empty_topic_has_lost_all() -> None:
    nothing = Found(*(np.array([], kind) for kind in (np.int32, np.int64, np.int64, np.int64)))
    counted = account(SENT, nothing)
    assert counted.lost == 5


def test_two_readings_are_the_same_whatever_their_order() -> None:
    one = found(SENT)
    turned = Found(*(getattr(one, name)[::-1] for name in Found.__slots__))
    assert same_records(one, turned)
    assert not same_records(one, found(SENT, without=(0,)))


def test_batches_are_told_apart_by_partition_first_record_and_count() -> None:
    sent = [batch(0, 0, 0, 3, at_ms=1, request=0), batch(1, 1, 1, 2, at_ms=1, request=1)]
    kept = [LogBatch(0, 0, 3, 196, 0, 0), LogBatch(1, 0, 2, 151, 0, 1)]
    assert batches_told_apart(sent, kept) == (0, 0)
    assert batches_told_apart([*sent, sent[0]], kept) == (0, 0)  # sent again
    assert batches_told_apart(sent, kept[:1]) == (1, 0)
    assert batches_told_apart(sent, [kept[0], LogBatch(1, 0, 1, 106, 0, 1)]) == (1, 1)


def test_all_counts_but_three_are_wrong_ones() -> None:
    nothing = Account(5, 5, 5, 0, 0, 0, 0, 0, 0, 0, {})
    assert nothing.is_clean
    for name in Account.__slots__[3:-1]:
        assert not replace(nothing, **{name: 1}).is_clean, name
