"""Whether both logs of a flow's partitions still are the ones that positions belong to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from functools import cache, partial

from kmirror.admin.adopt import LogSide
from kmirror.admin.last_record import CopiedUpTo, holds_last_copied
from kmirror.admin.log_admin import LogAdmin, PlaceInLog
from kmirror.clock import Clock
from kmirror.config.client_properties import ClientProperties
from kmirror.config.flows import FlowConfig
from kmirror.ends.clients import FlowClients
from kmirror.ends.discovery import Mirrored
from kmirror.ends.flow_ends import Ends, open_ends
from kmirror.ends.translation import translator_from_outside
from kmirror.model import TopicPartition
from kmirror.plans.position_facts import PartitionFacts
from kmirror.plans.positions import lost_from

OpenLogs = Callable[[str, ClientProperties], LogAdmin]


class LogChecks:
    """
    Asks both clusters of a flow about leader epochs, and looks at records when these leave doubts.

    Args:
        config: The flow.
        clients: Its clients.
        open_logs: Opens the logs of a cluster.
        clock: Where time comes from.
    """

    def __init__(
        self, config: FlowConfig, clients: FlowClients, open_logs: OpenLogs, clock: Clock
    ) -> None:
        self._config = config
        self._clients = clients
        self._source = open_logs(config.flow.source, clients.consumer)
        self._target = open_logs(config.flow.target, clients.admin)
        self._clock = clock

    def follow(self, config: FlowConfig) -> None:
        """Go on by *config*."""
        self._config = config

    def add_to(
        self,
        facts: Iterable[PartitionFacts],
        partitions: Iterable[Mirrored],
        cuts: Mapping[TopicPartition, int],
    ) -> list[PartitionFacts]:
        """
        Return the facts with what the logs say; one whose leader does not answer is left out.

        Args:
            facts: What is known already.
            partitions: Theirs, and perhaps others.
            cuts: From which target offset on lanes saw that records of source partitions are lost.

        Raises:
            ClusterError: A cluster could not be asked.
        """
        copies = {partition.source: partition for partition in partitions}
        with ExitStack() as opened:
            ends = cache(partial(self._open_ends, opened))
            checked = self._checked(list(facts), cuts, ends)
            lost = {fact.source: cut for fact in checked if (cut := lost_from(fact)) is not None}
            if not lost:
                return checked
            # Which source offsets the first lost records came from, if the offset map knows.
            translator = translator_from_outside(self._config, ends())
            translator.follow([copies[source] for source in lost])
            translator.refresh()  # once: a second time it would read lost records to fill gaps
            return [
                replace(fact, missing_from=translator.to_source(fact.source, lost[fact.source]))
                if fact.source in lost
                else fact
                for fact in checked
            ]

    def _checked(
        self,
        facts: Sequence[PartitionFacts],
        cuts: Mapping[TopicPartition, int],
        ends: Callable[[], Ends],
    ) -> list[PartitionFacts]:
        sources = [_source_place(fact) for fact in facts]
        targets = [_target_place(fact) for fact in facts]
        # Connecting to a cluster that is far away takes some round trips: to both at once.
        with ThreadPoolExecutor(1, "kmirror-logs") as pool:
            asking = pool.submit(_ask, self._source, [fact.source for fact in facts], sources)
            on_target = _ask(self._target, [fact.target for fact in facts], targets)
            on_source = asking.result()
        checked = []
        for fact, source, source_kept, target, target_kept in zip(
            facts, sources, on_source, targets, on_target, strict=True
        ):
            if (source and source_kept is None) or (target and target_kept is None):
                continue
            short = [self._short_end(fact, target, target_kept, ends), cuts.get(fact.source)]
            end = min((at for at in short if at is not None), default=None)
            checked.append(replace(fact, source_kept=source_kept, target_kept=end))
        return checked

    def _short_end(
        self,
        fact: PartitionFacts,
        place: PlaceInLog | None,
        kept: int | None,
        ends: Callable[[], Ends],
    ) -> int | None:
        """Return up to where the target's log is what it was, if records of ours are lost."""
        is_short = place is not None and kept is not None and kept < place.offset
        return kept if is_short and not self._holds_last(fact, ends) else None

    def _holds_last(self, fact: PartitionFacts, ends: Callable[[], Ends]) -> bool:
        """Check the last record after a change of leader: usually it is where it was."""
        assert fact.ours is not None, "its position named the epoch"
        assert fact.ours.metadata is not None, "and the target offset"
        if fact.target_end < fact.ours.metadata.target_offset:
            return False
        both = ends()
        return holds_last_copied(
            LogSide(admin=both.source, reader=both.source_reader, partition=fact.source),
            LogSide(admin=both.target, reader=both.target_reader, partition=fact.target),
            CopiedUpTo(source=fact.ours.offset, target=fact.ours.metadata.target_offset),
            changed=self._config.changed_columns,
            origin=self._config.flow.source if self._config.shares_copies else None,
        )

    def _open_ends(self, opened: ExitStack) -> Ends:
        timeout_s = self._config.admin_timeout_s
        return open_ends(
            opened, self._config, self._clients, timeout_s=timeout_s, clock=self._clock
        )


def _source_place(fact: PartitionFacts) -> PlaceInLog | None:
    """Where the source's log is compared; a topic with another id is another matter."""
    metadata = fact.ours.metadata if fact.ours is not None else None
    if fact.ours is None or metadata is None or metadata.source_epoch is None:
        return None
    if metadata.topic_id and fact.topic_id and metadata.topic_id != fact.topic_id:
        return None
    return PlaceInLog(offset=fact.ours.offset, leader_epoch=metadata.source_epoch)


def _target_place(fact: PartitionFacts) -> PlaceInLog | None:
    metadata = fact.ours.metadata if fact.ours is not None else None
    if metadata is None or metadata.target_epoch is None:
        return None
    if metadata.target_id and fact.target_id and metadata.target_id != fact.target_id:
        return None
    return PlaceInLog(offset=metadata.target_offset, leader_epoch=metadata.target_epoch)


def _ask(
    logs: LogAdmin, partitions: Sequence[TopicPartition], places: Sequence[PlaceInLog | None]
) -> list[int | None]:
    """Ask about all places; several may be in one partition, to which many are copied."""
    answers: list[int | None] = [None] * len(places)
    asked = enumerate(zip(partitions, places, strict=True))
    left = {at: (tp, place) for at, (tp, place) in asked if place is not None}
    while left:
        round_of = {tp: (at, place) for at, (tp, place) in reversed(left.items())}
        kept = logs.kept({tp: place for tp, (_, place) in round_of.items()})
        for tp, (at, _) in round_of.items():
            answers[at] = kept.get(tp)
            del left[at]
    return answers
