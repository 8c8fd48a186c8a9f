"""Where the flow of a MirrorSourceConnector is, and how that is changed while it is stopped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing

from kmirror.admin.kafka_clients import KafkaClients
from kmirror.admin.owner_entry import this_process
from kmirror.admin.ownership import Ownership
from kmirror.clock import Clock
from kmirror.config.flows import FlowConfig
from kmirror.connect.model import ConnectorOffset
from kmirror.connect.offset_requests import WantedPosition, offset_of
from kmirror.control.caller import Caller
from kmirror.ends.clients import FlowClients, open_clients, open_ownership
from kmirror.ends.connect_copies import SecondCopy, read_copies, write_copies
from kmirror.ends.copy_generations import in_generations, with_generations
from kmirror.ends.discovery import Discovery, Mirrored
from kmirror.ends.facts import mm2_key
from kmirror.ends.log_checks import LogChecks
from kmirror.ends.offsets_topic import make_offsets_topic
from kmirror.ends.positions import Positions
from kmirror.model import TopicPartition
from kmirror.wire.control_orders import Author, SeekOrder
from kmirror.wire.flow_names import position_group

_WRITE_S_MAX = 10.0


class FlowOffsets:
    """
    The positions of one flow, for requests.

    Args:
        config: The flow.
        kafka: Opens Kafka's own clients.
        clock: Where time comes from.
    """

    def __init__(self, config: FlowConfig, kafka: KafkaClients, clock: Clock) -> None:
        self._config = config
        self._kafka = kafka
        self._clock = clock

    def read(self) -> tuple[ConnectorOffset, ...]:
        """
        Return where it is; partitions of which nothing was copied have no place.

        What only Connect's topic knows, of a worker of Kafka's or of topics that are not copied any
        more, is told, too.

        Raises:
            ClusterError: A cluster could not be asked.
        """
        return tuple(
            offset_of(self._config.flow.source, source, position)
            for source, position in self._positions()
        )

    def _positions(self) -> list[tuple[TopicPartition, int]]:
        """Return the next offset of partitions of which something was copied, in their order."""
        clients = open_clients(self._config, self._clock)
        with closing(clients):
            stored = read_copies(self._config, clients.target, clients.target_rdkafka)
            config = in_generations(self._config, stored)
            positions = clients.target.group_positions(position_group(config.flow))
            found = {
                TopicPartition(key.topic, key.partition): each.offset
                for key, each in stored.positions.items()
                if (key.connector, key.cluster) == (config.connector_name, config.flow.source)
            }
            found |= {
                each.source: positions[each.position].offset
                for each in _present(config, clients, self._clock)
                if each.position in positions
            }
        return [(source, position) for source, position in sorted(found.items()) if position > 0]

    def reset(self, by: Caller) -> None:
        """
        Have everything be copied again from what the source has first.

        Raises:
            MirrorError: It was not done, or not wholly; doing it again does no harm.
        """
        self._move({source: None for source, _ in self._positions()}, by)

    def write(self, wanted: Sequence[WantedPosition], by: Caller) -> None:
        """
        Have partitions go on elsewhere; the flow may not run here.

        Whoever drives it elsewhere is fenced. What the flow does not copy, or of which there is no
        copy yet, has its position in Connect's topic alone, where a start finds it.

        Args:
            wanted: Where; partitions of other clusters are none of this flow's.
            by: Who wants it.

        Raises:
            MirrorError: It was not done, or not wholly; doing it again does no harm.
        """
        source = self._config.flow.source
        self._move({each.partition: each.position for each in wanted if each.cluster == source}, by)

    def _move(self, places: Mapping[TopicPartition, int | None], by: Caller) -> None:
        if not places:
            return
        clients = open_clients(self._config, self._clock)
        ownership = open_ownership(self._config, clients, self._kafka, self._clock)
        try:
            topic = self._config.offset_storage_topic
            partitions = make_offsets_topic(self._config, clients.target, topic)
            before = ownership.read_owner()
            slots = 1 if before is None or before.owner is None else before.owner.slots
            owner = this_process(self._clock, self._config.flow, slots=slots)
            generation = ownership.claim(owner)
            self._write(places, clients, ownership, by)
            # Position 0 takes a key's position away, as a reset does.
            copied = [(mm2_key(self._config, tp), at or 0) for tp, at in places.items()]
            write_copies(
                self._config,
                clients.target,
                clients.target_rdkafka,
                SecondCopy(positions=copied, generation=generation, timeout_s=_WRITE_S_MAX),
                partitions=partitions,
            )
        finally:
            ownership.close()
            clients.close()

    def _write(
        self,
        places: Mapping[TopicPartition, int | None],
        clients: FlowClients,
        ownership: Ownership,
        by: Caller,
    ) -> None:
        config = with_generations(self._config, clients)
        mirrored = [m for m in _present(config, clients, self._clock) if m.source in places]
        author = Author(by=str(by.name), at_ms=self._clock.wall_ms(), reason="by request")
        seeks = [
            SeekOrder(verb="seek", partition=m.source, offset=places[m.source] or 0, author=author)
            for m in mirrored
        ]
        positions = Positions(
            config,
            clients,
            LogChecks(config, clients, self._kafka.open_logs, self._clock),
            _NoGaps(),
            self._clock,
            ownership=ownership,
        )
        positions.move(seeks, mirrored)


class _NoGaps:
    """Who moves a partition has decided himself: there is no gap to tell of."""

    def record(self, decided: object, facts: object) -> None:
        """Do nothing."""


def _present(config: FlowConfig, clients: FlowClients, clock: Clock) -> tuple[Mirrored, ...]:
    return Discovery(config, clients.source, clients.target, clock).present()
