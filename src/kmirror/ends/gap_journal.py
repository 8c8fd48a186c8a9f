"""Tells of gaps: in the log, and in the topic `kmirror-events` on the target."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from kmirror.clock import Clock
from kmirror.ends.gap_topic import GapTopic
from kmirror.errors import NotAuthorized
from kmirror.events.emit import emit
from kmirror.events.gaps import GAP_FOUND
from kmirror.model import TopicPartition
from kmirror.plans.decisions import Keep, Park, Renew, Seed
from kmirror.plans.position_facts import PartitionFacts
from kmirror.wire.gap_events import PARKED, RESOLVED, GapEvent


class GapRecorder(Protocol):
    """Is told of what was decided, before it is done."""

    def record(
        self, decided: Iterable[Keep | Seed | Park | Renew], facts: Iterable[PartitionFacts]
    ) -> None:
        """Tell of gaps in what was decided, from which facts."""
        ...


class GapJournal:
    """
    The gaps of one flow, each told once, and again when something about it has changed.

    Args:
        flow: `S->T`.
        topic: Where they are told.
        clock: Where time comes from.
    """

    def __init__(self, flow: str, topic: GapTopic, clock: Clock) -> None:
        self._flow = flow
        self._topic = topic
        self._clock = clock
        self._told: dict[bytes, GapEvent] | None = None

    def record(
        self, decided: Iterable[Keep | Seed | Park | Renew], facts: Iterable[PartitionFacts]
    ) -> None:
        """
        Tell of what is new; what is to be done about it may be done when this returns.

        Without the right to write the topic, the log alone has it.

        Args:
            decided: What was decided; of what goes on as it was, earlier gaps are over.
            facts: From which facts.

        Raises:
            ClusterError: The target did not answer.
        """
        if self._told is None:
            self._told = self._read()
        copies = {fact.source: fact.target for fact in facts}
        stands = self._stands()
        news: list[GapEvent] = []
        for each in decided:
            if isinstance(each, Keep) or each.gap is None:
                news += self._over(each, stands)
            else:
                news.append(self._event(each, copies[each.partition]))
        news = [each for each in news if not _is_same(self._told.get(each.key), each)]
        for event in news:
            _tell(event)
        if news:
            self._topic.write(news)
        self._told |= {each.key: each for each in news}

    def _read(self) -> dict[bytes, GapEvent]:
        """Return what earlier drivers have told; nothing without the right to read it."""
        try:
            found = self._topic.read()
        except NotAuthorized:
            return {}
        return {each.key: each for each in found if not each.is_left_out}

    def _stands(self) -> Mapping[TopicPartition, Sequence[GapEvent]]:
        """Return the gaps at which partitions stand still, as far as was told."""
        found: defaultdict[TopicPartition, list[GapEvent]] = defaultdict(list)
        for each in (self._told or {}).values():
            if each.is_parked:
                found[TopicPartition(each.topic, each.partition)].append(each)
        return found

    def _over(
        self,
        decided: Keep | Seed | Park | Renew,
        stands: Mapping[TopicPartition, Sequence[GapEvent]],
    ) -> Iterator[GapEvent]:
        """Yield gaps at which a partition stood that goes on, as ones that are over."""
        if isinstance(decided, Park | Renew):
            return
        for each in stands.get(decided.partition, ()):
            yield replace(each, status=RESOLVED, offset=decided.offset, at_ms=self._clock.wall_ms())

    def _event(self, decided: Seed | Park | Renew, copy: TopicPartition) -> GapEvent:
        gap, (topic, partition) = decided.gap, decided.partition
        assert gap is not None, "the others are left out"
        return GapEvent(
            flow=self._flow,
            kind=gap.kind.value,
            topic=topic,
            partition=partition,
            copy=copy.topic,
            log=gap.log,
            start=gap.start,
            end=gap.end,
            records=gap.records,
            reaction=gap.reaction,
            status=PARKED if isinstance(decided, Park) else RESOLVED,
            offset=decided.offset if isinstance(decided, Seed) else None,
            metric=gap.kind.metric,
            reason=decided.why,
            at_ms=self._clock.wall_ms(),
        )


def _is_same(known: GapEvent | None, event: GapEvent) -> bool:
    return known is not None and replace(known, at_ms=event.at_ms) == event


def _tell(event: GapEvent) -> None:
    emit(
        GAP_FOUND,
        flow=event.flow,
        topic=event.topic,
        partition=event.partition,
        kind=event.kind,
        log=event.log,
        offset=event.start,
        end_offset=None if event.end is None else event.end - 1,
        gap_records=event.records,
        reaction=event.reaction,
        status=event.status,
        metric=event.metric,
    )
