"""The result of a comparison in words, and for programs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

from kmirror.verify.result import PartitionResult, Verdict, VerifyReport, records


def render(report: VerifyReport, *, only_problems: bool = False) -> str:
    """
    Return one line per partition, and one for all.

    Args:
        report: What was found.
        only_problems: Leave out the partitions that are identical.
    """
    return "\n".join(_lines(report, only_problems))


def describe(result: PartitionResult) -> str:
    """Say in one line what was found in one partition."""
    notes = list(_notes(result))
    if result.identical and result.compacted_keys is None:
        notes.insert(0, f"identical, {records(result.equal_records)}, hash {result.source_hash}")
    elif result.identical:
        notes.insert(0, f"identical, {records(result.equal_records)} on both sides")
    return f"{result.source} -> {result.target}: {'; '.join(notes)}"


def plain(report: VerifyReport) -> dict[str, object]:
    """Return the report as JSON has it: partitions by name, verdicts and differences."""
    return {
        "verdict": report.verdict.value,
        "reason": report.reason,
        "records": report.records,
        "behind": report.behind,
        "partitions": [
            asdict(result)
            | {"source": str(result.source), "target": str(result.target)}
            | {"verdict": result.verdict.value}
            for result in report.partitions
        ],
    }


def _lines(report: VerifyReport, only_problems: bool) -> Iterator[str]:
    for result in report.partitions:
        if not (only_problems and result.identical):
            yield describe(result)
    verdicts = [result.verdict for result in report.partitions]
    total = _partitions(len(verdicts))
    behind = verdicts.count(Verdict.BEHIND)
    match report.verdict:
        case Verdict.IDENTICAL:
            yield f"identical: {total}, {records(report.records)}"
        case Verdict.BEHIND:
            left = f"{records(report.behind)} not copied yet"
            yield f"behind: {behind} of {total}, {left}; all that is copied is identical"
        case Verdict.DIFFERENT:
            also = f"; {behind} behind" if behind else ""
            yield f"NOT identical: {verdicts.count(Verdict.DIFFERENT)} of {total}{also}"
        case Verdict.NOT_COMPARED:
            yield f"nothing was compared: {report.reason or 'no partition is selected'}"


def _partitions(count: int) -> str:
    return "1 partition" if count == 1 else f"{count} partitions"


def _notes(result: PartitionResult) -> Iterator[str]:
    if result.error:
        yield f"not compared: {result.error}"
        return
    if result.difference is not None:
        equal = records(result.difference.index)
        yield f"differs after {equal}: {result.difference.words}"
        yield f"source {records(result.source_records)}, target {result.target_records}"
    if result.compacted_keys is not None:
        keys = "1 key" if result.compacted_keys == 1 else f"{result.compacted_keys} keys"
        yield f"compacted: compared the last record of {keys}"
    if result.behind:
        yield f"behind: {records(result.behind)} not copied yet, {result.equal_records} equal"
    if result.older_on_target:
        yield f"only on target: {records(result.older_on_target, 'older')}"
    if result.older_on_source:
        yield f"only on source: {records(result.older_on_source, 'older')}"
    if result.newer_on_target:
        yield f"copied meanwhile: {records(result.newer_on_target)}"
    if result.open_transaction:
        yield "a transaction is open on the target"
    if not result.timestamps_compared:
        yield "timestamps not compared (the target's message.timestamp.type is LogAppendTime)"
