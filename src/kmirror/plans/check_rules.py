"""What would go wrong with a flow on its clusters, by what is known before it is started; pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from enum import Enum

from kmirror.errors import Problem
from kmirror.plans.access import Resource
from kmirror.plans.check_facts import ClusterFacts, FlowFacts, TopicCheckFacts, number
from kmirror.plans.clocks import SKEW_MS, STAMP_SETTING, STAMPED_BY_BROKERS, ahead_ms
from kmirror.plans.grants import Grant
from kmirror.plans.missing_rights import MissingRights
from kmirror.plans.text import first_few

_TRANSACTIONS_V2 = 2  # KIP-890, part 2
_HOUR_MS = 3_600_000


class Level(Enum):
    """How much a finding matters, the worst first."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckFinding:
    """
    The result of one check.

    Args:
        level: How much it matters.
        kind: One word, for programs.
        where: The cluster, flow or topic.
        words: What was seen.
        why: What follows from it.
        do: What to do.
        grants: ACLs to add.
    """

    level: Level
    kind: str
    where: str
    words: str
    why: str = ""
    do: str = ""
    grants: tuple[Grant, ...] = ()


def doubts(warnings: Iterable[Problem]) -> Iterator[CheckFinding]:
    """
    Say what is doubtful in a file.

    Args:
        warnings: What was found when it was read.
    """
    for each in warnings:
        yield CheckFinding(level=Level.WARNING, kind="doubtful", where=each.where, words=each.words)


def check_cluster(cluster: ClusterFacts) -> Iterator[CheckFinding]:
    """
    Look at one cluster by itself.

    Args:
        cluster: What is known of it.
    """
    if cluster.unavailable:
        yield CheckFinding(
            level=Level.ERROR,
            kind="unavailable",
            where=cluster.alias,
            words=cluster.unavailable,
            why="flows wait until it answers",
            do=f"check {cluster.alias}.bootstrap.servers, the login and the network",
        )
        return
    for broker in cluster.brokers:
        if broker.unreachable:
            yield CheckFinding(
                level=Level.ERROR,
                kind="listener_unreachable",
                where=f"{cluster.alias} broker {broker.id}",
                words=f"it advertises {broker.address}, and no connection comes about: "
                f"{broker.unreachable}",
                why="clients connect to what brokers advertise; bootstrap.servers is only the "
                "beginning",
                do="open the way to it, or correct advertised.listeners of the broker",
            )
    if not any(broker.settings for broker in cluster.brokers):
        yield CheckFinding(
            level=Level.NOTE,
            kind="brokers_untold",
            where=cluster.alias,
            words="the brokers' settings may not be read: what depends on them was not checked",
            do="grant DescribeConfigs on the cluster to whoever checks; flows need it not",
        )


def check_flow_facts(facts: FlowFacts) -> Iterator[CheckFinding]:
    """
    Look at a flow.

    Args:
        facts: What is known of it.
    """
    if facts.source.unavailable or facts.target.unavailable:
        return
    for rule in FLOW_RULES:
        yield from rule(facts)
    for topic_rule in TOPIC_RULES:
        yield from _together(facts, topic_rule)


def check_rights(found: MissingRights) -> Iterator[CheckFinding]:
    """
    Say which rights are missing.

    Args:
        found: Those that are.
    """
    for grant in found.missing:
        operations = " and ".join(each.value for each in grant.operations)
        kind = grant.resource.value.replace("-", " ")
        what = "the cluster" if grant.resource is Resource.CLUSTER else f"{kind} {grant.name.text}"
        yield CheckFinding(
            level=Level.NOTE if grant.is_optional else Level.ERROR,
            kind="missing_right",
            where=grant.cluster,
            words=f"{grant.principal} lacks {operations} on {what}, which is for "
            f"{'; '.join(grant.why)}",
            why="; ".join(grant.without),
            grants=(grant,),
        )
    untold = [each for each in found.untold if not each.is_optional]
    for cluster in dict.fromkeys(each.cluster for each in untold):
        there = [each for each in untold if each.cluster == cluster]
        ids = any(each.resource is Resource.TRANSACTIONAL_ID for each in there)
        names = [each.name.text for each in there]
        yield CheckFinding(
            level=Level.NOTE,
            kind="rights_untold",
            where=cluster,
            words=f"the rights on {first_few(names)} are not told before they are there"
            + (", nor those on transactional ids before a flow claims them" if ids else ""),
            do="`kmirror acls` prints them",
        )


