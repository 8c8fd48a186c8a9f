"""
Which topics to create on the target, and which to grow.

The rules are MirrorMaker 2's (`MirrorSourceConnector.computeAndCreateTopicPartitions`): same number
of partitions, the configured replication factor, the source's own settings. Nothing is ever deleted
or shrunk: a topic that is no longer listed may only mean a revoked ACL.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from kmirror.plans.snapshot import TopicConfigEntry, TopicState
from kmirror.plans.text import setting_value
from kmirror.plans.topic_settings import SettingRules, settings_at_creation

_NAME_CHARS_MAX = 249  # Kafka's limit: a partition's directory must fit a file name
_LEGAL_NAME = re.compile(r"[a-zA-Z0-9._-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class NewTopic:
    """
    A topic to create.

    Args:
        name: Its name on the target.
        partitions: How many.
        replication_factor: Replicas of each partition.
        configs: Settings as (name, value), by name.
        source_topic: The topic it will be a copy of; empty for internal topics.
    """

    name: str
    partitions: int
    replication_factor: int
    configs: tuple[tuple[str, str], ...] = ()
    source_topic: str = ""

    def __str__(self) -> str:
        replicas = (
            "the brokers' default" if self.replication_factor < 0 else self.replication_factor
        )
        sized = f"{_partitions(self.partitions)}, replication factor {replicas}"
        settings = "".join(f", {name} = {setting_value(value)}" for name, value in self.configs)
        return f"{self.name}: {sized}{settings}"


@dataclass(frozen=True, slots=True, kw_only=True)
class GrowTopic:
    """
    A topic that needs more partitions.

    Args:
        name: Its name on the target.
        from_partitions: How many it has.
        to_partitions: How many it shall have.
    """

    name: str
    from_partitions: int
    to_partitions: int

    def __str__(self) -> str:
        return f"{self.name}: {self.from_partitions} become {_partitions(self.to_partitions)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicProblem:
    """A source topic that cannot be mirrored, and why, in words for the operator."""

    source_topic: str
    reason: str
    hint: str = ""

    def __str__(self) -> str:
        text = f"{self.source_topic}: {self.reason}"
        return f"{text} ({self.hint})" if self.hint else text


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicPlan:
    """What must change on the target so that it can receive the source's topics."""

    create: tuple[NewTopic, ...] = ()
    grow: tuple[GrowTopic, ...] = ()
    problems: tuple[TopicProblem, ...] = ()

    def __bool__(self) -> bool:
        """Return whether there is anything to do."""
        return bool(self.create or self.grow)


def topics_to_create(
    source: Mapping[str, TopicState],
    target: Mapping[str, TopicState],
    remote_name: Callable[[str], str],
    selected: Callable[[str], bool],
) -> tuple[str, ...]:
    """List the source topics whose copies do not exist: only their settings must be read."""
    return tuple(
        name for name in sorted(source) if selected(name) and remote_name(name) not in target
    )


def plan_topics(
    source: Mapping[str, TopicState],
    target: Mapping[str, TopicState],
    remote_name: Callable[[str], str],
    selected: Callable[[str], bool],
    *,
    replication_factor: int,
    broker_count: int,
    configs: Mapping[str, Sequence[TopicConfigEntry]],
    rules: SettingRules,
    merges: bool = False,
) -> TopicPlan:
    """
    Compare two snapshots.

    Args:
        source: The source's topics, by name.
        target: The target's topics, by name.
        remote_name: The replication policy: source name to target name.
        selected: Whether a source topic is to be mirrored.
        replication_factor: For new topics; -1 leaves it to the target's brokers.
        broker_count: Brokers of the target; only asked for when a topic has to be created.
        configs: Settings of the source topics named by `topics_to_create`.
        rules: Which of these settings are copied.
        merges: Several topics become one, which has as many partitions as the largest of them.
    """
    create, grow, problems = list[NewTopic](), list[GrowTopic](), list[TopicProblem]()
    taken: dict[str, str] = {}
    if merges:
        source = _largest(source, remote_name, selected)
    for name in sorted(source):
        if not selected(name):
            continue
        topic, remote = source[name], remote_name(name)
        problem = _name_problem(name, remote, taken)
        taken.setdefault(remote, name)
        existing = target.get(remote)
        if problem is None and existing is None:
            problem = _replication_problem(name, replication_factor, broker_count)
        if problem is not None:
            problems.append(problem)
        elif existing is None:
            replicas = replication_factor if replication_factor > 0 else None
            entries = settings_at_creation(configs.get(name, ()), rules, replicas)
            create.append(
                NewTopic(
                    name=remote,
                    partitions=topic.partitions,
                    replication_factor=replication_factor,
                    configs=entries,
                    source_topic=name,
                )
            )
        elif existing.partitions < topic.partitions:
            grow.append(
                GrowTopic(
                    name=remote,
                    from_partitions=existing.partitions,
                    to_partitions=topic.partitions,
                )
            )
    return TopicPlan(create=tuple(create), grow=tuple(grow), problems=tuple(problems))


def _largest(
    source: Mapping[str, TopicState],
    remote_name: Callable[[str], str],
    selected: Callable[[str], bool],
) -> Mapping[str, TopicState]:
    """Return one topic for each target topic: the one with the most partitions."""
    largest: dict[str, TopicState] = {}
    for name in sorted(filter(selected, source)):
        before = largest.get(remote_name(name))
        if before is None or before.partitions < source[name].partitions:
            largest[remote_name(name)] = source[name]
    return {topic.name: topic for topic in largest.values()}


def is_topic_name(text: str) -> bool:
    """Whether Kafka allows a topic of this name."""
    is_legal = len(text) <= _NAME_CHARS_MAX and _LEGAL_NAME.fullmatch(text) is not None
    return is_legal and text not in {".", ".."}


def _name_problem(name: str, remote: str, taken: Mapping[str, str]) -> TopicProblem | None:
    if remote in taken:
        reason = f"topic {taken[remote]} has the same name on the target, {remote}"
        return TopicProblem(source_topic=name, reason=reason, hint="exclude one of the two")
    if len(remote) > _NAME_CHARS_MAX:
        reason = f"its name on the target would have {len(remote)} characters, Kafka allows 249"
        return TopicProblem(source_topic=name, reason=reason, hint="exclude it")
    if not is_topic_name(remote):
        reason = f"its name on the target, {remote!r}, is not a legal topic name"
        return TopicProblem(
            source_topic=name,
            reason=reason,
            hint="change replication.policy.separator or the alias",
        )
    return None


def _replication_problem(
    name: str, replication_factor: int, broker_count: int
) -> TopicProblem | None:
    if replication_factor <= broker_count:
        return None
    brokers = "1 broker" if broker_count == 1 else f"{broker_count} brokers"
    reason = f"replication.factor = {replication_factor}, but the target has {brokers}"
    hint = f"set replication.factor = {max(broker_count, 1)}"
    return TopicProblem(source_topic=name, reason=reason, hint=hint)


def _partitions(count: int) -> str:
    return "1 partition" if count == 1 else f"{count} partitions"
