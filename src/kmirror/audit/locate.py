"""Finds the first record of a window in which both sides differ, record by record."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import closing
from dataclasses import dataclass

from kmirror.audit.next_window import PlannedWindow
from kmirror.ends.flow_ends import Ends
from kmirror.verify.lockstep import LockStep
from kmirror.verify.result import records
from kmirror.verify.rows import Meter, Range, RowReader, Rows
from kmirror.wire.audit_windows import AuditVerdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Located:
    """
    What a window is, record by record.

    Args:
        verdict: What it is.
        kind: What differs first, as in `verify.result.Kind`; empty when nothing does.
        offset: The source offset there; `None` when the source has no record there.
        copy_offset: The same on the target.
        words: The same for people.
    """

    verdict: AuditVerdict
    kind: str = ""
    offset: int | None = None
    copy_offset: int | None = None
    words: str = ""


def locate(
    ends: Ends, window: PlannedWindow, *, with_time: bool, left_out: Collection[range] = ()
) -> Located:
    """
    Read a window on both sides, and name the first difference.

    Args:
        ends: Both clusters.
        window: Which window.
        with_time: Timestamps have to be equal, too.
        left_out: Source offsets that the copy has gone on without, as the file says.

    Raises:
        ClusterError: One of the sides could not be read.
    """
    step, skipped = LockStep(), 0
    source, target = (
        RowReader(ends.source_reader, Meter(0, None)),
        RowReader(ends.target_reader, Meter(0, None)),
    )
    source.with_time = target.with_time = with_time
    ours = Range(
        partition=window.facts.source,
        start=window.start.source,
        end=window.end.source,
        log_end=window.end.source,
    )
    theirs = Range(
        partition=window.facts.target,
        start=window.start.target,
        end=window.end.target,
        log_end=window.end.target,
    )

    def expected(batches: Iterator[Rows]) -> Iterator[Rows]:
        nonlocal skipped
        for batch in batches:
            kept = _without(batch, left_out)
            skipped += len(batch[0]) - len(kept[0])
            yield kept

    with closing(source.stream(ours)) as rows, closing(target.stream(theirs)) as copies:
        step.run(expected(rows), copies)
    return located(step, skipped)


def _without(batch: Rows, left_out: Collection[range]) -> Rows:
    """Leave out the rows that nobody expects on the target."""
    if not left_out:
        return batch
    kept = [
        (row, offset)
        for row, offset in zip(*batch, strict=True)
        if not any(offset in each for each in left_out)
    ]
    return [row for row, _ in kept], [offset for _, offset in kept]


def located(step: LockStep, skipped: int) -> Located:
    """
    Say what a comparison means for a window.

    Args:
        step: Both sides were fed to it, to their ends.
        skipped: How many source records were not, because nobody expects them on the target.
    """
    found = step.difference
    if found is not None:
        return Located(
            verdict=AuditVerdict.of_kind(found.kind),
            kind=found.kind,
            offset=found.source_offset,
            copy_offset=found.target_offset,
            words=found.words,
        )
    if step.behind_from is not None:
        words = f"{records(step.behind)} from source offset {step.behind_from} on missing"
        return Located(
            verdict=AuditVerdict.MISSING,
            kind="missing",
            offset=step.behind_from,
            words=f"{words} on the target",
        )
    if skipped:
        return Located(
            verdict=AuditVerdict.UNDECIDABLE,
            words=f"{records(skipped)} left out by kmirror.poison; all others are identical",
        )
    return Located(verdict=AuditVerdict.IDENTICAL)
