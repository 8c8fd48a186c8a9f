"""The questions and orders that kmirror has for a cluster, whoever carries them out."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from kmirror.admin.acl_admin import AclAdmin
from kmirror.errors import MirrorError, NotAuthorized
from kmirror.model import TopicPartition
from kmirror.plans.snapshot import ClusterState, GroupPosition, TopicConfigEntry, TopicState
from kmirror.plans.topic_settings import SettingChange
from kmirror.plans.topics import GrowTopic, NewTopic

Which = Literal["earliest", "latest"]
Isolation = Literal["read_uncommitted", "read_committed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicConfigs:
    """
    What topics are set to.

    Args:
        entries: All settings of a topic, by its name.
        refused: The topics whose settings we may not read.
    """

    entries: Mapping[str, tuple[TopicConfigEntry, ...]]
    refused: Mapping[str, NotAuthorized]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outage:
    """
    That no broker of a cluster could be reached.

    Args:
        times: How often that was found so far.
        why: What was wrong since the last answer; empty for nothing.
        renewals: How often a client was opened anew because all brokers refused it.
    """

    times: int = 0
    why: str = ""
    renewals: int = 0


class ClusterAdmin(Protocol):
    """
    One cluster's control plane.

    Every call has a deadline and raises `ClusterUnavailable`, `NotAuthorized` or another
    `ClusterError`. Calls about many topics ask for all of them at once. Absence from an answer is
    never a reason to delete: without DESCRIBE, Kafka leaves things out instead of refusing.
    """

    def describe(self) -> ClusterState:
        """Return the cluster's id, brokers and controller."""
        ...

    def outage(self) -> Outage:
        """
        Tell how often no broker at all could be reached so far, and why.

        It asks nothing: whoever waits for an answer knows from it that none will come soon.
        """
        ...

    def topics(self) -> Mapping[str, TopicState]:
        """Return every topic this principal may see, in one metadata request."""
        ...

    def topic(self, name: str) -> TopicState | None:
        """
        Return one topic; `None` when this principal sees none of that name.

        It costs the same however many topics the cluster has.
        """
        ...

    def leaders(self) -> Mapping[TopicPartition, int]:
        """
        Return the broker that leads each partition this principal may see; -1 for none now.

        It is one metadata request, as that of `topics`.
        """
        ...

    def topic_ids(self, names: Iterable[str]) -> Mapping[str, str]:
        """Return topic ids (KIP-516), as Java prints them; leave out missing topics."""
        ...

    def told_ids(self, names: Iterable[str]) -> Mapping[str, str | None]:
        """
        Return the ids of topics, `None` where the cluster says that there is no such topic.

        One that this principal may not describe is left out: it may be there. Asked by name, a
        broker refuses that whether the topic exists or not.
        """
        ...

    def topic_configs(self, names: Iterable[str]) -> Mapping[str, tuple[TopicConfigEntry, ...]]:
        """Return all settings of topics; topics that do not exist are left out."""
        ...

    def readable_topic_configs(self, names: Iterable[str]) -> TopicConfigs:
        """Return the same; a topic whose settings we may not read stops no other."""
        ...

    def broker_configs(self, broker: int) -> tuple[TopicConfigEntry, ...]:
        """Return all settings of a broker."""
        ...

    def alter_topic_configs(
        self, changes: Sequence[SettingChange], *, validate_only: bool = False
    ) -> Mapping[str, MirrorError]:
        """
        Change settings of topics (KIP-339); gives the topics that failed.

        Of a topic, all changes are made or none. Settings that are not named stay as they are.

        Args:
            changes: What to change.
            validate_only: Only ask whether it could be done; nothing is changed.
        """
        ...

    def create_topics(
        self, topics: Sequence[NewTopic], *, validate_only: bool = False
    ) -> Mapping[str, MirrorError]:
        """
        Create topics; gives those that failed. One that exists already has not failed.

        Args:
            topics: What to create.
            validate_only: Only ask whether it could be done; nothing is created.
        """
        ...

    def create_partitions(self, topics: Sequence[GrowTopic]) -> Mapping[str, MirrorError]:
        """Add partitions; gives the topics that failed. One that is as large has not failed."""
        ...

    def delete_topics(self, names: Sequence[str]) -> Mapping[str, MirrorError]:
        """Delete topics; gives those that failed. One that is not there has not failed."""
        ...

    def delete_records(
        self, before: Mapping[TopicPartition, int]
    ) -> Mapping[TopicPartition, MirrorError]:
        """Delete what lies before an offset of each partition; gives those that failed."""
        ...

    def offsets(
        self,
        partitions: Iterable[TopicPartition],
        which: Which = "latest",
        *,
        isolation: Isolation = "read_uncommitted",
        partial: bool = False,
    ) -> Mapping[TopicPartition, int]:
        """
        Return the first or the next offset of partitions.

        One that is left out of the answer may be unknown to this broker only, for a moment after
        it was created or after a restart: it must not be taken for empty.

        Args:
            partitions: Which.
            which: Which offset.
            isolation: The isolation level; with `read_committed` the end is before open
                transactions.
            partial: Those whose leaders do not act are left out after a moment, instead of having
                all the others wait, and fail, with them.

        Raises:
            ClusterUnavailable: No leader has answered; unless *partial*, one has not.
            ClusterError: The cluster has refused.
        """
        ...

    def offsets_at(
        self, partitions: Iterable[TopicPartition], at_ms: int
    ) -> Mapping[TopicPartition, int]:
        """
        Return where partitions hold the first record that is not older than a time.

        Args:
            partitions: Which. Those that hold no such record are left out.
            at_ms: The time, milliseconds since the epoch.
        """
        ...

    def newest_ms(self, partitions: Iterable[TopicPartition]) -> Mapping[TopicPartition, int]:
        """
        Return the largest timestamp of partitions that hold records (KIP-734).

        Those whose leaders do not act are left out, unless that is all of them.
        """
        ...

    def group_positions(
        self, group: str, partitions: Collection[TopicPartition] | None = None
    ) -> Mapping[TopicPartition, GroupPosition]:
        """
        Return the committed offsets of *group*, once no transaction is pending (KIP-447).

        Args:
            group: The group.
            partitions: Only these; all of the cluster's otherwise. A transaction that is pending
                on a partition not asked for does not matter.
        """
        ...

    def set_group_positions(
        self, group: str, positions: Mapping[TopicPartition, GroupPosition]
    ) -> None:
        """Commit offsets for a group without members."""
        ...

    def acls(self) -> AclAdmin:
        """Return the cluster's ACLs; they are asked over the same connections."""
        ...

    def close(self) -> None:
        """Let go of connections; calling it again does nothing."""
        ...
