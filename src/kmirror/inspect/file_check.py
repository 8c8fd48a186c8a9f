"""Checks a file against its clusters before a flow is started; nothing is created or changed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from typing import Any

from kmirror.admin.base import ClusterAdmin
from kmirror.admin.client import KafkaAdmin
from kmirror.admin.coordinator_topics import TRANSACTIONS_TOPIC, may_ask
from kmirror.admin.listeners import unreachable_brokers
from kmirror.clock import Clock
from kmirror.config.client_properties import ClientProperties
from kmirror.config.clusters import ClusterConfig
from kmirror.config.flows import FlowConfig
from kmirror.config.load import MirrorConfig
from kmirror.ends.clients import lane_producer
from kmirror.ends.copy_generations import with_generations_on
from kmirror.ends.discovery import coverage_of_source
from kmirror.ends.topic_settings import setting_rules
from kmirror.errors import ClusterError, NotAuthorized
from kmirror.inspect.access import FileNeeds, named_needs, process_needs
from kmirror.inspect.cluster_clock import newest_times
from kmirror.inspect.rights import ask_rights
from kmirror.jvm.key_stores import librdkafka_settings
from kmirror.model import TopicPartition
from kmirror.pipeline.jvm_clients import JvmClients
from kmirror.pipeline.jvm_features import JvmFeatures
from kmirror.plans.access import Resource
from kmirror.plans.check_facts import (
    BrokerFacts,
    ClusterFacts,
    FlowFacts,
    TopicCheckFacts,
    number,
)
from kmirror.plans.check_rules import CheckFinding, check_cluster, check_flow_facts, check_rights
from kmirror.plans.missing_rights import HIDDEN, MissingRights, missing_rights, place_of
from kmirror.plans.snapshot import TopicConfigEntry, TopicState, settings_of
from kmirror.plans.topic_settings import settings_at_creation
from kmirror.wire.flow_names import owner_transactional_id

_TRANSACTION_TIMEOUT_MS = 60_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """
    What of a file is checked, whatever kind of file it is.

    Args:
        clusters: All that it names.
        flows: All that it has.
        others: What is needed besides what flows need, by names.
    """

    clusters: tuple[ClusterConfig, ...]
    flows: tuple[FlowConfig, ...]
    others: FileNeeds


def checked_file(config: MirrorConfig) -> Checked:
    """Return what is checked of MirrorMaker 2's properties file."""
    return Checked(clusters=config.clusters, flows=config.flows, others=process_needs(config))


