"""Kafka's own clients, for what librdkafka cannot do, or not within a limit of time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from kmirror.admin.group_admin import GroupAdmin
from kmirror.admin.log_admin import LogAdmin
from kmirror.config.client_properties import ClientProperties
from kmirror.model import TopicPartition
from kmirror.plans.snapshot import GroupPosition


class PositionWriter(Protocol):
    """
    A transactional producer that writes offsets of one group and nothing else.

    Every call has a deadline. Calls follow each other, whoever makes them.
    """

    def fence(self, doing: str) -> None:
        """
        End earlier producers of the same transactional id, and what they have open.

        Args:
            doing: What it is done for, for messages, as in "could not <doing>".

        Raises:
            ClusterError: The cluster refused or did not answer.
        """
        ...

    def write(self, positions: Mapping[TopicPartition, GroupPosition], doing: str) -> None:
        """
        Commit positions in one transaction.

        Args:
            positions: By the partitions that the group has them under.
            doing: See `fence`.

        Raises:
            ProducerFenced: A newer producer has the transactional id.
            ClusterError: The cluster refused, and nothing is written; or it did not answer. Only
                `is_usable` tells whether there can be another transaction.
        """
        ...

    @property
    def is_usable(self) -> bool:
        """Whether everything so far has an answer, and nobody has the transactional id since."""
        ...

    def close(self) -> None:
        """Let go of connections."""
        ...


class KafkaClients(Protocol):
    """Opens Kafka's own clients; whoever asked closes what has to be closed."""

    def open_groups(self, alias: str, properties: ClientProperties, timeout_s: float) -> GroupAdmin:
        """Open the consumer groups of a cluster; see `OpenGroups`."""
        ...

    def open_logs(self, alias: str, properties: ClientProperties) -> LogAdmin:
        """Open the logs of a cluster; see `LogAdmin`."""
        ...

    def open_position_writer(
        self, alias: str, properties: ClientProperties, *, group: str, transactional_id: str
    ) -> PositionWriter:
        """
        Open what writes offsets of a group; it begins to connect. What is wrong, its `fence` says.

        Args:
            alias: The cluster's name.
            properties: Java client properties of an admin client.
            group: The group.
            transactional_id: Whoever opens one with the same fences this one.
        """
        ...

    def fence(self, alias: str, properties: ClientProperties, ids: Sequence[str]) -> None:
        """
        End the producers of transactional ids, and what they have open.

        Args:
            alias: The cluster's name.
            properties: Java client properties of an admin client.
            ids: The transactional ids.

        Raises:
            ClusterError: The cluster refused, or did not answer: some of them may be fenced.
        """
        ...
