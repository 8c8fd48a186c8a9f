"""One of the nodes that share the flows of a file."""

from __future__ import annotations

import threading
from contextlib import ExitStack

from kmirror.admin.client import KafkaAdmin
from kmirror.admin.connection import cluster_name
from kmirror.clock import Clock
from kmirror.config.load import MirrorConfig
from kmirror.errors import MirrorError
from kmirror.events.connect import WORKERS_UNREACHABLE
from kmirror.events.emit import emit
from kmirror.events.nodes import NODES_POSTPONED
from kmirror.jvm.key_stores import librdkafka_settings
from kmirror.runtime.flow_host import FlowHost
from kmirror.runtime.group_channel import GroupChannel, GroupNames
from kmirror.runtime.handover import Handover
from kmirror.runtime.host_options import process_name
from kmirror.runtime.node_plan import NodePlan
from kmirror.runtime.own_share import OwnShare
from kmirror.runtime.pulse import Pulse
from kmirror.runtime.worker import Worker
from kmirror.schedule.throttle import Throttle
from kmirror.wire.worker_group import nodes_topic

_TIMEOUT_S = 30.0
_TICK_S = 0.05
_AGAIN_S = 1.0
_END_S_MAX = 1.0


class Node:
    """
    Meets the other nodes, and runs its share of the flows.

    Args:
        config: The file, which has several nodes.
        host: Runs flows.
        pulse: Writes heartbeats.
        clock: Where time comes from.
    """

    def __init__(self, config: MirrorConfig, host: FlowHost, pulse: Pulse, clock: Clock) -> None:
        assert config.nodes is not None, "it has several nodes"
        self._config = config
        self._nodes = config.nodes
        self._plan = NodePlan(config)
        self._host = host
        # The whole file was checked; whoever takes a flow over has no time for it.
        self._worker = Worker(host, pulse, checks=False)
        self._clock = clock
        self._throttle = Throttle(clock)
        self._channel: GroupChannel | None = None
        self._ready, self._over = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._live, name="kmirror-node", daemon=True)

    def start(self) -> None:
        """Listen to the others; this node is none of them yet."""
        self._thread.start()

    def join(self) -> None:
        """Take flows from now on."""
        self._ready.set()

    def follow(self, config: MirrorConfig) -> None:
        """Have another file from now on."""
        self._config, self._plan = config, NodePlan(config)
        self._make_offer()

    def end_with(self, stop: threading.Event, end: threading.Event) -> None:
        """
        Set *end* when *stop* is set; before that, let other nodes take the flows over.

        Args:
            stop: The node shall end.
            end: Its flows shall.
        """
        handover = Handover(self._host, lambda: self._channel, over=self._over, clock=self._clock)
        handover.begin_with(stop, end)

    def close(self) -> None:
        """Run no more of the others' flows, and let go of connections."""
        self._over.set()
        if self._thread.is_alive():
            self._thread.join(_END_S_MAX)
        channel, self._channel = self._channel, None
        if channel is not None:
            channel.close()

    def _live(self) -> None:
        with ExitStack() as undo:
            while (channel := self._try_to_meet(undo)) is None:
                if self._clock.wait(self._over, _AGAIN_S):
                    return
            while not self._ready.is_set():
                if self._clock.wait(self._over, _TICK_S):
                    return
            channel.join()
            # Whatever ends this thread: others have the flows then.
            undo.callback(channel.leave)
            share = OwnShare(self._worker, channel)
            while not self._clock.wait(self._over, _TICK_S):
                if trouble := self._try_share(share):
                    if self._throttle.allows("postponed"):
                        trace = None if isinstance(trouble, MirrorError) else trouble
                        emit(NODES_POSTPONED, error=trouble, trace=trace)
                    share.again()
                    self._clock.wait(self._over, _AGAIN_S)

    def _try_share(self, share: OwnShare) -> Exception | None:
        """Run this node's share; gives what of it could not be done."""
        try:
            share.do(self._plan)
        except Exception as error:  # noqa: BLE001 - others would give flows to a node without this
            return error
        return MirrorError(share.trouble) if share.trouble else None

    def _try_to_meet(self, undo: ExitStack) -> GroupChannel | None:
        """Open the channel to the others; `None` where it has to be tried again."""
        group = group_name(self._config)
        try:
            with ExitStack() as failed:
                rdkafka = librdkafka_settings(self._config.cluster(self._nodes.cluster).admin)
                admin = failed.enter_context(
                    KafkaAdmin(
                        self._nodes.cluster, rdkafka, timeout_s=_TIMEOUT_S, clock=self._clock
                    )
                )
                channel = GroupChannel(
                    GroupNames(
                        group=group,
                        topic=nodes_topic(self._nodes.group_id),
                        cluster=cluster_name(self._nodes.cluster, rdkafka),
                        member=process_name(),
                    ),
                    admin=admin,
                    rdkafka=rdkafka,
                    replication_factor=self._nodes.replication_factor,
                    held=self._host.held,
                    clock=self._clock,
                )
                failed.callback(channel.close)
                channel.start(tuple)
                failed.pop_all()
                undo.callback(admin.close)
        except MirrorError as error:
            if self._throttle.allows("unreachable"):
                emit(WORKERS_UNREACHABLE, group=group, error=error)
            return None
        self._channel = channel
        self._make_offer()
        return channel

    def _make_offer(self) -> None:
        if self._channel is None:
            return
        try:
            written_ms = self._config.path.stat().st_mtime_ns // 1_000_000
        except OSError:
            written_ms = 0  # it was there a moment ago; whoever has it still has the newer one
        self._channel.offer(self._config.digest, written_ms, list(self._plan.shares))


def group_name(config: MirrorConfig) -> str:
    """Name the nodes of a file, for people."""
    assert config.nodes is not None, "it has several nodes"
    return f"group {config.nodes.group_id} of nodes on {config.nodes.cluster}"
