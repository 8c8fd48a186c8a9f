"""The first record in which both sides of a window differ."""

from __future__ import annotations

import pytest

from kmirror.audit.locate import located
from kmirror.verify.lockstep import LockStep, Row
from kmirror.wire.audit_windows import AuditVerdict


def rows(*numbers: int) -> list[Row]:
    """Give records."""
    return [(b"k", str(number).encode(), (), 0) for number in numbers]


def compared(source: list[Row], target: list[Row]) -> LockStep:
    """Compare two logs that begin at 100 and at 200."""
    step = LockStep()
    if source:
        step.feed_source(source, range(100, 100 + len(source)))
    step.end_source()
    if target:
        step.feed_target(target, range(200, 200 + len(target)))
    step.end_target()
    return step


@pytest.mark.parametrize(
    ("target", "verdict", "kind", "offset", "copy_offset"),
    [
        (rows(0, 1, 2), AuditVerdict.IDENTICAL, "", None, None),
        (rows(0, 9, 2), AuditVerdict.DIFFERENT, "value", 101, 201),
        (rows(0, 2), AuditVerdict.MISSING, "missing", 101, 201),
        (rows(0, 1), AuditVerdict.MISSING, "missing", 102, None),
        (rows(0, 0, 1, 2), AuditVerdict.EXTRA, "extra", 101, 201),
        (rows(0, 1, 2, 3), AuditVerdict.EXTRA, "extra", None, 203),
        (rows(0, 2, 1), AuditVerdict.DIFFERENT, "reordered", 101, 202),
    ],
)
def test_what_differs_is_named(
    target: list[Row],
    verdict: AuditVerdict,
    kind: str,
    offset: int | None,
    copy_offset: int | None,
) -> None:
    found = located(compared(rows(0, 1, 2), target), 0)
    assert (found.verdict, found.kind) == (verdict, kind)
    assert (found.offset, found.copy_offset) == (offset, copy_offset)


def test_what_was_left_out_on_purpose_is_no_difference() -> None:
    found = located(compared(rows(0, 2), rows(0, 2)), 1)
    assert found.verdict is AuditVerdict.UNDECIDABLE
    assert "kmirror.poison" in found.words
