"""The words of a report, and when two partitions count as identical."""

from __future__ import annotations

from dataclasses import replace

from kmirror.model import TopicPartition
from kmirror.verify.report import describe, render
from kmirror.verify.result import Difference, PartitionResult, VerifyReport

SAME = PartitionResult(
    source=TopicPartition("t", 0),
    target=TopicPartition("A.t", 0),
    source_records=3,
    target_records=3,
    equal_records=3,
    source_hash="ab",
    target_hash="ab",
)
DIFFERENCE = Difference(
    kind="value", index=2, source_offset=12, target_offset=22, words="value differs"
)
OTHER = replace(SAME, difference=DIFFERENCE, equal_records=2)


def test_identical() -> None:
    """One line per partition and one for all."""
    report = VerifyReport(partitions=(SAME,))
    assert report.identical
    assert render(report).splitlines() == [
        "t-0 -> A.t-0: identical, 3 records, hash ab",
        "identical: 1 partitions, 3 records",
    ]
    assert render(report, only_problems=True) == "identical: 1 partitions, 3 records"


def test_different() -> None:
    """The first difference is named."""
    report = VerifyReport(partitions=(SAME, OTHER))
    assert not report.identical
    assert render(report, only_problems=True).splitlines() == [
        "t-0 -> A.t-0: differs after 2 records: value differs; source 3 records, target 3",
        "NOT identical: 1 of 2 partitions",
    ]


def test_what_is_no_difference() -> None:
    """Retention at the source, copying meanwhile."""
    assert replace(SAME, older_on_target=4, newer_on_target=1).identical
    assert "only on target: 4 older records" in describe(replace(SAME, older_on_target=4))
    assert replace(SAME, older_on_source=4, older_allowed=True).identical


def test_what_is_a_difference() -> None:
    """Behind, never copied, not compared, nothing compared."""
    assert not replace(SAME, behind=1).identical
    assert "behind: 1 record not copied yet" in describe(replace(SAME, behind=1))
    assert not replace(SAME, older_on_source=1).identical
    assert not replace(SAME, error="gone").identical
    assert not VerifyReport(partitions=()).identical
    assert "nothing was compared" in render(VerifyReport(partitions=()))


def test_timestamps_that_were_not_compared_are_said() -> None:
    """An identical result must not claim more than was looked at."""
    assert "timestamps not compared" in describe(replace(SAME, timestamps_compared=False))
