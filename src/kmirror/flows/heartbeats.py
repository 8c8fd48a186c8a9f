"""
Heartbeats: signs of life that travel with the flows (KIP-382).

Every second one record is written to the topic `heartbeats` of a target, for each cluster it hears
from. Flows out of that target carry it on as `T.heartbeats`, `U.T.heartbeats` and so on: so each
cluster's topics tell which clusters are upstream, and how many hops away.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from kmirror.admin.base import ClusterAdmin
from kmirror.admin.internal_topics import InternalTopic
from kmirror.admin.internal_writer import InternalRecord, InternalWriter
from kmirror.clock import Clock
from kmirror.config.consumers import HeartbeatConfig
from kmirror.errors import MirrorError
from kmirror.events.emit import emit
from kmirror.events.table import HEARTBEAT_FAILED
from kmirror.policy.replication import HEARTBEATS_TOPIC
from kmirror.schedule.periodic_task import PeriodicTask
from kmirror.schedule.periodic_thread import PeriodicThread
from kmirror.schedule.throttle import Throttle
from kmirror.wire.mirror_records import Heartbeat

_WRITE_S_MAX = 10.0


class Heartbeats:
    """
    The heartbeats of one target cluster, in a thread of their own.

    Args:
        pairs: What to write; all have this target.
        admin: The target's control plane.
        client: librdkafka settings for the target.
        has_flows: A flow of this process tells when the target is away.
        clock: Where time comes from.
    """

    def __init__(
        self,
        pairs: Sequence[HeartbeatConfig],
        admin: ClusterAdmin,
        client: Mapping[str, Any],
        *,
        has_flows: bool,
        clock: Clock,
    ) -> None:
        self._has_flows = has_flows
        self._target = pairs[0].flow.target
        self._admin = admin
        self._clock = clock
        self._throttle = Throttle(clock)
        self._begun = threading.Event()
        # Why the last one was not written.
        self.trouble: MirrorError | None = None
        self._writer = InternalWriter(
            client, cluster=f"cluster {self._target}", timeout_s=_WRITE_S_MAX, clock=clock
        )
        self._topic = InternalTopic(
            HEARTBEATS_TOPIC,
            admin,
            self._writer,
            replication_factor=pairs[0].replication_factor,
        )
        shortest_s = min(pair.interval_s for pair in pairs)
        self._thread = PeriodicThread(
            "kmirror-heartbeats",
            clock,
            self._failed,
            interval_s=shortest_s,
            release=self._let_go,
        )
        for pair in pairs:
            beat = partial(self._beat, pair)
            self._thread.also(PeriodicTask(clock, pair.interval_s, beat, at_once=True))

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    @property
    def has_begun(self) -> bool:
        """Whether the first one was written, or could not be."""
        return self._begun.is_set()

    def stop(self) -> None:
        """Write no other one."""
        self._thread.close()

    def close(self, timeout_s: float) -> None:
        """
        Let go of connections, when the target's answer is not waited for any more.

        Args:
            timeout_s: How long to wait for it.
        """
        self._thread.close(timeout_s)

    def _let_go(self) -> None:
        self._writer.close()
        self._admin.close()

    def _beat(self, pair: HeartbeatConfig) -> None:
        """Write one; trouble is told once a minute, and the next one follows all the same."""
        now_ms = self._clock.wall_ms()
        beat = Heartbeat(source=pair.flow.source, target=pair.flow.target, timestamp_ms=now_ms)
        key, value = beat.encode()
        try:
            self._topic.write([InternalRecord(key=key, value=value, timestamp_ms=now_ms)])
            self.trouble = None
        except MirrorError as error:
            self.trouble = error
            if not (error.retriable and self._has_flows):
                self._warn(error)
        finally:
            self._begun.set()

    def _failed(self, error: Exception) -> bool:
        self._warn(error)
        return True

    def _warn(self, error: Exception) -> None:
        if self._throttle.allows(self._target):
            emit(HEARTBEAT_FAILED, target=self._target, error=error)
