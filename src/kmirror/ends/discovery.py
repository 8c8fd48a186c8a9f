"""Finds what a flow has to mirror, and makes the target ready to receive it."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from kmirror.admin.base import ClusterAdmin
from kmirror.clock import Clock
from kmirror.config.flows import FlowConfig
from kmirror.ends.deletion_survey import held_copies
from kmirror.ends.topic_settings import setting_rules
from kmirror.ends.topics import (
    SeenTopics,
    TopicFailure,
    TopicSurvey,
    apply_topics,
    survey_topics,
)
from kmirror.events.emit import emit
from kmirror.events.table import SELECTION_INCOMPLETE, TOPIC_CREATED, TOPIC_GROWN
from kmirror.model import TopicPartition
from kmirror.plans.coverage import Coverage, cover
from kmirror.plans.snapshot import TopicState
from kmirror.plans.topics import TopicPlan, TopicProblem
from kmirror.wire.position import position_place

# A created topic is visible to everybody only when the metadata has travelled.
_VISIBLE_WAIT_S_MAX = 15.0
_POLL_S = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Mirrored:
    """
    A source partition and its copy.

    Args:
        source: The partition.
        target: Its copy.
        topic_id, target_id: The ids of both topics; empty when not told.
        merged: Others are copied to the same partition.
    """

    source: TopicPartition
    target: TopicPartition
    topic_id: str
    target_id: str = ""
    merged: bool = False

    @property
    def position(self) -> TopicPartition:
        """Under which partition the flow's group, on the target, has the position."""
        return position_place(self.source, self.target, merged=self.merged)


@dataclass(frozen=True, slots=True, kw_only=True)
class Discovered:
    """
    What was found on both clusters.

    Args:
        mirrored: What can be mirrored.
        coverage: What of the selection cannot, and why.
    """

    mirrored: tuple[Mirrored, ...]
    coverage: Coverage


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pair:
    """The copy of a topic, and how many partitions both have."""

    copy: str
    partitions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """
    What was found, and what it was made from.

    Args:
        config: Says what is selected.
        seen: The topics of both clusters.
        pairs: Those that can be mirrored.
        discovered: What was made of them.
        is_settled: Nothing is left to do: of the same topics the same will be made.
    """

    config: FlowConfig
    seen: SeenTopics
    pairs: Mapping[str, _Pair]
    discovered: Discovered
    is_settled: bool

    def holds(self, config: FlowConfig, seen: SeenTopics) -> bool:
        """Tell whether it still holds; what is missing is tried again every time."""
        return self.is_settled and self.config is config and self.seen == seen


class Discovery:
    """
    Compares both clusters for one flow.

    Args:
        config: The flow.
        source: The source's control plane.
        target: The target's.
        clock: For waiting until created topics are visible.
    """

    def __init__(
        self, config: FlowConfig, source: ClusterAdmin, target: ClusterAdmin, clock: Clock
    ) -> None:
        self._selection = config.topic_selection()
        self._config = config
        self._source = source
        self._target = target
        self._clock = clock
        self._warned: tuple[str, ...] = ()
        self._last: _Found | None = None

    def follow(self, config: FlowConfig) -> None:
        """Look for what *config* selects, from the next time on."""
        self._selection, self._config = config.topic_selection(), config

    def discover(self) -> Discovered:
        """
        Create and grow what is missing on the target, then list what can be mirrored.

        Where nothing has changed since the last time, the same tuple is given again.

        Raises:
            ClusterError: One of the clusters could not be read.
        """
        config, last = self._config, self._last
        seen = SeenTopics(source=self._source.topics(), target=self._target.topics())
        found = last if last is not None and last.holds(config, seen) else None
        found = found or self._compare(config, seen)
        mirrored = self._with_ids(found.pairs)
        if last is not None and mirrored == last.discovered.mirrored:
            mirrored = last.discovered.mirrored
        discovered = Discovered(mirrored=mirrored, coverage=found.discovered.coverage)
        self._last = replace(found, discovered=discovered)
        return discovered

    def _compare(self, config: FlowConfig, seen: SeenTopics) -> _Found:
        """Make the target ready, and pair what is on both sides."""
        survey = survey_flow_topics(self._config, self._source, self._target, seen=seen)
        wanted, failed = self._apply(survey.plan)
        target = self._visible(wanted) if wanted else survey.target
        coverage = cover(
            self._selection,
            self._config.topics,
            survey.source,
            target,
            causes_of(self._config, survey.plan, failed),
        )
        self._warn(coverage.words)
        return _Found(
            config=config,
            seen=seen,
            pairs=self._pairs(survey.source, target),
            discovered=Discovered(mirrored=(), coverage=coverage),
            is_settled=not survey.plan and not coverage.problems,
        )

    def present(self) -> tuple[Mirrored, ...]:
        """
        List what can be mirrored as things are; nothing is created.

        Raises:
            ClusterError: One of the clusters could not be read.
        """
        return self._with_ids(self._pairs(self._source.topics(), self._target.topics()))

    def _apply(self, plan: TopicPlan) -> tuple[Mapping[str, int], Sequence[TopicFailure]]:
        """Create and grow topics; give what changed, with its partitions, and what failed."""
        if not plan:
            return {}, ()
        wanted: dict[str, int] = {}
        outcome = apply_topics(self._target, plan)
        for created in outcome.created:
            emit(
                TOPIC_CREATED,
                flow=self._config.flow,
                topic=created.name,
                partition_count=created.partitions,
            )
            wanted[created.name] = created.partitions
        for grown in outcome.grown:
            emit(
                TOPIC_GROWN,
                flow=self._config.flow,
                topic=grown.name,
                partition_count=grown.to_partitions,
            )
            wanted[grown.name] = grown.to_partitions
        return wanted, outcome.failed

    def _pairs(
        self, source: Mapping[str, TopicState], target: Mapping[str, TopicState]
    ) -> Mapping[str, _Pair]:
        """Pair the topics that are on both sides, by their names on the source."""
        return {
            name: _Pair(copy=copy, partitions=min(source[name].partitions, target[copy].partitions))
            for name in sorted(source)
            if self._selection.selects(name)
            and (copy := self._selection.remote_topic(name)) in target
        }

    def _with_ids(self, pairs: Mapping[str, _Pair]) -> tuple[Mirrored, ...]:
        """List the partitions of pairs, with the ids that their topics have now."""
        copies = [pair.copy for pair in pairs.values()]
        ids = self._source.topic_ids(pairs) if pairs else {}
        target_ids = self._target.topic_ids(copies) if pairs else {}
        return tuple(
            Mirrored(
                source=TopicPartition(name, number),
                target=TopicPartition(pair.copy, number),
                topic_id=ids.get(name, ""),
                merged=self._selection.policy.merges,
                target_id=target_ids.get(pair.copy, ""),
            )
            for name, pair in pairs.items()
            for number in range(pair.partitions)
        )

    def _visible(self, wanted: Mapping[str, int]) -> Mapping[str, TopicState]:
        """Return the target's topics, once the new ones are among them or the wait is over."""
        deadline_s = self._clock.monotonic_s() + _VISIBLE_WAIT_S_MAX
        never = threading.Event()
        while True:
            topics = self._target.topics()
            missing = [
                name
                for name, partitions in wanted.items()
                if name not in topics or topics[name].partitions < partitions
            ]
            if not missing or self._clock.monotonic_s() > deadline_s:
                return topics
            self._clock.wait(never, _POLL_S)

    def _warn(self, words: tuple[str, ...]) -> None:
        """Log what is new: the same stays true for hours, and what comes back is new again."""
        for text in words:
            if text not in self._warned:
                emit(SELECTION_INCOMPLETE, flow=self._config.flow, reason=text)
        self._warned = words


