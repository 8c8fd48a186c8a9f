"""Gaps of the exact offset map: each is filled, whatever becomes of the others."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import pytest

from kmirror.admin.fake import FakeAdmin
from kmirror.ends import translation
from kmirror.ends.discovery import Mirrored
from kmirror.ends.flow_ends import Ends
from kmirror.ends.translation import Translator
from kmirror.errors import ClusterUnavailable
from kmirror.model import TopicPartition
from kmirror.offsets.exact import Gap
from kmirror.pipeline.desk import CopiedRange, LaneReport, PartitionReport
from kmirror.wire.offset_runs import Chunk, Run
from tests.support.driver import A_TO_B
from tests.support.fake_flow import unused

_KNOWN = 1_000_000


class Logs:
    """Partitions of which only the end is known, and how much of a gap one look finds out."""

    def __init__(self, count: int, *, per_look: int = _KNOWN) -> None:
        self.places = [TopicPartition("t", number) for number in range(count)]
        self.per_look = per_look
        self.away: set[TopicPartition] = set()
        self.looks = 0
        ends = Ends(
            source=FakeAdmin(),
            target=FakeAdmin(),
            source_reader=unused(Any),
            target_reader=unused(Any),
            target_writer=unused(Any),
        )
        self.translator = Translator(A_TO_B, "", ends, changed=())
        copies = [TopicPartition("A.t", place.partition) for place in self.places]
        self.translator.follow(
            Mirrored(source=source, target=target, topic_id="")
            for source, target in zip(self.places, copies, strict=True)
        )
        self.translator.add(_report(self.places))

    def look(self, source: Any, _target: Any, gap: Gap, **_: Any) -> Chunk:
        """Do as `read_hole` does."""
        self.looks += 1
        if source.partition in self.away:
            raise ClusterUnavailable("no leader")
        assert gap.after is not None
        start, end = max(0, gap.after.source - self.per_look), gap.after.source
        runs = (Run(start, 2 * start, 0),)
        return Chunk(partition=source.partition, start=start, end=end, runs=runs)

    def ask(self) -> list[int | None]:
        """Ask of all of them for an offset in the gap."""
        return [self.translator.to_target(place, 7) for place in self.places]


def _report(places: Sequence[TopicPartition]) -> LaneReport:
    copied = CopiedRange(start=_KNOWN, end=_KNOWN + 1, runs=(Run(_KNOWN, 2 * _KNOWN, 1),))
    return LaneReport(
        flow=str(A_TO_B),
        slot=0,
        generation=1,
        last_commit_ms=1,
        last_failure=None,
        partitions=tuple(
            PartitionReport(
                source=place,
                target="A.t",
                position=_KNOWN + 1,
                next_target=2 * _KNOWN + 1,
                records=1,
                bytes=1,
                copied=copied,
            )
            for place in places
        ),
    )


def test_all_are_filled_however_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each once."""
    logs = Logs(300)
    monkeypatch.setattr(translation, "read_hole", logs.look)
    logs.translator.settle(logs.ask)
    assert logs.translator.is_settled
    assert None not in logs.ask()
    assert logs.looks == 300


def test_one_that_cannot_be_read_holds_up_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even those that come behind it by name."""
    logs = Logs(20)
    monkeypatch.setattr(translation, "read_hole", logs.look)
    logs.away = set(logs.places[:5])
    for _ in range(8):
        logs.ask()
        with suppress(ClusterUnavailable):
            logs.translator.refresh()
    answers = logs.ask()
    assert answers[:5] == [None] * 5
    assert None not in answers[5:]
    # It is told, and answered when it can be read again.
    with pytest.raises(ClusterUnavailable, match="no leader"):
        logs.translator.settle(logs.ask)
    logs.away.clear()
    logs.translator.settle(logs.ask)
    assert None not in logs.ask()


def test_what_was_never_written_down_is_read_so_far_and_no_further(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """From its end on; the others are answered all the same."""
    logs = Logs(2, per_look=10)
    monkeypatch.setattr(translation, "read_hole", logs.look)
    near = _KNOWN - 15
    place, other = logs.places
    asked = [(place, 7), (other, near)]
    logs.translator.settle(lambda: [logs.translator.to_target(*each) for each in asked])
    assert not logs.translator.is_settled
    assert logs.looks == 52
    assert logs.translator.to_target(other, near) is not None
