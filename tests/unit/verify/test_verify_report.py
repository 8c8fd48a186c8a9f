"""The words of a report, and when two partitions count as identical."""

from __future__ import annotations

import json
from dataclasses import replace

from kmirror.model import TopicPartition
from kmirror.verify.report import describe, plain, render
from kmirror.verify.result import (
    Difference,
    PartitionResult,
    Verdict,
    VerifyReport,
    worst,
)

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
    assert report.verdict is Verdict.IDENTICAL
    assert render(report).splitlines() == [
        "t-0 -> A.t-0: identical, 3 records, hash ab",
        "identical: 1 partition, 3 records",
    ]
    assert render(report, only_problems=True) == "identical: 1 partition, 3 records"


def test_different() -> None:
    """The first difference is named."""
    report = VerifyReport(partitions=(SAME, OTHER))
    assert report.verdict is Verdict.DIFFERENT
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
    """Never copied, not compared."""
    assert replace(SAME, older_on_source=1).verdict is Verdict.DIFFERENT
    assert replace(SAME, error="gone").verdict is Verdict.DIFFERENT


def test_behind_is_no_difference() -> None:
    """It is told apart from what differs, for a partition and for all of them."""
    behind = replace(SAME, behind=2)
    assert behind.verdict is Verdict.BEHIND
    assert render(VerifyReport(partitions=(SAME, behind))).splitlines()[1:] == [
        "t-0 -> A.t-0: behind: 2 records not copied yet, 3 equal",
        "behind: 1 of 2 partitions, 2 records not copied yet; all that is copied is identical",
    ]
    both = VerifyReport(partitions=(SAME, behind, OTHER))
    assert both.verdict is Verdict.DIFFERENT
    assert render(both).splitlines()[-1] == "NOT identical: 1 of 3 partitions; 1 behind"


def test_nothing_compared() -> None:
    """It proves nothing, and the reason is said."""
    assert VerifyReport().verdict is Verdict.NOT_COMPARED
    assert render(VerifyReport()) == "nothing was compared: no partition is selected"
    assert render(VerifyReport(reason="so")) == "nothing was compared: so"


def test_the_worst_counts() -> None:
    """One flow that was not compared is worse than one that is behind."""
    assert worst(()) is Verdict.NOT_COMPARED
    assert worst({Verdict.IDENTICAL, Verdict.BEHIND}) is Verdict.BEHIND
    assert worst({Verdict.NOT_COMPARED, Verdict.BEHIND}) is Verdict.NOT_COMPARED
    assert worst(tuple(Verdict)) is Verdict.DIFFERENT


def test_for_programs() -> None:
    """JSON has the same verdicts, and the difference with its offsets."""
    read = json.loads(json.dumps(plain(VerifyReport(partitions=(SAME, OTHER)))))
    assert (read["verdict"], read["records"], read["behind"]) == ("different", 5, 0)
    first, second = read["partitions"]
    assert (first["source"], first["target"], first["verdict"]) == ("t-0", "A.t-0", "identical")
    assert second["difference"]["kind"] == "value"
    assert second["difference"]["target_offset"] == 22


def test_timestamps_that_were_not_compared_are_said() -> None:
    """An identical result must not claim more than was looked at."""
    assert "timestamps not compared" in describe(replace(SAME, timestamps_compared=False))