def _selection(facts: FlowFacts) -> Iterator[CheckFinding]:
    for words in facts.unmatched:
        yield CheckFinding(
            level=Level.WARNING,
            kind="unmatched",
            where=str(facts.flow),
            words=f"topics: nothing matches {words}",
        )
    if not facts.topics:
        yield CheckFinding(
            level=Level.ERROR,
            kind="nothing_selected",
            where=str(facts.flow),
            words=f"no topic of {facts.source.alias} is selected",
            do=f"`kmirror explain FILE '{facts.flow}' TOPIC` says why",
        )


def _replication(facts: FlowFacts) -> Iterator[CheckFinding]:
    brokers, factor = len(facts.target.brokers), facts.replication_factor
    if factor > brokers:
        yield CheckFinding(
            level=Level.ERROR,
            kind="replication_factor",
            where=str(facts.flow),
            words=f"replication.factor = {factor}, and {facts.target.alias} has {brokers} brokers",
            why="no copy can be created",
            do=f"set replication.factor = {brokers}, or add brokers",
        )
    in_sync = number(facts.target.default("min.insync.replicas"))
    if in_sync is not None and 0 < factor < in_sync:
        yield CheckFinding(
            level=Level.ERROR,
            kind="min_insync_replicas",
            where=str(facts.flow),
            words=f"replication.factor = {factor}, and brokers of {facts.target.alias} ask for "
            f"min.insync.replicas = {in_sync}",
            why="new copies take no record: NOT_ENOUGH_REPLICAS",
            do=f"set replication.factor = {in_sync} or more",
        )


def _transactions(facts: FlowFacts) -> Iterator[CheckFinding]:
    if not facts.exactly_once:
        return
    target, brokers = facts.target, len(facts.target.brokers)
    for name in ("transaction.state.log.replication.factor", "transaction.state.log.min.isr"):
        wanted = number(target.default(name))
        if wanted is not None and wanted > brokers:
            yield CheckFinding(
                level=Level.ERROR,
                kind="transaction_log",
                where=target.alias,
                words=f"{name} = {wanted}, and there are {brokers} brokers",
                why="no transaction can begin, unless the topic __transaction_state is there "
                "already",
                do=f"set {name} = {brokers} on the brokers",
            )
    longest_ms = number(target.default("transaction.max.timeout.ms"))
    if longest_ms is not None and longest_ms < facts.transaction_timeout_ms:
        yield CheckFinding(
            level=Level.ERROR,
            kind="transaction_timeout",
            where=target.alias,
            words=f"transaction.max.timeout.ms = {longest_ms}, and the flow's producers ask for "
            f"{facts.transaction_timeout_ms}",
            why="every transaction is refused",
            do=f"set {target.alias}.producer.transaction.timeout.ms = {longest_ms}",
        )
    level = None if target.features is None else target.features.get("transaction.version", 0)
    if level is not None and level < _TRANSACTIONS_V2:
        yield CheckFinding(
            level=Level.NOTE,
            kind="transaction_version",
            where=target.alias,
            words=f"transaction.version = {level}",
            why="a request that was lost on the way may arrive in the next transaction (KIP-890); "
            "brokers from 4.0 on with version 2 refuse it",
            do="kafka-features.sh --bootstrap-server … upgrade --feature transaction.version=2",
        )


def takes_less(source_bytes: int, target_bytes: int) -> bool:
    """Whether a copy refuses records that its topic may have: the two `max.message.bytes`."""
    return source_bytes > target_bytes


def _sizes(facts: FlowFacts, topic: TopicCheckFacts) -> CheckFinding | None:
    ours = number(topic.on_source("max.message.bytes"))
    theirs = number(topic.on_target("max.message.bytes", facts.target))
    if ours is None or theirs is None or not takes_less(ours, theirs):
        return None
    return _finding(
        Level.WARNING,
        "record_size",
        f"max.message.bytes = {ours} on {facts.source.alias} and {theirs} on the copy",
        "a larger record is poison: `kmirror.poison` says what becomes of it",
        f"kafka-configs.sh --alter --entity-type topics --add-config max.message.bytes={ours} "
        "--entity-name COPY",
    )


