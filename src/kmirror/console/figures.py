"""Whoever knows how flows are: a driver of its own flows, or the clusters of theirs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol

from kmirror.api.canaries import CanarySeen
from kmirror.api.flows import FlowView, PartitionView, TopicView
from kmirror.api.plots import PlotList, PlotRange
from kmirror.config.flows import FlowConfig
from kmirror.errors import NotFound
from kmirror.model import TopicPartition

# The worst first: what somebody has to do something about.
STATES = (
    *("parked", "stopped", "quarantined", "paused", "waiting", "initializing"),
    *("mirroring", "caught up"),
)
"""What a partition may be at, the worst first."""
_SEVERITY = {state: number for number, state in enumerate(STATES)}


class Offsets(NamedTuple):
    """
    Where a partition is; a tuple, because one is made of each partition.

    Args:
        partition: On the source.
        position: The next source offset to copy.
        end: Where the source's log ends; `None` when not known.
    """

    partition: TopicPartition
    position: int
    end: int | None


class Figures(Protocol):
    """The figures of all flows; from any thread, and without asking a cluster."""

    has_driver: bool

    def configs(self) -> Sequence[FlowConfig]:
        """Return the flows' settings, in the order of the file."""
        ...

    def flows(self) -> tuple[FlowView, ...]:
        """Return the flows, in the order of the file."""
        ...

    def topics(self, config: FlowConfig) -> tuple[int | None, tuple[TopicView, ...]]:
        """Return when a flow's topics were looked at, and they, the worst first."""
        ...

    def partitions(self, config: FlowConfig) -> tuple[int | None, tuple[PartitionView, ...]]:
        """Return when a flow's partitions were looked at, and they, the worst first."""
        ...

    def offsets(self, config: FlowConfig) -> Iterable[Offsets]:
        """Return where a flow's partitions are, in any order."""
        ...

    def canary(self, config: FlowConfig) -> tuple[int | None, CanarySeen | None]:
        """Return when a flow's canary was looked at, and what it has seen."""
        ...

    def plots(self, config: FlowConfig, span: PlotRange) -> PlotList:
        """Return how a flow was, as far as whoever answers has seen it."""
        ...

    def topic_plots(self, config: FlowConfig, topic: str) -> PlotList:
        """Return how a topic was in the last 15 minutes, as far as whoever answers has seen it."""
        ...

    def close(self) -> None:
        """Let go of threads and connections."""
        ...


def config_of(figures: Figures, name: str) -> FlowConfig:
    """
    Return the settings of a flow, `S->T`.

    Raises:
        NotFound: There is none of that name.
    """
    configs = figures.configs()
    for config in configs:
        if str(config.flow) == name:
            return config
    names = ", ".join(str(config.flow) for config in configs)
    raise NotFound(f"there is no flow {name}; there are: {names or 'none'}")


def by_severity(partitions: Sequence[PartitionView]) -> tuple[PartitionView, ...]:
    """Put those first that somebody has to look at."""
    return tuple(
        sorted(
            partitions,
            key=lambda each: (
                _SEVERITY.get(each.state, 0),
                -(each.lag_records or 0),
                each.topic,
                each.partition,
            ),
        )
    )


def by_lag(topics: Sequence[TopicView]) -> tuple[TopicView, ...]:
    """Put those first that stand still, or are the furthest behind."""
    return tuple(
        sorted(topics, key=lambda each: (-(each.parked or 0), -(each.lag.records or 0), each.topic))
    )
