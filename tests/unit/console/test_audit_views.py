"""What audits have found, as the console says it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kmirror.api.audits import Audited, WindowCounts
from kmirror.console.audit_views import audit_views
from kmirror.model import Flow, TopicPartition
from kmirror.plans.audit_book import KEPT_WINDOWS_MAX
from kmirror.wire.audit_windows import AuditVerdict
from tests.support.synthetic_audit import WINDOW, audited

AB = Flow("A", "B")
T, U = TopicPartition("t", 0), TopicPartition("u", 3)
NOW_MS = 1_750_000_000_000
SAME, LACKS, UNKNOWN = AuditVerdict.IDENTICAL, AuditVerdict.MISSING, AuditVerdict.UNDECIDABLE


@pytest.mark.parametrize(
    ("verdicts", "said"),
    [
        ((), Audited.NOTHING),
        ((SAME, SAME), Audited.IDENTICAL),
        ((SAME, UNKNOWN), Audited.UNDECIDABLE),
        ((SAME, UNKNOWN, LACKS), Audited.DIFFERENT),
        ((AuditVerdict.EXTRA,), Audited.DIFFERENT),
        ((AuditVerdict.DIFFERENT,), Audited.DIFFERENT),
    ],
)
def test_the_worst_window_counts(verdicts: tuple[AuditVerdict, ...], said: Audited) -> None:
    """For the flow as for the topic and the partition."""
    found = audit_views(audited(AB, {T: verdicts}, now_ms=NOW_MS))
    assert found.verdict is found.topics[0].verdict is found.partitions[0].verdict is said


def test_what_was_only_verified_is_identical() -> None:
    """`verify --record` writes ranges, and no windows."""
    standing = replace(audited(AB, {T: [SAME]}, now_ms=NOW_MS), windows=())
    found = audit_views(standing)
    assert (found.verdict, found.share, found.rate) == (Audited.IDENTICAL, 0.5, None)
    assert found.last is not None


def test_how_much_was_compared() -> None:
    """Of what is copied and still there; what cannot be decided was not."""
    found = audit_views(audited(AB, {T: [SAME, LACKS, UNKNOWN], U: []}, now_ms=NOW_MS))
    assert [each.share for each in found.partitions] == [0.5, 0.0]
    assert found.share == pytest.approx(2 / 5)
    assert found.counts == WindowCounts(identical=1, missing=1, undecidable=1)
    (t, u) = found.topics
    assert (t.topic, t.share, t.behind) == ("t", 0.5, WINDOW)
    assert (u.topic, u.share, u.last_ms) == ("u", 0.0, None)
    nothing = audit_views(audited(AB, {}, now_ms=NOW_MS))
    assert (nothing.verdict, nothing.share, nothing.last) == (Audited.NOTHING, None, None)


def test_what_was_deleted_since_counts_for_nothing() -> None:
    standing = audited(AB, {T: [SAME, SAME]}, now_ms=NOW_MS)
    (part,) = standing.partitions
    facts = replace(part.facts, log_start=WINDOW)
    found = audit_views(replace(standing, partitions=(replace(part, facts=facts),)))
    assert found.share == 0.5


def test_the_worst_comes_first() -> None:
    found = audit_views(audited(AB, {T: [SAME, SAME], U: [UNKNOWN, LACKS]}, now_ms=NOW_MS))
    assert [each.topic for each in found.partitions] == ["u", "t"]
    assert [each.verdict for each in found.windows] == [LACKS, UNKNOWN, SAME, SAME]
    assert found.windows[0].offset == WINDOW + 7
    assert found.windows[0].copy_offset is None


def test_the_rate_is_of_a_time_of_which_all_is_kept() -> None:
    """Of 15 minutes; or of less, where older windows have given way to newer ones."""
    slow = audit_views(audited(AB, {T: [SAME] * 9}, now_ms=NOW_MS)).rate
    assert slow is not None
    assert slow.records_per_s == pytest.approx(9 * WINDOW / 900)
    many = [SAME] * KEPT_WINDOWS_MAX
    full = audit_views(audited(AB, {T: many}, now_ms=NOW_MS)).rate
    assert full is not None
    assert full.records_per_s == pytest.approx(WINDOW, rel=0.01)
    old = audited(AB, {T: [SAME]}, now_ms=NOW_MS)
    later = audit_views(replace(old, read_ms=NOW_MS + 3_600_000)).rate
    assert later is not None
    assert later.bytes_per_s == 0
