"""Whether both logs of a flow's partitions still are the ones that positions belong to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace

from kmirror.admin.adopt import LogSide
from kmirror.admin.last_record import CopiedUpTo, holds_last_copied
from kmirror.admin.log_admin import LogAdmin, PlaceInLog
from kmirror.clock import Clock
from kmirror.config.client_properties import ClientProperties
from kmirror.config.flows import FlowConfig
from kmirror.ends.clients import FlowClients
from kmirror.ends.discovery import Mirrored
from kmirror.ends.translation import Ends, open_ends, translator_from_outside
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
        checked = self._on_source(list(facts))
        checked = self._on_target(checked, cuts)
        if not any(lost_from(fact) is not None for fact in checked):
            return checked
        copies = {partition.source: partition for partition in partitions}
        with ExitStack() as opened:
            ends = self._open_ends(opened)
            return [self._with_range(fact, copies[fact.source], ends) for fact in checked]

    def _on_source(self, facts: Sequence[PartitionFacts]) -> list[PartitionFacts]:
        places = [(fact.source, _source_place(fact)) for fact in facts]
        answers = _ask(self._source, places)
        return [
            replace(fact, source_kept=kept)
            for fact, (_, place), kept in zip(facts, places, answers, strict=True)
            if place is None or kept is not None
        ]

    def _on_target(
        self, facts: Sequence[PartitionFacts], cuts: Mapping[TopicPartition, int]
    ) -> list[PartitionFacts]:
        places = [(fact.target, _target_place(fact)) for fact in facts]
        answers = _ask(self._target, places)
        checked = []
        for fact, (_, place), answer in zip(facts, places, answers, strict=True):
            if place is not None and answer is None:
                continue
            is_short = place is not None and answer is not None and answer < place.offset
            kept = answer if is_short and not self._holds_last(fact) else None
            ends = [end for end in (kept, cuts.get(fact.source)) if end is not None]
            checked.append(replace(fact, target_kept=min(ends, default=None)))
        return checked

    def _holds_last(self, fact: PartitionFacts) -> bool:
        """Check the last record after a change of leader: usually it is where it was."""
        assert fact.ours is not None, "its position named the epoch"
        assert fact.ours.metadata is not None, "and the target offset"
        if fact.target_end < fact.ours.metadata.target_offset:
            return False
        with ExitStack() as opened:
            ends = self._open_ends(opened)
            return holds_last_copied(
                LogSide(admin=ends.source, reader=ends.source_reader, partition=fact.source),
                LogSide(admin=ends.target, reader=ends.target_reader, partition=fact.target),
                CopiedUpTo(source=fact.ours.offset, target=fact.ours.metadata.target_offset),
                changed=self._config.changed_columns,
                origin=self._config.flow.source if self._config.shares_copies else None,
            )

    def _with_range(self, fact: PartitionFacts, copy: Mirrored, ends: Ends) -> PartitionFacts:
        """Say which source offset the first lost record came from, if the offset map knows."""
        cut = lost_from(fact)
        if cut is None:
            return fact
        translator = translator_from_outside(self._config, ends)
        translator.follow([copy])
        translator.refresh()  # once: a second time it would read lost records to fill gaps
        return replace(fact, missing_from=translator.to_source(fact.source, cut))

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
    logs: LogAdmin, places: Sequence[tuple[TopicPartition, PlaceInLog | None]]
) -> list[int | None]:
    """Ask about all places; several may be in one partition, to which many are copied."""
    answers: list[int | None] = [None] * len(places)
    left = {at: (tp, place) for at, (tp, place) in enumerate(places) if place is not None}
    while left:
        round_of = {tp: (at, place) for at, (tp, place) in reversed(left.items())}
        kept = logs.kept({tp: place for tp, (_, place) in round_of.items()})
        for tp, (at, _) in round_of.items():
            answers[at] = kept.get(tp)
            del left[at]
    return answers