class FileCheck:
    """
    Asks all clusters of a file.

    Args:
        checked: What of the file.
        clients: Opens Kafka's own clients.
        clock: Where time comes from.
        tell: Is given what is being done.
        timeout_s: Deadline of each question, seconds.
    """

    def __init__(
        self,
        checked: Checked,
        clients: JvmClients,
        clock: Clock,
        tell: Callable[[str], None],
        *,
        timeout_s: float,
    ) -> None:
        self._checked = checked
        self._clients = clients
        self._clock = clock
        self._tell = tell
        self._timeout_s = timeout_s

    def findings(self) -> tuple[CheckFinding, ...]:
        """
        Return everything that was found, clusters first.

        Raises:
            ClusterError: A cluster went away, or refused what nothing can be checked without.
        """
        clusters = {each.alias: self._cluster(each) for each in self._checked.clusters}
        found = [each for cluster in clusters.values() for each in check_cluster(cluster)]
        answering = {alias for alias, facts in clusters.items() if not facts.unavailable}
        rights: list[MissingRights] = []
        for flow in self._checked.flows:
            source, target = flow.flow.source, flow.target_cluster
            if {source, target} <= answering:
                facts, missing = self._flow(flow, clusters[source], clusters[target])
                found += check_flow_facts(facts)
                rights.append(missing)
        rights.append(self._compare(self._checked.others, answering))
        return (*found, *_distinct(rights))

    def _cluster(self, cluster: ClusterConfig) -> ClusterFacts:
        self._tell(f"{cluster.alias}: brokers, listeners, features")
        settings = librdkafka_settings(cluster.admin)
        try:
            with KafkaAdmin(
                cluster.alias, settings, timeout_s=self._timeout_s, clock=self._clock
            ) as admin:
                brokers = admin.describe().brokers
                closed = unreachable_brokers(brokers)
                facts = tuple(
                    BrokerFacts(
                        id=broker.id,
                        address=f"{broker.host}:{broker.port}",
                        unreachable=closed.get(broker.id, ""),
                        # Who cannot be reached does not answer either.
                        settings=_broker_settings(admin, broker.id)
                        if broker.id not in closed
                        else {},
                    )
                    for broker in brokers
                )
            with self._features(cluster.alias, cluster.admin) as features:
                levels = features.levels()
        except ClusterError as error:
            return ClusterFacts(alias=cluster.alias, unavailable=str(error))
        return ClusterFacts(alias=cluster.alias, brokers=facts, features=levels)

    def _features(self, alias: str, properties: Any) -> JvmFeatures:
        return self._clients.open_features(alias, properties, self._timeout_s)

    def _flow(
        self, flow: FlowConfig, source: ClusterFacts, target: ClusterFacts
    ) -> tuple[FlowFacts, MissingRights]:
        self._tell(f"{flow.flow}: topics, settings, times, rights")
        with ExitStack() as opened:
            ends = [
                opened.enter_context(
                    KafkaAdmin(
                        alias,
                        librdkafka_settings(properties),
                        timeout_s=self._timeout_s,
                        clock=self._clock,
                        looks=True,
                    )
                )
                for alias, properties in (
                    (source.alias, flow.source_admin),
                    (target.alias, flow.target_admin),
                )
            ]
            return self._of_ends(flow, source, target, *ends)

    def _of_ends(
        self,
        flow: FlowConfig,
        source: ClusterFacts,
        target: ClusterFacts,
        ours: KafkaAdmin,
        theirs: KafkaAdmin,
    ) -> tuple[FlowFacts, MissingRights]:
        flow = _in_its_generations(flow, theirs)
        there = ours.topics()
        selects = flow.topic_selection().selects
        selected = {name: there[name] for name in sorted(there) if selects(name)}
        topics = _topics(flow, selected, ours, theirs)
        now_ms = self._clock.wall_ms()
        facts = FlowFacts(
            flow=flow.flow,
            source=source,
            target=target,
            replication_factor=flow.replication_factor,
            exactly_once=flow.exactly_once,
            transaction_timeout_ms=_transaction_timeout_ms(flow),
            now_ms=now_ms,
            unmatched=tuple(map(str, coverage_of_source(flow, there).unmatched)),
            topics=tuple(
                replace(
                    topic, outdated=_outdated(topic, target, selected[topic.topic], ours, now_ms)
                )
                for topic in topics
            ),
        )
        needs = named_needs(flow, tuple(selected), self._groups(flow))
        return facts, self._compare(needs, {source.alias, target.alias}, flow)

    def _groups(self, flow: FlowConfig) -> list[str]:
        """Return the groups that the flow follows, as far as they are to be seen."""
        if not flow.consumers.follows_groups:
            return []
        groups = self._clients.open_groups(flow.flow.source, flow.source_admin, self._timeout_s)
        try:
            return sorted(filter(flow.consumers.group_filter().allows, groups.groups()))
        finally:
            groups.close()

    def _compare(
        self, found: FileNeeds, aliases: set[str], flow: FlowConfig | None = None
    ) -> MissingRights:
        needs = [need for need in found.needs if need.cluster in aliases]
        rights = dict(ask_rights(needs, found.logins, timeout_s=self._timeout_s, clock=self._clock))
        for place in dict.fromkeys(map(place_of, needs)):
            if place.resource is Resource.TRANSACTIONAL_ID:
                # Those of a flow have a common beginning, and this is one of them.
                name = place.name if flow is None else owner_transactional_id(flow.flow)
                if self._is_id_hidden(
                    place.cluster, found.logins[place.cluster, place.principal], name
                ):
                    rights[place] = HIDDEN
        return missing_rights(needs, rights)

    def _is_id_hidden(self, alias: str, login: ClientProperties, name: str) -> bool:
        with KafkaAdmin(
            alias, librdkafka_settings(login), timeout_s=self._timeout_s, clock=self._clock
        ) as admin:
            if not may_ask(admin, TRANSACTIONS_TOPIC):
                return False
        with self._features(alias, login) as features:
            return features.hides_transactional_id(name)


