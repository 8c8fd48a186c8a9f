"""A flow's progress is added up from what has changed; that gives what a look at all of it does."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from kmirror.model import TopicPartition
from kmirror.pipeline.desk import LaneReport, LeftOut, PartitionReport
from kmirror.plans.parking import ParkCause, ParkCode
from kmirror.policy.lag_verdicts import Slo
from kmirror.policy.poison import Poison
from kmirror.state.progress import Progress
from kmirror.state.status import TopicStatus
from kmirror.wire.control_orders import Author, PauseOrder, PauseVerb, Scope

PARTITIONS = tuple(TopicPartition(topic, n) for topic in ("t", "u", "v") for n in range(2))
GAP = ParkCause(code=ParkCode.DATA_GAP, offset=7)
SLO = Slo(lag_s=30, rpo_s=300)

partitions = st.sampled_from(PARTITIONS)
several = st.frozensets(partitions, min_size=1)


class Thorough(Progress):
    """Looks at everything whenever it looks."""

    def look(self, now_ms: int, slo: Slo) -> None:
        self._moved.update(self._partitions)
        self.lags._awake_topics.update(self.lags.topics)
        super().look(now_ms, slo)


class History:
    """Something that happens to a flow, told to both."""

    def __init__(self) -> None:
        self.both = (Progress(), Thorough())
        self.now_ms = 1_000_000
        self.ends = dict.fromkeys(PARTITIONS, 0)
        self.at = dict.fromkeys(PARTITIONS, 0)
        self.copied = dict.fromkeys(PARTITIONS, 0)
        self.told = set(PARTITIONS)
        self.planned: tuple[TopicPartition, ...] = ()
        self.given_up: dict[TopicPartition, int] = {}
        self.begin(PARTITIONS)

    def begin(self, planned: Iterable[TopicPartition], back: int = 0) -> None:
        """Make a plan, which may take positions back."""
        self.planned = tuple(sorted(planned))
        self.given_up = {tp: self.given_up.get(tp, 0) for tp in self.planned}
        for tp in self.planned:
            self.at[tp] = max(0, self.at[tp] - back)
        for progress in self.both:
            progress.begin({tp: self.at[tp] for tp in self.planned})
            progress.wait_for([tp for tp in PARTITIONS if tp not in self.planned])

    def order(self, verb: PauseVerb, scope: frozenset[TopicPartition]) -> None:
        """Pause or park partitions."""
        pause = PauseOrder(verb=verb, scope=Scope(), author=Author(by="x", at_ms=1))
        for progress in self.both:
            progress.pause({tp: pause for tp in self.planned if tp in scope})

    def write(self, tp: TopicPartition, count: int) -> None:
        """Write to the source."""
        self.ends[tp] += count

    def copy(
        self, tps: frozenset[TopicPartition], share: float, *, cause: ParkCause | None = None
    ) -> None:
        """Copy a part of what there is, or find out why not."""
        entries = []
        for tp in sorted(tps):
            count = round((self.ends[tp] - self.at[tp]) * share)
            self.at[tp] += max(0, count)
            self.copied[tp] += max(0, count)
            entries.append(replace(self._entry(tp, count), parked=cause))
        self._report(len(tps) % 2, *entries)

    def _report(self, slot: int, *entries: PartitionReport) -> None:
        report = LaneReport(
            flow="A->B",
            slot=slot,
            generation=1,
            last_commit_ms=self.now_ms,
            last_failure=None,
            partitions=entries,
        )
        for progress in self.both:
            progress.add(report)

    def _entry(self, tp: TopicPartition, count: int) -> PartitionReport:
        return PartitionReport(
            source=tp,
            target="x",
            position=self.at[tp],
            next_target=0,
            records=self.copied[tp],
            bytes=10 * self.copied[tp],
            whole_records=self.copied[tp] // 2,
            unpacked="filter" if count % 3 == 1 else "",
            copied_ms=self.now_ms - 500,
        )

    def leave_out(self, tp: TopicPartition, poison: Poison) -> None:
        """Give a record up."""
        if tp in self.planned:
            self.given_up[tp] += 1
        self.at[tp] = self.ends[tp] = max(self.at[tp], self.ends[tp]) + 1
        left = LeftOut(cause=GAP, reason="x", end=self.at[tp], bytes=1, poison=poison)
        self._report(0, replace(self._entry(tp, 0), left_out=(left,)))

    def hide(self, tp: TopicPartition) -> None:
        """Look while a partition has no leader."""
        self.told.remove(tp)
        self.look(1, 1)
        self.told.add(tp)

    def look(self, seconds: float, times: int) -> None:
        """Look some times, after the source has told its ends once."""
        ends = {tp: end for tp, end in self.ends.items() if tp in self.told}
        starts = {tp: 0 for tp in PARTITIONS if tp not in self.planned}
        for _ in range(times):
            self.now_ms += round(seconds * 1000)
            for progress in self.both:
                progress.set_ends(ends, starts, seen_ms=self.now_ms)
                progress.look(self.now_ms, SLO)


def seen(progress: Progress) -> tuple[object, ...]:
    """Give all that is told of a flow."""
    lags = progress.lags
    of = [lags.of(tp) for tp in PARTITIONS]
    return (
        *(progress.topics(), progress.lag_records, progress.planned_lag, progress.is_behind),
        *(progress.records, progress.bytes, progress.parked, progress.paused),
        *(progress.lag_by_partition(), progress.caught_up_share),
        *(lags.flow, lags.topics, dict(lags.verdicts), lags.rpo_s),
        [None if each is None else (each.lag, each.seconds, each.verdict) for each in of],
    )


def added_up(history: History) -> list[tuple[object, ...]]:
    """Add the topics up from their partitions."""
    topics: dict[str, list[tuple[int, ...]]] = {}
    for tp in history.planned:
        counts = (1, *history.both[0].counts(tp), history.given_up[tp])
        topics.setdefault(tp.topic, []).append(counts)
    return [(name, *map(sum, zip(*topics[name], strict=True))) for name in sorted(topics)]


def told(topic: TopicStatus) -> tuple[object, ...]:
    """Give the same of what is shown."""
    counts = (topic.records, topic.bytes, topic.lag_records, topic.skipped + topic.kept)
    return (topic.topic, topic.partitions, *counts)


Happening = Callable[[History], None]


@st.composite
def happenings(draw: st.DrawFn) -> Happening:
    """Give something that may happen."""
    tp, tps = draw(partitions), draw(several)
    count, share = draw(st.integers(0, 5)), draw(st.sampled_from((0.0, 0.5, 1.0)))
    happening: Happening = draw(
        st.sampled_from(
            (
                lambda history: history.write(tp, count),
                lambda history: history.copy(tps, share),
                lambda history: history.copy(frozenset(PARTITIONS), 1.0),
                lambda history: history.look(4, 24),
                lambda history: history.write(tp, 1 + count),
                lambda history: history.copy(frozenset({tp}), 0, cause=GAP),
                lambda history: history.begin(tps, count),
                lambda history: history.begin(PARTITIONS),
                lambda history: history.order(PauseVerb.PAUSE, tps),
                lambda history: history.order(PauseVerb.PARK, tps),
                lambda history: history.leave_out(tp, Poison.DLQ if count % 2 else Poison.SKIP),
                lambda history: history.hide(tp),
            )
        )
    )
    return happening


@given(st.lists(st.tuples(happenings(), st.integers(0, 2)), min_size=10, max_size=30))
def test_what_rests_may_be_left_out(story: list[tuple[Happening, int]]) -> None:
    """Whatever has happened, and whenever somebody has looked."""
    history = History()
    for happening, looks in story:
        happening(history)
        history.look(1.5, looks)
        one, thorough = history.both
        assert seen(one) == seen(thorough)
        assert [told(topic) for topic in one.topics()] == added_up(history)


def test_a_look_at_what_rests_sees_nothing() -> None:
    """Once trends are settled, only what has moved is looked at."""
    history = History()
    history.look(4, 24)
    progress, _ = history.both
    assert progress.lags.looked == frozenset()
    topics = progress.topics()
    history.look(4, 1)
    assert progress.topics() is topics
    history.write(PARTITIONS[0], 3)
    history.look(4, 1)
    assert progress.lags.looked == {PARTITIONS[0].topic}
    assert list(progress.lags.awake) == [PARTITIONS[0]]
