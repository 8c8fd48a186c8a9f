"""What a flow does beside copying: its consumers' offsets, settings and rights, audits."""

from __future__ import annotations

from pathlib import Path

from kmirror.admin.internal_topics import create_internal_topic
from kmirror.audit.auditor import Auditor
from kmirror.ends.dead_letters import make_dlq_topic
from kmirror.errors import NotAuthorized
from kmirror.events.emit import emit
from kmirror.events.poison import DLQ_REFUSED
from kmirror.events.table import OFFSET_MAP_REFUSED
from kmirror.flows.parts import Parts
from kmirror.groups.consumers import Consumers
from kmirror.parity.parity import Parity
from kmirror.pipeline.engine import Engine
from kmirror.pipeline.jvm_clients import JvmClients
from kmirror.pipeline.window_hashes import WindowHashes
from kmirror.policy.poison import Poison
from kmirror.wire.flow_names import offset_map_topic

# A bounded copy has time: settings are part of what it makes equal.
_PARITY_BOUNDED_S_MAX = 60.0
# An audit ends in the middle of a read; for so long it may let go of its connections.
_AUDIT_END_S = 2.0


class SideTasks:
    """
    The side tasks of one generation.

    They are opened before the flow is claimed: between the claim and the first record nobody
    copies.

    Args:
        parts: What the generation works with.
        jvm_clients: Opens Kafka's own clients.
        bounded: The flow ends by itself.

    Raises:
        ClusterError: The target cannot be reached, or refuses what the flow needs.
    """

    def __init__(self, parts: Parts, jvm_clients: JvmClients, *, bounded: bool) -> None:
        self._parts = parts
        self._bounded = bounded
        # Where lanes write the exact offset map, and dead letters; empty where they do not.
        self.offset_map_topic = _make_offset_map_topic(parts)
        self.dlq_topic = _make_dlq_topic(parts)
        self.consumers = Consumers(
            parts.config,
            parts.clients,
            parts.progress,
            parts.meter,
            offset_map_topic=self.offset_map_topic,
            open_groups=jvm_clients.open_groups,
            throttle=parts.throttle,
            clock=parts.clock,
        )
        self._parity = Parity(
            parts.config, parts.clients, parts.throttle, parts.clock, bounded=bounded
        )
        self._auditor: Auditor | None = None

    def start(self, engine: Engine, folder: Path) -> None:
        """
        Begin, except for what `Generation` begins with its query.

        Args:
            engine: Spark, which reads what is audited.
            folder: The flow's own, for the files that tell Spark's tasks what to read.
        """
        auditor = self._auditor = self._open_auditor(engine, folder)
        self._parts.live.follow(self.consumers.obey, self._parity.follow, auditor.follow)
        self._parity.start()
        auditor.start()

    def close(self, *, is_complete: bool) -> None:
        """
        Stop, and let go of connections.

        Args:
            is_complete: A bounded copy is; its settings are to be equal, too.
        """
        if self._auditor is not None:
            self._auditor.close(_AUDIT_END_S)
        self._parity.close(_PARITY_BOUNDED_S_MAX if is_complete else 0)
        self.consumers.close(0)

    def _open_auditor(self, engine: Engine, folder: Path) -> Auditor:
        parts = self._parts
        hashes = WindowHashes(
            engine.spark,
            folder,
            name=str(parts.config.flow),
            tasks=1,
            timeout_s=parts.config.admin_timeout_s,
        )
        return Auditor(
            parts.config,
            parts.clients,
            hashes,
            meter=parts.meter,
            throttle=parts.throttle,
            clock=parts.clock,
            bounded=self._bounded,
        )


def _make_offset_map_topic(parts: Parts) -> str:
    """Return the topic of the exact offset map; empty if the target refuses it."""
    config = parts.config
    if config.policy.merges:
        return ""  # nobody goes over from one topic of a cluster to another
    topic = offset_map_topic(config.flow)
    try:
        create_internal_topic(
            parts.clients.target,
            topic,
            partitions=1,
            replication_factor=config.offset_storage_replication_factor,
        )
    except NotAuthorized as error:
        emit(OFFSET_MAP_REFUSED, flow=config.flow, error=error)
        return ""
    return topic


def _make_dlq_topic(parts: Parts) -> str:
    """Return the topic for dead letters; empty if none are kept, or the target refuses it."""
    if Poison.DLQ not in parts.config.poison.values:
        return ""
    try:
        return make_dlq_topic(parts.config, parts.clients.target)
    except NotAuthorized as error:
        emit(DLQ_REFUSED, flow=parts.config.flow, error=error)
        return ""