def _in_its_generations(flow: FlowConfig, target: ClusterAdmin) -> FlowConfig:
    """Return a flow with the generations that its copies are in, where that may be read."""
    if flow.policy.merges:
        return flow
    with suppress(NotAuthorized):
        return with_generations_on(flow, target, librdkafka_settings(flow.target_admin))
    return flow


def _topics(
    flow: FlowConfig, selected: Mapping[str, TopicState], ours: KafkaAdmin, theirs: KafkaAdmin
) -> Iterator[TopicCheckFacts]:
    remote_topic = flow.topic_selection().remote_topic
    copies = {name: remote_topic(name) for name in selected}
    present = theirs.topics()
    source = _configs(ours, selected)
    target = _configs(theirs, [copy for copy in copies.values() if copy in present])
    newest = newest_times(ours, selected.values())
    rules = setting_rules(flow)
    replicas = flow.replication_factor if flow.replication_factor > 0 else None
    for name, copy in copies.items():
        entries = source.get(name, ())
        yield TopicCheckFacts(
            topic=name,
            copy=copy,
            source=entries,
            target=target.get(copy, ()) if copy in present else None,
            copied=dict(settings_at_creation(entries, rules, replicas)),
            is_synced=flow.sync_topic_configs_interval_s is not None,
            newest_ms=newest.get(name),
        )


def _configs(
    admin: ClusterAdmin, names: Collection[str]
) -> Mapping[str, Sequence[TopicConfigEntry]]:
    try:
        return admin.topic_configs(names) if names else {}
    except NotAuthorized:
        return {}  # the rights that are missing are told by themselves


def _outdated(
    topic: TopicCheckFacts,
    target: ClusterFacts,
    state: TopicState,
    admin: ClusterAdmin,
    now_ms: int,
) -> dict[str, int]:
    """Count what is older than the copy keeps or takes, where that is less than the source does."""
    found: dict[str, int] = {}
    for setting in ("retention.ms", "message.timestamp.before.max.ms"):
        theirs, ours = number(topic.on_target(setting, target)), number(topic.on_source(setting))
        policy = topic.on_target("cleanup.policy", target) or "delete"
        unlimited = theirs is None or theirs < 0 or theirs >= now_ms
        if unlimited or (setting == "retention.ms" and "delete" not in policy):
            continue
        assert theirs is not None
        if ours is not None and 0 <= ours <= theirs:
            continue  # the source's own limit leaves nothing that old
        places = [TopicPartition(state.name, at) for at in range(state.partitions)]
        found[setting] = _records_before(admin, places, now_ms - theirs)
    return found


def _records_before(admin: ClusterAdmin, places: Sequence[TopicPartition], at_ms: int) -> int:
    """Count the offsets before the first record that is not older than a time."""
    starts = admin.offsets(places, "earliest", partial=True)
    ends = admin.offsets(places, "latest", partial=True)
    since = admin.offsets_at(starts, at_ms)
    return sum(since.get(tp, ends.get(tp, start)) - start for tp, start in starts.items())


def _broker_settings(admin: KafkaAdmin, broker: int) -> Mapping[str, str]:
    try:
        return settings_of(admin.broker_configs(broker))
    except NotAuthorized:
        return {}


def _distinct(rights: Sequence[MissingRights]) -> Iterator[CheckFinding]:
    """Yield the findings of all flows; the same ACL is told once."""
    missing = dict.fromkeys(grant for each in rights for grant in each.missing)
    untold = dict.fromkeys(grant for each in rights for grant in each.untold)
    return check_rights(MissingRights(missing=tuple(missing), untold=tuple(untold)))


def _transaction_timeout_ms(flow: FlowConfig) -> int:
    said = lane_producer(flow).get("transaction.timeout.ms")
    return number(str(said)) or _TRANSACTION_TIMEOUT_MS