def _retention(facts: FlowFacts, topic: TopicCheckFacts) -> CheckFinding | None:
    setting = "retention.ms"
    kept_ms = number(topic.on_target(setting, facts.target))
    if kept_ms is None or not topic.outdated.get(setting):
        return None
    return _finding(
        Level.WARNING,
        "retention",
        f"the copy keeps records for {_days(kept_ms)} (retention.ms), and the source has older "
        "ones",
        "the target deletes them soon after they were copied: retention goes by the record's time",
        "kafka-configs.sh --alter --entity-type topics --add-config retention.ms=-1 "
        "--entity-name COPY until all is copied",
    )


def _too_old(facts: FlowFacts, topic: TopicCheckFacts) -> CheckFinding | None:
    setting = "message.timestamp.before.max.ms"
    limit_ms = number(topic.on_target(setting, facts.target))
    if limit_ms is None or not topic.outdated.get(setting):
        return None
    return _finding(
        Level.ERROR,
        "timestamp_before",
        f"the copy takes no record that is older than {_days(limit_ms)} ({setting}), and the "
        "source has such",
        "the target refuses them, and the partition is parked",
        f"kafka-configs.sh --alter --entity-type topics --delete-config {setting} "
        "--entity-name COPY, or a larger value",
    )


def _too_new(facts: FlowFacts, topic: TopicCheckFacts) -> CheckFinding | None:
    setting = "message.timestamp.after.max.ms"
    limit_ms = number(topic.on_target(setting, facts.target))
    is_checked = topic.on_target(STAMP_SETTING, facts.target) != STAMPED_BY_BROKERS
    if topic.newest_ms is None or limit_ms is None or not is_checked:
        return None
    if topic.newest_ms - facts.now_ms <= limit_ms:
        return None
    return _finding(
        Level.ERROR,
        "timestamp_after",
        f"a record is from {_days(topic.newest_ms - facts.now_ms)} ahead, and the copy takes "
        f"{_days(limit_ms)} at most ({setting})",
        "the target refuses it, and the partition is parked",
        f"kafka-configs.sh --alter --entity-type topics --add-config {setting}=9223372036854775807 "
        "--entity-name COPY",
    )


def _clock(facts: FlowFacts, topic: TopicCheckFacts) -> CheckFinding | None:
    found_ms = ahead_ms(topic.newest_ms, topic.on_source(STAMP_SETTING), facts.now_ms)
    if found_ms is None or found_ms <= SKEW_MS:
        return None
    return _finding(
        Level.WARNING,
        "clock_skew",
        f"brokers of {facts.source.alias} write times that are at least "
        f"{found_ms / 1000:.1f} s ahead of this machine's clock",
        "times in logs and delays do not fit together",
        "set both clocks by NTP",
    )


def _finding(level: Level, kind: str, words: str, why: str, do: str) -> CheckFinding:
    """Return a finding about topics that are named later."""
    return CheckFinding(level=level, kind=kind, where="", words=words, why=why, do=do)


def _together(
    facts: FlowFacts, rule: Callable[[FlowFacts, TopicCheckFacts], CheckFinding | None]
) -> Iterator[CheckFinding]:
    """Yield what a rule finds, topics with the same finding in one."""
    found: dict[CheckFinding, list[TopicCheckFacts]] = {}
    for topic in facts.topics:
        finding = rule(facts, topic)
        if finding is not None:
            found.setdefault(finding, []).append(topic)
    for finding, topics in found.items():
        names = first_few([topic.topic for topic in topics])
        do = finding.do.replace("COPY", topics[0].copy)
        yield replace(finding, where=f"{facts.flow} {names}", do=do)


def _days(span_ms: int) -> str:
    """Write a span of time in its largest unit."""
    for unit, ms in (("days", 24 * _HOUR_MS), ("h", _HOUR_MS), ("min", 60_000)):
        if span_ms >= ms:
            return f"{span_ms / ms:.3g} {unit}"
    return f"{span_ms / 1000:.3g} s"


FLOW_RULES = (_selection, _replication, _transactions)
TOPIC_RULES = (_sizes, _retention, _too_old, _too_new, _clock)
