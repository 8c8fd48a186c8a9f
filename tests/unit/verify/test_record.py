"""What of a comparison is written down."""

from __future__ import annotations

from collections.abc import Mapping

from kmirror.model import TopicPartition
from kmirror.plans.audit_book import AuditBook
from kmirror.verify.record import Recorded
from kmirror.verify.record import recorded as record
from kmirror.verify.result import Difference, PartitionResult, VerifyReport
from kmirror.wire.audit_windows import AuditVerdict, AuditWindow
from kmirror.wire.audits import Audit

T, COPY = TopicPartition("t", 0), TopicPartition("A.t", 0)
IDS = {T: ("s", "c")}
DIFFERENT = Difference(kind="key", index=1, source_offset=1, target_offset=1, words="another key")


def recorded(
    result: PartitionResult,
    known: Mapping[TopicPartition, Audit] | None = None,
    ids: Mapping[TopicPartition, tuple[str, str]] | None = None,
) -> tuple[Audit, ...]:
    """Give what would be written down."""
    return all_of(result, book_of(*(known or {}).values()), ids).audits


def all_of(
    result: PartitionResult,
    book: AuditBook,
    ids: Mapping[TopicPartition, tuple[str, str]] | None = None,
) -> Recorded:
    """Give the windows, too."""
    report = VerifyReport(partitions=(result,))
    return record(report, IDS if ids is None else ids, book, at_ms=9, by="ann")


def book_of(*things: Audit | AuditWindow) -> AuditBook:
    """Give a book in which things stand."""
    book = AuditBook()
    for each in things:
        book.take(*each.encode())
    return book


def identical(start: int, end: int) -> PartitionResult:
    """Give a result."""
    return PartitionResult(source=T, target=COPY, audited=(start, end))


def test_comparisons_add_up() -> None:
    (first,) = recorded(identical(0, 100))
    assert first.ranges == ((0, 100),)
    (second,) = recorded(identical(60, 200), {T: first})
    assert second.ranges == ((0, 200),)


def test_of_other_topics_nothing_is_kept() -> None:
    (first,) = recorded(identical(0, 100))
    (other,) = recorded(identical(0, 10), {T: first}, {T: ("new", "c")})
    assert other.ranges == ((0, 10),)
    assert recorded(identical(0, 100), ids={}) == ()


def test_a_difference_takes_back_what_was_found() -> None:
    (first,) = recorded(identical(0, 100))
    different = PartitionResult(source=T, target=COPY, difference=DIFFERENT)
    assert [each.ranges for each in recorded(different, {T: first})] == [()]
    assert recorded(different) == ()


def test_what_could_not_be_compared_says_nothing() -> None:
    (first,) = recorded(identical(0, 100))
    assert recorded(PartitionResult(source=T, target=COPY, error="gone"), {T: first}) == ()


def test_a_difference_stands_until_the_same_is_identical() -> None:
    different = PartitionResult(
        source=T, target=COPY, compared=(0, 100), difference=DIFFERENT, source_records=7
    )
    (window,) = all_of(different, AuditBook()).windows
    assert (window.start, window.end, window.offset) == (0, 100, 1)
    assert window.verdict is AuditVerdict.DIFFERENT
    book = book_of(window)
    assert all_of(identical(50, 100), book).gone == ()
    assert all_of(identical(0, 100), book).gone == (window.key,)
    # The same window again takes its own place.
    assert all_of(different, book).gone == ()


def test_where_the_continuous_audit_goes_on_stays() -> None:
    audit = Audit(
        partition=T, topic_id="s", copy_id="c", ranges=((0, 9),), at_ms=1, by="x", next=(9, 12)
    )
    for result in (
        identical(0, 100),
        PartitionResult(source=T, target=COPY, difference=DIFFERENT),
    ):
        (after,) = recorded(result, {T: audit})
        assert after.next == (9, 12)
