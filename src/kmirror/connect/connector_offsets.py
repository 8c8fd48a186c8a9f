"""Where connectors are, for requests."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from kmirror.admin.kafka_clients import KafkaClients
from kmirror.clock import Clock
from kmirror.config.connector import Kind
from kmirror.config.connectors import build_flows
from kmirror.config.flows import FlowConfig
from kmirror.config.worker import WorkerConfig
from kmirror.connect.config_state import StoredConnector
from kmirror.connect.flow_offsets import FlowOffsets
from kmirror.connect.model import ConnectorOffset
from kmirror.connect.offset_requests import check_offsets, wanted_positions
from kmirror.connect.zero_offsets import Subject, ZeroOffsets
from kmirror.control.caller import Caller
from kmirror.model import Flow

_NOWHERE = (Kind.CHECKPOINT, Kind.HEARTBEAT)


class ConnectorOffsets:
    """
    The offsets of connectors.

    Those of a checkpoint or a heartbeat connector mean nothing, see `ZeroOffsets`; those of a
    source connector are the positions of its flow.

    Args:
        worker: The worker's file.
        zeros: Offsets of connectors that are nowhere.
        kafka: Opens Kafka's own clients.
        clock: Where time comes from.
    """

    def __init__(
        self, worker: WorkerConfig, zeros: ZeroOffsets, kafka: KafkaClients, clock: Clock
    ) -> None:
        self._worker = worker
        self._zeros = zeros
        self._kafka = kafka
        self._clock = clock

    def flows(self, connector: StoredConnector) -> frozenset[Flow]:
        """Return what a connector copies when it runs."""
        return frozenset(config.flow for config in self._configs(connector))

    def read(self, connector: StoredConnector) -> tuple[ConnectorOffset, ...]:
        """
        Return where a connector is.

        Raises:
            ClusterError: A cluster could not be asked.
        """
        if connector.kind in _NOWHERE:
            return self._zeros.read(connector.name)
        return tuple(each for flow in self._of(connector) for each in flow.read())

    def alter(
        self, connector: StoredConnector, offsets: Sequence[ConnectorOffset], by: Caller
    ) -> None:
        """
        Let a connector go on elsewhere; nothing of it may run.

        Raises:
            BadRequest: One of the offsets is not possible.
            MirrorError: It was not done, or not wholly; doing it again does no harm.
        """
        if connector.kind is not None:
            check_offsets(connector.kind, offsets)
        if connector.kind in _NOWHERE:
            self._zeros.alter(connector.name, offsets)
        for flow in self._of(connector):
            flow.write(wanted_positions(offsets), by)

    def reset(self, connector: StoredConnector, by: Caller) -> None:
        """
        Let a connector begin anew; nothing of it may run.

        Raises:
            MirrorError: It was not done, or not wholly; doing it again does no harm.
        """
        if connector.kind in _NOWHERE:
            self._zeros.reset(connector.name)
        for flow in self._of(connector):
            flow.reset(by)

    def track(self, written: Mapping[str, Collection[Subject]]) -> None:
        """Note what connectors that are nowhere have written of; see `ZeroOffsets.track`."""
        self._zeros.track(written)

    def _of(self, connector: StoredConnector) -> tuple[FlowOffsets, ...]:
        return tuple(
            FlowOffsets(config, self._kafka, self._clock) for config in self._configs(connector)
        )

    def _configs(self, connector: StoredConnector) -> tuple[FlowConfig, ...]:
        built = build_flows({connector.name: connector.settings}, self._worker)
        return tuple(
            each.config
            for each in built.flows
            if each.source == connector.name and each.config is not None
        )
