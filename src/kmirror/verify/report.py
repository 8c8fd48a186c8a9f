"""The result of a comparison in words."""

from __future__ import annotations

from collections.abc import Iterator

from kmirror.verify.result import PartitionResult, VerifyReport


def render(report: VerifyReport, *, only_problems: bool = False) -> str:
    """
    Give one line per partition, and one for all.

    Args:
        report: What was found.
        only_problems: Leave out the partitions that are identical.
    """
    return "\n".join(_lines(report, only_problems))


def describe(result: PartitionResult) -> str:
    """Say in one line what was found in one partition."""
    notes = list(_notes(result))
    if result.identical and result.compacted_keys is None:
        notes.insert(0, f"identical, {_records(result.equal_records)}, hash {result.source_hash}")
    elif result.identical:
        notes.insert(0, f"identical, {_records(result.equal_records)} on both sides")
    return f"{result.source} -> {result.target}: {'; '.join(notes)}"


def _lines(report: VerifyReport, only_problems: bool) -> Iterator[str]:
    for result in report.partitions:
        if not (only_problems and result.identical):
            yield describe(result)
    if not report.partitions:
        yield "nothing was compared: no partition is selected"
        return
    wrong = sum(not result.identical for result in report.partitions)
    total = len(report.partitions)
    if wrong:
        yield f"NOT identical: {wrong} of {total} partitions"
    else:
        yield f"identical: {total} partitions, {_records(report.records)}"


def _notes(result: PartitionResult) -> Iterator[str]:
    if result.error:
        yield f"not compared: {result.error}"
        return
    if result.difference is not None:
        equal = _records(result.difference.index)
        yield f"differs after {equal}: {result.difference.words}"
        yield f"source {_records(result.source_records)}, target {result.target_records}"
    if result.compacted_keys is not None:
        keys = "1 key" if result.compacted_keys == 1 else f"{result.compacted_keys} keys"
        yield f"compacted: compared the last record of {keys}"
    if result.behind:
        yield f"behind: {_records(result.behind)} not copied yet, {result.equal_records} equal"
    if result.older_on_target:
        yield f"only on target: {_records(result.older_on_target, 'older')}"
    if result.older_on_source:
        yield f"only on source: {_records(result.older_on_source, 'older')}"
    if result.newer_on_target:
        yield f"copied meanwhile: {_records(result.newer_on_target)}"
    if result.open_transaction:
        yield "a transaction is open on the target"
    if not result.timestamps_compared:
        yield "timestamps not compared (the target's message.timestamp.type is LogAppendTime)"


def _records(count: int, kind: str = "") -> str:
    noun = "record" if count == 1 else "records"
    return f"{count} {kind} {noun}" if kind else f"{count} {noun}"
