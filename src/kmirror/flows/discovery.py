"""Finds what a flow has to mirror, and makes the target ready to receive it."""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping
from dataclasses import dataclass

from kmirror.admin.base import ClusterAdmin
from kmirror.clock import Clock
from kmirror.config.flows import FlowConfig
from kmirror.model import TopicPartition
from kmirror.plans.snapshot import TopicState
from kmirror.plans.topics import TopicPlan
from kmirror.sync.topics import apply_topics, survey_topics
from kmirror.wire.position import position_place

_log = logging.getLogger(__name__)

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
        self._configs = config.config_property_filter()
        self._config = config
        self._source = source
        self._target = target
        self._clock = clock
        self._told: set[str] = set()

    def discover(self) -> tuple[Mirrored, ...]:
        """
        Create and grow what is missing on the target, then list what can be mirrored.

        Raises:
            ClusterError: One of the clusters could not be read.
        """
        survey = survey_topics(
            self._source,
            self._target,
            remote_name=self._selection.remote_topic,
            selected=self._selection.selects,
            config_allowed=self._configs.allows,
            replication_factor=self._config.replication_factor,
            source_defaults=self._config.use_defaults_from == "source",
            merges=self._selection.policy.merges,
        )
        for problem in survey.plan.problems:
            self._tell_once(str(problem))
        wanted = self._apply(survey.plan)
        return self._mirrored(survey.source, self._visible(wanted) if wanted else survey.target)

    def present(self) -> tuple[Mirrored, ...]:
        """
        List what can be mirrored as things are; nothing is created.

        Raises:
            ClusterError: One of the clusters could not be read.
        """
        return self._mirrored(self._source.topics(), self._target.topics())

    def _apply(self, plan: TopicPlan) -> Mapping[str, int]:
        """Create and grow topics; give those that changed, with their numbers of partitions."""
        if not plan:
            return {}
        wanted: dict[str, int] = {}
        outcome = apply_topics(self._target, plan)
        for created in outcome.created:
            self._tell(f"created {created.name} with {created.partitions} partitions")
            wanted[created.name] = created.partitions
        for grown in outcome.grown:
            self._tell(f"grew {grown.name} to {grown.to_partitions} partitions")
            wanted[grown.name] = grown.to_partitions
        for failure in outcome.failed:
            self._tell_once(f"topic {failure.topic}: {failure.error}")
        return wanted

    def _mirrored(
        self, source: Mapping[str, TopicState], target: Mapping[str, TopicState]
    ) -> tuple[Mirrored, ...]:
        """Pair the partitions that are on both sides."""
        copies = {
            name: copy
            for name in sorted(source)
            if self._selection.selects(name)
            and (copy := self._selection.remote_topic(name)) in target
        }
        ids = self._source.topic_ids(copies) if copies else {}
        target_ids = self._target.topic_ids(copies.values()) if copies else {}
        return tuple(
            Mirrored(
                source=TopicPartition(name, number),
                target=TopicPartition(copy, number),
                topic_id=ids.get(name, ""),
                merged=self._selection.policy.merges,
                target_id=target_ids.get(copy, ""),
            )
            for name, copy in copies.items()
            for number in range(min(source[name].partitions, target[copy].partitions))
        )

    def _visible(self, wanted: Mapping[str, int]) -> Mapping[str, TopicState]:
        """The target's topics, once those just made are among them or the wait is over."""
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

    def _tell(self, text: str) -> None:
        _log.info("%s: %s", self._config.flow, text)

    def _tell_once(self, text: str) -> None:
        if text not in self._told:
            self._told.add(text)
            _log.warning("%s: %s", self._config.flow, text)
