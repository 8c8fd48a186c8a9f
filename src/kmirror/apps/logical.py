"""
Which topics, on which cluster, an application of a region works with now.

    topics = LogicalTopics.of_file("mm2.properties", region="A")
    place = topics.resolve("payment-events")
    consumer = Consumer({"bootstrap.servers": place.bootstrap_servers, "group.id": "billing"})
    consumer.subscribe([place.pattern])
    producer.produce(place.write, ...)

Normally that is the region's own cluster. While a flow out of it is held by `kmirror failover` or
`promote`, it is the cluster where the groups went; after `failback`, its own again. Ask every few
seconds: when `place.cluster` is another one, close the clients and open them there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kmirror.admin.base import ClusterAdmin
from kmirror.admin.client import KafkaAdmin
from kmirror.admin.connection import Connected
from kmirror.admin.ownership import OwnerEntry, read_owner
from kmirror.apps.consume import exactly, parts, subscription
from kmirror.config.flows import FlowConfig
from kmirror.config.load import MirrorConfig, load
from kmirror.errors import ClusterUnavailable
from kmirror.jvm.key_stores import librdkafka_settings
from kmirror.policy.replication import IdentityReplicationPolicy

OpenAdmin = Callable[[str, Mapping[str, Any]], ClusterAdmin]


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalPlace:
    """
    The cluster and topics that an application works with now.

    Args:
        cluster: The alias of the cluster to work with.
        bootstrap_servers: Its address.
        pattern: What to subscribe to: the local topic and its copies.
        topics: Those of them that are there now, by name.
        write: The topic to write to.
        why: Who sent the application away from its own cluster; empty when it is there.
    """

    cluster: str
    bootstrap_servers: str
    pattern: str
    topics: tuple[str, ...]
    write: str
    why: str = ""


class LogicalTopics(Connected):
    """
    Resolves topics for applications of one region.

    Args:
        config: The mirror's file.
        region: The alias of the applications' own cluster.
        timeout_s: Deadline of each question, seconds.
        open_admin: Opens a cluster's control plane; a real one without.

    Raises:
        ValueError: The file has no such cluster.
    """

    def __init__(
        self,
        config: MirrorConfig,
        *,
        region: str,
        timeout_s: float = 10.0,
        open_admin: OpenAdmin | None = None,
    ) -> None:
        self._clusters = {cluster.alias: cluster for cluster in config.clusters}
        if region not in self._clusters:
            raise ValueError(f"{config.path} has no cluster {region}")
        self._region = region
        self._away = tuple(
            entry
            for entry in config.flows
            if entry.flow.source == region and not entry.policy.merges
        )
        self._config = config
        self._open = open_admin or (
            lambda alias, client: KafkaAdmin(alias, client, timeout_s=timeout_s)
        )
        self._admins: dict[str, ClusterAdmin] = {}
        self._holds: dict[str, OwnerEntry | None] = {}

    @classmethod
    def of_file(
        cls,
        path: str | Path,
        *,
        region: str,
        environ: Mapping[str, str] | None = None,
        timeout_s: float = 10.0,
    ) -> LogicalTopics:
        """
        Read the mirror's file.

        Args:
            path: The file.
            region: The alias of the applications' own cluster.
            environ: For its `${env:…}` references, such as `os.environ`.
            timeout_s: Deadline of each question, seconds.

        Raises:
            ConfigError: It is wrong.
            ValueError: It has no such cluster.
        """
        config = load(Path(path), environ=environ or {})
        return cls(config, region=region, timeout_s=timeout_s)

    def resolve(self, topic: str) -> LogicalPlace:
        """
        Say where a topic is now.

        Args:
            topic: Its name where it is written.

        Raises:
            ClusterError: The cluster to work with did not answer, or refused.
        """
        cluster, why = self._home()
        names = self._admin(cluster).topics()
        if self._keeps_names(cluster):
            pattern, found = exactly(topic), [topic] if topic in names else []
        else:
            others = [alias for alias in self._clusters if alias != cluster]
            pattern = subscription(topic, clusters=others or [cluster])
            found = sorted(parts(topic, names).values())
        return LogicalPlace(
            cluster=cluster,
            bootstrap_servers=self._clusters[cluster].bootstrap_servers,
            pattern=pattern,
            topics=tuple(found),
            write=topic,
            why=why,
        )

    def close(self) -> None:
        """Let go of connections."""
        for admin in self._admins.values():
            admin.close()

    def _home(self) -> tuple[str, str]:
        """Return the cluster to work with, and why it is not the region's own."""
        for entry in self._away:
            hold = self._hold(entry)
            if hold is not None and hold.is_hold:
                return entry.flow.target, str(hold.owner)
        return self._region, ""

    def _hold(self, entry: FlowConfig) -> OwnerEntry | None:
        """Ask a target who has the flow; while it does not answer, what it said last counts."""
        target = entry.flow.target
        with suppress(ClusterUnavailable):
            admin = self._admin(target)
            self._holds[target] = read_owner(entry.flow, admin, entry.offset_storage_topic)
        return self._holds.get(target)

    def _keeps_names(self, cluster: str) -> bool:
        return any(
            isinstance(entry.policy, IdentityReplicationPolicy)
            for entry in self._config.flows
            if entry.flow.target == cluster
        )

    def _admin(self, alias: str) -> ClusterAdmin:
        if alias not in self._admins:
            settings = librdkafka_settings(self._clusters[alias].admin)
            self._admins[alias] = self._open(alias, settings)
        return self._admins[alias]
