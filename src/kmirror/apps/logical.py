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

import threading
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kmirror.admin.base import ClusterAdmin
from kmirror.admin.client import KafkaAdmin
from kmirror.admin.connection import Connected
from kmirror.admin.owner_entry import OwnerEntry, read_owner
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
        sources: The clusters whose copies belong to it, as `MergedReader` wants them; none where
            copies have the names of the originals.
    """

    cluster: str
    bootstrap_servers: str
    pattern: str
    topics: tuple[str, ...]
    write: str
    why: str = ""
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Home:
    """
    The cluster that applications of a region work with now, whatever their topics are.

    Args:
        cluster, bootstrap_servers, why, sources: As in `LogicalPlace`.
        doubt: Which target told nothing, so that what it said last counts; empty if all did.
    """

    cluster: str
    bootstrap_servers: str
    sources: tuple[str, ...]
    why: str = ""
    doubt: str = ""

    def place(self, topic: str, names: Collection[str]) -> LogicalPlace:
        """
        Say where a topic is.

        Args:
            topic: Its name where it is written.
            names: The cluster's topics.

        Raises:
            ValueError: There is no such topic name.
        """
        if self.sources:
            pattern = subscription(topic, clusters=self.sources)
            found = sorted(parts(topic, names).values())
        else:
            pattern, found = exactly(topic), [topic] if topic in names else []
        return LogicalPlace(
            cluster=self.cluster,
            bootstrap_servers=self.bootstrap_servers,
            pattern=pattern,
            topics=tuple(found),
            write=topic,
            why=self.why,
            sources=self.sources,
        )


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
        self._opening = threading.Lock()
        self._holds: dict[str, OwnerEntry | None] = {}
        self._silent: dict[str, str] = {}

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
        home = self.home()
        return home.place(topic, self.names(home.cluster))

    def home(self) -> Home:
        """
        Say which cluster to work with.

        Raises:
            ClusterError: A target refused to say who has a flow.
        """
        self._silent.clear()
        held = ((entry, self._hold(entry)) for entry in self._away)
        cluster, why = next(
            ((entry.flow.target, str(hold.owner)) for entry, hold in held if hold is not None),
            (self._region, ""),
        )
        others = tuple(alias for alias in self._clusters if alias != cluster)
        return Home(
            cluster=cluster,
            bootstrap_servers=self._clusters[cluster].bootstrap_servers,
            sources=() if self._keeps_names(cluster) else others or (cluster,),
            why=why,
            doubt="; ".join(self._silent.values()),
        )

    def names(self, cluster: str) -> Collection[str]:
        """
        Return a cluster's topics.

        Args:
            cluster: Its alias.

        Raises:
            ClusterError: It did not answer, or refused.
        """
        return self._admin(cluster).topics().keys()

    def close(self) -> None:
        """Let go of connections."""
        for admin in self._admins.values():
            admin.close()

    def _hold(self, entry: FlowConfig) -> OwnerEntry | None:
        """Return who holds the flow; while its target tells nothing, what it said last counts."""
        target = entry.flow.target
        try:
            admin = self._admin(target)
            now = read_owner(entry.flow, admin, entry.offset_storage_topic)
        except ClusterUnavailable as error:
            self._silent[target] = str(error)
        else:
            if now is None and self._holds.get(target) is not None:
                # A coordinator that has just been restarted answers as if there were nothing, and
                # entries expire; the end of a hold is an entry of its own.
                self._silent[target] = f"{target} does not tell any more who has {entry.flow}"
            else:
                self._holds[target] = now
        found = self._holds.get(target)
        return found if found is not None and found.is_hold else None

    def _keeps_names(self, cluster: str) -> bool:
        return any(
            isinstance(entry.policy, IdentityReplicationPolicy)
            for entry in self._config.flows
            if entry.flow.target == cluster
        )

    def _admin(self, alias: str) -> ClusterAdmin:
        with self._opening:
            if alias not in self._admins:
                settings = librdkafka_settings(self._clusters[alias].admin)
                self._admins[alias] = self._open(alias, settings)
            return self._admins[alias]