def coverage_of_source(config: FlowConfig, source: Mapping[str, TopicState]) -> Coverage:
    """
    Compare a flow's selection with the source alone: what is not selected, and why.

    Args:
        config: The flow.
        source: The source's topics, by name.
    """
    selection = config.topic_selection()
    copies = {selection.remote_topic(name): topic for name, topic in source.items()}
    return cover(selection, config.topics, source, copies, {})


def causes_of(
    config: FlowConfig, plan: TopicPlan, failed: Sequence[TopicFailure]
) -> Mapping[str, TopicProblem]:
    """
    Return why copies cannot be made or grown, by their names.

    Args:
        config: The flow.
        plan: What was to be done.
        failed: What the target refused of it.
    """
    remote_topic = config.topic_selection().remote_topic
    refused = (
        TopicProblem(source_topic=each.topic, reason=each.error.message, hint=each.error.hint)
        for each in failed
    )
    planned = {remote_topic(problem.source_topic): problem for problem in plan.problems}
    return planned | {problem.source_topic: problem for problem in refused}


def survey_flow_topics(
    config: FlowConfig,
    source: ClusterAdmin,
    target: ClusterAdmin,
    *,
    seen: SeenTopics | None = None,
) -> TopicSurvey:
    """
    Read what both clusters have and plan what a flow's target lacks; changes nothing.

    Args:
        config: The flow.
        source, target: Control planes.
        seen: The topics of both, if somebody has just read them.

    Raises:
        ClusterError: One of the clusters could not be read.
    """
    selection = config.topic_selection()
    survey = survey_topics(
        source,
        target,
        seen=seen,
        remote_name=selection.remote_topic,
        selected=selection.selects,
        rules=setting_rules(config),
        replication_factor=config.replication_factor,
        merges=selection.policy.merges,
    )
    return replace(survey, plan=_without_held(config, source, target, survey))


def _without_held(
    config: FlowConfig, source: ClusterAdmin, target: ClusterAdmin, survey: TopicSurvey
) -> TopicPlan:
    """Return the plan without copies in quarantine: what has their topic's name is another one."""
    plan = survey.plan
    if not plan.grow or not config.minds_deletions:
        return plan
    remote_topic = config.topic_selection().remote_topic
    growing = {grow.name for grow in plan.grow}
    topics = {remote_topic(name): name for name in survey.source if remote_topic(name) in growing}
    held = {
        each.copy: TopicProblem(source_topic=topics[each.copy], reason=each.why)
        for each in held_copies(config, source, target, topics.values())
    }
    return replace(
        plan,
        grow=tuple(grow for grow in plan.grow if grow.name not in held),
        problems=(*plan.problems, *held.values()),
    )
