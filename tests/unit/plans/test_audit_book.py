"""What is known of all audits of a flow."""

from __future__ import annotations

from kmirror.model import TopicPartition
from kmirror.plans.audit_book import KEPT_WINDOWS_MAX, AuditBook
from kmirror.wire.audit_windows import AuditVerdict, AuditWindow
from kmirror.wire.audits import Audit

T, COPY = TopicPartition("t", 0), TopicPartition("A.t", 0)
NOTHING = Audit(partition=T, topic_id="s", copy_id="c", ranges=(), at_ms=1, by="ann")


def window(
    start: int, end: int, verdict: AuditVerdict = AuditVerdict.IDENTICAL, topic_id: str = "s"
) -> AuditWindow:
    """Give a window."""
    return AuditWindow(
        partition=T,
        target=COPY,
        topic_id=topic_id,
        copy_id="c",
        start=start,
        end=end,
        copy_start=start,
        copy_end=end + 1,
        verdict=verdict,
        at_ms=start,
        by="bob",
    )


def book_of(*windows: AuditWindow) -> AuditBook:
    """Give a book in which windows stand."""
    book = AuditBook()
    for each in windows:
        book.take(*each.encode())
    return book


def test_identical_windows_add_up() -> None:
    audit, gone = AuditBook().replaced(NOTHING, [window(0, 10), window(10, 20)])
    assert (audit.ranges, audit.next, audit.by, gone) == (((0, 20),), (20, 21), "bob", [])


def test_a_difference_takes_its_window_back_and_no_other() -> None:
    known = NOTHING.with_range(0, 30)
    audit, gone = book_of(window(10, 20)).replaced(known, [window(10, 20, AuditVerdict.MISSING)])
    # The same window again takes its own place.
    assert (audit.ranges, gone) == (((0, 10), (20, 30)), [])


def test_what_was_compared_anew_goes() -> None:
    old = window(0, 10, AuditVerdict.EXTRA), window(10, 20), window(20, 30)
    _, gone = book_of(*old).replaced(NOTHING, [window(0, 15), window(15, 20)])
    assert gone == [old[1].key]
    _, gone = book_of(window(50, 60, topic_id="old")).replaced(NOTHING, [window(0, 15)])
    assert gone == [window(50, 60).key]


def test_the_oldest_identical_windows_go() -> None:
    bad = window(0, 1, AuditVerdict.DIFFERENT)
    old = [bad, *(window(at, at + 1) for at in range(1, KEPT_WINDOWS_MAX + 1))]
    end = KEPT_WINDOWS_MAX + 1
    _, gone = book_of(*old).replaced(NOTHING, [window(end, end + 1)])
    assert gone == [old[1].key]


def test_what_is_deleted_from_the_topic_is_forgotten() -> None:
    book = book_of(window(0, 10, AuditVerdict.MISSING))
    assert [each.start for each in book.differences()] == [0]
    book.take(*NOTHING.encode())
    assert book.audit_of(T, ("s", "c")) == NOTHING
    assert book.audit_of(T, ("new", "c")) is None
    for key in (window(0, 10).key, NOTHING.encode()[0]):
        book.take(key, None)
    assert (book.all_windows(), book.audits) == ([], {})


def test_windows_of_a_newer_version_are_left_alone() -> None:
    key, value = window(0, 10).encode()
    book = AuditBook()
    book.take(key, value.replace(b'"identical"', b'"another"'))
    book.take(key, b"{}")
    assert book.all_windows() == []
