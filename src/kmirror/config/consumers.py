"""What the file says about moving consumers: offset syncs, checkpoints, groups, heartbeats."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, cast

from kmirror.config.settings import Settings
from kmirror.model import Flow
from kmirror.policy.filters import NameFilter

OffsetSyncsLocation = Literal["source", "target"]

# With ten thousand topics a look at all of them is half a second's work, for clusters, too.
_REST_S_MAX = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsumersConfig:
    """
    A flow's settings for consumers. The names are the file's; an interval is `None` when the work
    is switched off.

    Args:
        groups, groups_exclude: Java regexes of the groups to follow.
        refresh_groups_interval_s: How often to look for new groups.
        emit_checkpoints_interval_s: How often to write checkpoints.
        sync_group_offsets_interval_s: How often to commit the groups' offsets on the target.
        emit_offset_syncs: Whether to write offset syncs.
        offset_syncs_location: Which cluster has their topic.
        offset_lag_max: Records between two offset syncs of a partition.
    """

    groups: tuple[str, ...]
    groups_exclude: tuple[str, ...]
    refresh_groups_interval_s: float | None
    emit_checkpoints_interval_s: float | None
    sync_group_offsets_interval_s: float | None
    checkpoints_replication_factor: int
    emit_offset_syncs: bool
    offset_syncs_location: OffsetSyncsLocation
    offset_syncs_replication_factor: int
    offset_lag_max: int

    @property
    def follows_groups(self) -> bool:
        """Whether anything is done with groups at all."""
        intervals = (self.emit_checkpoints_interval_s, self.sync_group_offsets_interval_s)
        return any(interval is not None for interval in intervals)

    def group_filter(self) -> NameFilter:
        """Which groups are followed."""
        return NameFilter(self.groups, self.groups_exclude)


@dataclass(frozen=True, slots=True, kw_only=True)
class HeartbeatConfig:
    """
    A heartbeat to write to a target.

    Args:
        flow: The pair of clusters it speaks of; records need not flow between them.
        interval_s: Time between two.
        replication_factor: Of the topic `heartbeats`; -1 leaves it to the brokers.
    """

    flow: Flow
    interval_s: float
    replication_factor: int


def build_consumers(settings: Settings) -> ConsumersConfig:
    """Read a flow's settings for consumers."""
    syncs = settings.flag("emit.offset-syncs.enabled")
    location = settings.text("offset-syncs.topic.location")
    return ConsumersConfig(
        groups=settings.texts("groups"),
        groups_exclude=settings.texts("groups.exclude"),
        refresh_groups_interval_s=interval_s(settings, "refresh.groups"),
        # Without offset syncs MM2 has no checkpoints either.
        emit_checkpoints_interval_s=interval_s(settings, "emit.checkpoints") if syncs else None,
        sync_group_offsets_interval_s=interval_s(settings, "sync.group.offsets"),
        checkpoints_replication_factor=settings.number("checkpoints.topic.replication.factor"),
        emit_offset_syncs=syncs,
        offset_syncs_location=cast("OffsetSyncsLocation", location),
        offset_syncs_replication_factor=settings.number("offset-syncs.topic.replication.factor"),
        offset_lag_max=settings.number("offset.lag.max"),
    )


def heartbeat_of(flow: Flow, settings: Settings) -> HeartbeatConfig | None:
    """Read what heartbeats say of *flow*; `None` when there are none."""
    interval = interval_s(settings, "emit.heartbeats")
    if interval is None:
        return None
    factor = settings.number("heartbeats.topic.replication.factor")
    return HeartbeatConfig(flow=flow, interval_s=interval, replication_factor=factor)


def interval_s(settings: Settings, work: str) -> float | None:
    """Return the interval of some work; `None` when it is switched off."""
    interval = settings.number(f"{work}.interval.seconds")
    return float(interval) if settings.flag(f"{work}.enabled") and interval > 0 else None


def rest_s_max(settings: Settings, work: str) -> float:
    """Return how long work that is expensive may rest; who gives an interval means it: 0."""
    return 0.0 if settings.has(f"{work}.interval.seconds") else _REST_S_MAX
