"""What a flow does so that its consumers can move: offset syncs, checkpoints, group offsets."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from contextlib import ExitStack

from kmirror.admin.group_admin import OpenGroups
from kmirror.admin.internal_topics import InternalTopic
from kmirror.admin.internal_writer import InternalWriter
from kmirror.clock import Clock
from kmirror.config.flows import FlowConfig
from kmirror.ends.clients import FlowClients
from kmirror.ends.discovery import Mirrored
from kmirror.ends.flow_ends import open_ends
from kmirror.ends.translation import Translator
from kmirror.errors import JvmLost, MirrorError
from kmirror.events.consumers import CONSUMER_SYNC_CRASHED, CONSUMER_SYNC_FAILED
from kmirror.events.emit import emit
from kmirror.groups.group_sync import GroupSync
from kmirror.groups.offset_syncs import OffsetSyncs
from kmirror.groups.written_offsets import open_written_offsets
from kmirror.model import TopicPartition
from kmirror.pipeline.desk import LaneReport
from kmirror.schedule.periodic_task import PeriodicTask
from kmirror.schedule.periodic_thread import PeriodicThread
from kmirror.schedule.throttle import Throttle
from kmirror.state.meter import Meter
from kmirror.state.progress import Progress
from kmirror.state.status import FlowState

"""Opens the groups of a cluster: its alias, and Java client properties."""

_TICK_S = 0.5
# What waits for more records is written all the same, so that an idle tail is known.
_FLUSH_INTERVAL_S = 5.0
# Somebody may have changed a group's offsets on the target.
_LOOK_AGAIN_INTERVAL_S = 60.0
_PRUNE_INTERVAL_S = 600.0
_PRUNE_GROUPS_INTERVAL_S = 3600.0


class Consumers:
    """
    The consumers' part of one generation of a flow, in a thread of its own.

    Args:
        config: The flow.
        clients: Its clients.
        progress: How far it is.
        meter: Learns that checkpoints were written.
        offset_map_topic: The topic of the exact offset map; empty when it is not kept.
        open_groups: Opens the groups of a cluster; the last is the deadline of a call, seconds.
        throttle: Keeps what of the flow's trouble is in the log already.
        clock: Where time comes from.
    """

    def __init__(
        self,
        config: FlowConfig,
        clients: FlowClients,
        progress: Progress,
        meter: Meter,
        *,
        offset_map_topic: str,
        open_groups: OpenGroups,
        throttle: Throttle,
        clock: Clock,
    ) -> None:
        self._config = config
        self._clients = clients
        self._progress = progress
        self._meter = meter
        self._open_groups = open_groups
        self._clock = clock
        self._throttle = throttle
        self._thread = PeriodicThread(
            "kmirror-consumers",
            clock,
            self._failed,
            interval_s=_TICK_S,
            finish=self._finish,
            release=self._let_go,
        )
        self._is_left = False
        self._last: list[tuple[str, Callable[[], object]]] = []
        self._refresh_groups = PeriodicTask(clock, math.inf, lambda: None)
        with ExitStack() as opened:
            timeout_s = config.admin_request_timeout_s
            ends = open_ends(opened, config, clients, timeout_s=timeout_s, clock=clock)
            self._target_writer = ends.target_writer
            self._written = open_written_offsets(config, clients, ends)
            self._syncs = self._offset_syncs(opened)
            self._translator = Translator(
                config.flow,
                offset_map_topic,
                ends,
                changed=[column for column, _ in config.select],
            )
            self._groups = self._group_offsets(opened)
            self._opened = opened.pop_all()
        self._plan_work()

    def start(
        self, mirrored: Collection[Mirrored], *, cut: Collection[TopicPartition] = ()
    ) -> None:
        """Begin, with what is mirrored now; see `follow`."""
        wanted = self._config.consumers
        self._meter.keep(
            groups=wanted.follows_groups,
            checkpoints=wanted.emit_checkpoints_interval_s is not None,
        )
        self.follow(mirrored, cut=cut)
        self._thread.start()

    def follow(
        self, mirrored: Collection[Mirrored], *, cut: Collection[TopicPartition] = ()
    ) -> None:
        """
        Go on with another set of partitions; before lanes do.

        Args:
            mirrored: All of them.
            cut: Those of which one log was cut: what was known of their offsets is void.
        """
        self._translator.follow(mirrored, cut=cut)
        if self._groups is not None:
            self._groups.cut(cut)

    def obey(self, config: FlowConfig) -> None:
        """Follow the groups that *config* names, from the next look on."""
        self._config = config
        self._refresh_groups.change(config.consumers.refresh_groups_interval_s or math.inf)

    def add(self, report: LaneReport) -> None:
        """Take what a lane reports."""
        if self._groups is not None:
            self._translator.add(report)
        if self._syncs is not None:
            self._syncs.add(report)

    def close(self, timeout_s: float) -> None:
        """Do everything once more, as long as there is time, and let go of connections."""
        self._thread.close(timeout_s)
        # What has not ended by then meets clients that are closed.
        self._is_left = True

    def _let_go(self) -> None:
        self._opened.close()

    def _offset_syncs(self, opened: ExitStack) -> OffsetSyncs | None:
        config, flow = self._config.consumers, self._config.flow
        if not config.emit_offset_syncs:
            return None
        at_source = config.offset_syncs_location == "source"
        topic = InternalTopic(
            self._config.policy.offset_syncs_topic(flow.target if at_source else flow.source),
            self._clients.source if at_source else self._clients.target,
            self._source_writer(opened) if at_source else self._target_writer,
            replication_factor=config.offset_syncs_replication_factor,
        )
        return OffsetSyncs(topic, lag_max=config.offset_lag_max)

    def _source_writer(self, opened: ExitStack) -> InternalWriter:
        writer = InternalWriter(
            self._clients.source_rdkafka,
            cluster=f"cluster {self._config.flow.source}",
            timeout_s=self._config.admin_request_timeout_s,
            clock=self._clock,
        )
        return opened.enter_context(writer)

    def _group_offsets(self, opened: ExitStack) -> GroupSync | None:
        config, flow = self._config, self._config.flow
        if not config.consumers.follows_groups:
            return None
        timeout_s = config.admin_request_timeout_s
        source = self._open_groups(flow.source, config.source_admin, timeout_s)
        opened.callback(source.close)
        target = self._open_groups(flow.target, config.target_admin, timeout_s)
        opened.callback(target.close)
        checkpoints = InternalTopic(
            config.policy.checkpoints_topic(flow.source),
            self._clients.target,
            self._target_writer,
            replication_factor=config.consumers.checkpoints_replication_factor,
        )
        return GroupSync(
            flow,
            self._translator,
            source=source,
            target=target,
            checkpoints=checkpoints,
            written=self._written,
            allowed=lambda group: self._config.consumers.group_filter().allows(group),
            positions=lambda: self._progress.positions,
            meter=self._meter,
            clock=self._clock,
        )

    def _plan_work(self) -> None:
        """Say what is done how often; in this order."""
        config, groups, syncs = self._config.consumers, self._groups, self._syncs
        if syncs is not None:
            self._every(_FLUSH_INTERVAL_S, "offset syncs", syncs.flush_delayed)
            self._every(1.0, "offset syncs", syncs.write)
        self._now_and_then(_PRUNE_INTERVAL_S, "offset map", self._translator.prune)
        if groups is None:
            return
        self._every(1.0, "offset map", self._translator.refresh)
        interval_s = config.refresh_groups_interval_s or math.inf
        self._refresh_groups = self._every(interval_s, "groups", groups.refresh)
        self._every(1.0, "groups", groups.follow)
        if config.sync_group_offsets_interval_s is not None:
            self._every(_LOOK_AGAIN_INTERVAL_S, "group offsets", groups.look_again)
            self._every(config.sync_group_offsets_interval_s, "group offsets", groups.commit)
            self._now_and_then(_PRUNE_GROUPS_INTERVAL_S, "group offsets", groups.prune)
        if config.emit_checkpoints_interval_s is not None:
            interval_s = config.emit_checkpoints_interval_s
            self._every(interval_s, "checkpoints", groups.write_checkpoints)

    def _every(self, interval_s: float, what: str, do: Callable[[], object]) -> PeriodicTask:
        """Do it now, so often, and at the end."""
        self._last.append((what, do))
        task = PeriodicTask(self._clock, interval_s, lambda: self._try(what, do), at_once=True)
        self._thread.also(task)
        return task

    def _now_and_then(self, interval_s: float, what: str, do: Callable[[], object]) -> None:
        """Do it so often, but neither now nor at the end."""
        self._thread.also(PeriodicTask(self._clock, interval_s, lambda: self._try(what, do)))

    def _try(self, what: str, do: Callable[[], object]) -> None:
        """One thing's trouble does not keep the others from being done."""
        try:
            do()
        except JvmLost:
            raise
        except MirrorError as error:
            # A cluster that is away is one trouble, whoever meets it.
            kind = FlowState.WAITING.value if error.retriable else what
            if self._throttle.allows(kind):
                emit(CONSUMER_SYNC_FAILED, flow=self._config.flow, part=what, error=error)

    def _finish(self) -> None:
        for what, do in self._last:
            self._try(what, do)

    def _failed(self, error: Exception) -> bool:
        """Log an error of this part and retry; copying continues, except without a JVM."""
        if isinstance(error, JvmLost):
            return False
        if not self._is_left and self._throttle.allows(type(error).__name__):
            emit(CONSUMER_SYNC_CRASHED, flow=self._config.flow, error=error, trace=error)
        return True
