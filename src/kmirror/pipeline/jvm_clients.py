"""Kafka's own clients in the JVM, for what librdkafka cannot ask, or not as fast."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kmirror.config.client_properties import ClientProperties
from kmirror.pipeline.jvm_features import JvmFeatures
from kmirror.pipeline.jvm_fencing import fence_producers
from kmirror.pipeline.jvm_groups import JvmGroups
from kmirror.pipeline.jvm_logs import JvmLogs
from kmirror.pipeline.jvm_positions import JvmPositionWriter

_LOGS_S_MAX = 10.0
_FENCING_S_MAX = 60.0
# Longer than a cluster needs to find out that a coordinator is gone (broker.session.timeout.ms).
_POSITIONS_S_MAX = 15.0


class JvmClients:
    """
    Opens them; see `KafkaClients`.

    Args:
        jvm: One with the connector on its class path: Spark's, or a command's own.
    """

    def __init__(self, jvm: Any) -> None:
        self._jvm = jvm

    def open_groups(self, alias: str, properties: ClientProperties, timeout_s: float) -> JvmGroups:
        """Open the consumer groups of a cluster; see `OpenGroups`."""
        return JvmGroups(self._jvm, alias, properties, timeout_s=timeout_s)

    def open_features(
        self, alias: str, properties: ClientProperties, timeout_s: float
    ) -> JvmFeatures:
        """Open what else only Kafka's own client asks of a cluster; see `Features`."""
        return JvmFeatures(self._jvm, alias, properties, timeout_s=timeout_s)

    def open_logs(self, alias: str, properties: ClientProperties) -> JvmLogs:
        """Open the logs of a cluster; see `LogAdmin`."""
        return JvmLogs(self._jvm, alias, properties, timeout_s=_LOGS_S_MAX)

    def open_position_writer(
        self, alias: str, properties: ClientProperties, *, group: str, transactional_id: str
    ) -> JvmPositionWriter:
        """Open what writes offsets of a group; see `PositionWriter`."""
        return JvmPositionWriter(
            self._jvm,
            alias,
            properties,
            group=group,
            transactional_id=transactional_id,
            timeout_s=_POSITIONS_S_MAX,
        )

    def fence(self, alias: str, properties: ClientProperties, ids: Sequence[str]) -> None:
        """Fence the producers of a cluster; see `FenceProducers`."""
        fence_producers(self._jvm, alias, properties, ids, timeout_s=_FENCING_S_MAX)
