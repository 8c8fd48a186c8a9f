"""One batch that is there twice: the producer's log beside the target's offsets."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kmirror_lab.duplicates.audit import Sample
from kmirror_lab.duplicates.course import course, seen_s
from kmirror_lab.duplicates.duplicated_batch import (
    RepeatedRecords,
    duplicated_batch,
    first_repeated,
    retries_in,
)

# Of a real run, `slow-link-large-batches`.
_PRODUCER = "[Producer clientId=connector-producer-MirrorSourceConnector-0]"
_LOG = f"""\
2026-11-22T12:30:21,232 INFO  TransactionManager: [Producer clientId=us-east-1->us-east-2|Mirror\
SourceConnector-0|offset-syncs-source-producer] ProducerId set to 0 with epoch 0
2026-11-22T12:30:24,619 INFO  NetworkClient: {_PRODUCER} Disconnecting from node 1 due to request \
timeout.
2026-11-22T12:30:24,621 INFO  NetworkClient: {_PRODUCER} Cancelled in-flight PRODUCE request with \
correlation id 12 due to node 1 being disconnected (elapsed time since creation: 557ms, elapsed \
time since send: 557ms, throttle time: 0ms, request timeout: 500ms)
2026-11-22T12:30:24,622 WARN  Sender: {_PRODUCER} Got error produce response with correlation id \
12 on topic-partition us-east-1.orders-0, retrying (0 attempts left). Error: REQUEST_TIMED_OUT. \
Error Message: Disconnected from node 1 due to timeout
2026-11-22T12:30:25,472 INFO  NetworkClient: {_PRODUCER} Disconnecting from node 1 due to request \
timeout.
2026-11-22T12:30:25,473 INFO  NetworkClient: {_PRODUCER} Cancelled in-flight PRODUCE request with \
correlation id 15 due to node 1 being disconnected (elapsed time since creation: 501ms, elapsed \
time since send: 501ms, throttle time: 0ms, request timeout: 500ms)
2026-11-22T12:30:25,474 WARN  Sender: {_PRODUCER} Got error produce response with correlation id \
15 on topic-partition us-east-1.heartbeats-0, retrying (0 attempts left). Error: \
REQUEST_TIMED_OUT. Error Message: Disconnected from node 1 due to timeout
2026-11-22T12:30:25,475 ERROR AbstractWorkerSourceTask: WorkerSourceTask{{id=MirrorSourceConnector\
-0}} failed to send record to us-east-1.orders:
org.apache.kafka.common.errors.TimeoutException: Disconnected from node 1 due to timeout
"""


def test_the_log_tells_when() -> None:
    """Sent, given up, sent again, given up again; another topic's batch is not ours."""
    (found,) = retries_in(_LOG)
    began_s = found.sent_s
    assert found.partition == 0
    assert found.timed_out_s - began_s == pytest.approx(0.557)
    assert found.again_s is not None
    assert found.again_s - began_s == pytest.approx(0.908)
    assert found.gave_up_s is not None
    assert found.gave_up_s - began_s == pytest.approx(1.409)
    assert found.words[0] == "12:30:24,619 Disconnecting from node 1 due to request timeout."
    assert "elapsed time since send: 557ms" in found.words[1]
    assert "retrying (0 attempts left)" in found.words[2]
    assert len(found.words) == 5


def test_a_second_try_that_was_answered() -> None:
    """The log has no word on it; a request much later is another one."""
    head, _, tail = _LOG.partition("2026-11-22T12:30:25,472")
    (found,) = retries_in(head)
    assert (found.again_s, found.gave_up_s) == (None, None)
    (found,) = retries_in(head + "2026-11-22T12:30:25,472" + tail.replace("id 15", "id 25"))
    assert found.again_s is None
    assert retries_in("") == []
    assert retries_in(_LOG.partition("2026-11-22T12:30:24,622")[0]) == []


@pytest.mark.parametrize(
    ("copy", "expected"),
    [
        ("abcdef", None),
        ("", None),
        ("aa", (1, (0, 0), (1, 1))),
        ("abcabcdefdef", (3, (0, 2), (3, 5))),
        ("xabab", (2, (1, 2), (3, 4))),
        ("abab" + "ab", (2, (0, 1), (2, 3))),
        ("abcdbc", (2, (1, 2), (4, 5))),
        ("abxcab", (2, (0, 1), (4, 5))),
    ],
)
def test_the_first_pair(copy: str, expected: tuple[object, ...] | None) -> None:
    """The first records that are there again, as many as are in a row in both copies."""
    found = first_repeated([(offset, ord(letter)) for offset, letter in enumerate(copy)])
    assert (found and (found.records, found.first, found.second)) == expected


@settings(deadline=None)  # a busy machine is no failure
@given(st.lists(st.integers(0, 9), max_size=30))
def test_a_pair_is_one(numbers: list[int]) -> None:
    """Whatever there is: two ranges of the same numbers that do not overlap."""
    found = first_repeated(list(enumerate(numbers)))
    assert (found is None) == (len(set(numbers)) == len(numbers))
    if found is not None:
        (begin, end), (again, last) = found.first, found.second
        assert end < again
        assert numbers[begin : end + 1] == numbers[again : last + 1]
        assert end - begin + 1 == found.records


def test_log_and_target_side_by_side() -> None:
    """The last batch that was sent before its first copy was seen; times from the first record."""
    (only,) = retries_in(_LOG)
    repeated = RepeatedRecords(records=3, first=(1, 3), second=(4, 6))
    found = duplicated_batch(0, repeated, [only], seen_s=(1.25, 2.5), began_s=only.sent_s - 0.1)
    assert found is not None
    assert (found.sent_s, found.timed_out_s) == (0.1, 0.657)
    assert (found.again_s, found.gave_up_s) == (1.008, 1.509)
    assert (found.first_seen_s, found.second_seen_s) == (1.25, 2.5)
    assert (found.records, found.first, found.second) == (3, (1, 3), (4, 6))
    # Of another partition, or sent after it was there already.
    assert duplicated_batch(1, repeated, [only], seen_s=(1.25, 2.5), began_s=only.sent_s) is None
    assert (
        duplicated_batch(0, repeated, [only], seen_s=(1.25, 2.5), began_s=only.sent_s - 9) is None
    )
    assert duplicated_batch(0, repeated, [], seen_s=(1.25, 2.5), began_s=0) is None


def test_the_course() -> None:
    """What had come by each time; marks of transactions are no records, pauses are left out."""
    samples = [
        Sample(0.0, {}, 1),
        Sample(0.25, {0: 1}, 4),
        Sample(0.5, {0: 1}, 4),
        Sample(0.75, {0: 1}, 4),
        Sample(1.0, {0: 4, 1: 2}, 4),
    ]
    # Offset 0 of each is the first record, which is not counted; 2 of partition 0 is a mark.
    copies = {0: [(1, 10), (3, 10)], 1: [(1, 11)]}
    found = [(each.at_s, *each.counts) for each in course(samples, copies)]
    assert found == [(0, 1, 0, 0), (0.25, 4, 0, 0), (0.75, 4, 0, 0), (1, 4, 3, 2)]
    assert course([], copies) == ()
    assert seen_s(samples, 0, 3) == 1.0
    assert seen_s(samples, 0, 0) == 0.25
    assert seen_s(samples, 0, 9) is None
