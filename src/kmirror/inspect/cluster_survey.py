"""What is to be known of one cluster besides its answering; nothing is changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Protocol

from kmirror.admin.client import KafkaAdmin
from kmirror.admin.listeners import unreachable_brokers
from kmirror.errors import ClusterError, EnvironmentProblem, MirrorError
from kmirror.model import TopicPartition
from kmirror.plans.snapshot import Broker, ClusterState, TopicState, settings_of
from kmirror.policy.internal_names import purpose_of

_PROTOCOL = "inter.broker.protocol.version"


class Features(Protocol):
    """What only Kafka's own client asks of a cluster."""

    def levels(self) -> Mapping[str, int] | None:
        """Return the levels of finalized features; `None` where nobody tells."""
        ...

    def topic_bytes(
        self, brokers: Sequence[int], topics: Mapping[str, int]
    ) -> Mapping[str, int] | None:
        """Return what topics take on disks; `None` where nobody tells."""
        ...

    def close(self) -> None:
        """Let go of connections."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class InternalTopic:
    """
    A topic of kmirror's or of MirrorMaker 2's own.

    Args:
        state: As the metadata describes it.
        purpose: What it is for.
        settings: Its settings; empty where they may not be read.
        records: How many offsets its logs hold; `None` where that is not told.
        bytes: What it takes on disks, all replicas together; `None` where nobody tells.
    """

    state: TopicState
    purpose: str
    settings: Mapping[str, str]
    records: int | None
    bytes: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterSurvey:
    """
    What was found.

    Args:
        unreachable: Why no connection to a broker comes about, by its number.
        protocol: The version that brokers speak among each other; empty where nobody tells.
        features: Levels of finalized features; `None` where nobody tells.
        topics: The names of all topics that are to be seen.
        internal: Those of kmirror and MirrorMaker 2.
        untold: What was not told, and why, a sentence each.
    """

    unreachable: Mapping[int, str]
    protocol: str
    features: Mapping[str, int] | None
    topics: tuple[str, ...]
    internal: tuple[InternalTopic, ...]
    untold: tuple[str, ...] = ()


def survey_cluster(
    admin: KafkaAdmin,
    state: ClusterState,
    open_features: Callable[[], Features],
) -> ClusterSurvey:
    """
    Ask a cluster that answers.

    Args:
        admin: Its control plane.
        state: What it has just said of itself.
        open_features: Opens Kafka's own client; raises EnvironmentProblem or ClusterError.

    Raises:
        ClusterError: It did not answer, or refused what nothing can be shown without.
    """
    untold: list[str] = []
    closed = unreachable_brokers(state.brokers)
    open_brokers = [each for each in state.brokers if each.id not in closed]
    topics = admin.topics()
    own = {name: topics[name] for name in sorted(topics) if purpose_of(name)}
    levels, sizes = _by_java(open_features, open_brokers, own, untold)
    return ClusterSurvey(
        unreachable=closed,
        protocol=_protocol(admin, open_brokers, untold),
        features=levels,
        topics=tuple(topics),
        internal=tuple(_internal(admin, own, sizes, untold)),
        untold=tuple(untold),
    )


def _by_java(
    open_features: Callable[[], Features],
    brokers: Sequence[Broker],
    own: Mapping[str, TopicState],
    untold: list[str],
) -> tuple[Mapping[str, int] | None, Mapping[str, int] | None]:
    """Return levels of features, and sizes of topics, as far as Java is there."""
    try:
        with closing(open_features()) as features:
            levels = features.levels()
            partitions = {name: each.partitions for name, each in own.items()}
            sizes = features.topic_bytes([each.id for each in brokers], partitions)
    except (EnvironmentProblem, MirrorError) as error:
        untold.append(f"features and sizes on disk are not known: {error}")
        return None, None
    if sizes is None and own:
        untold.append("sizes on disk are not told: that needs Describe on the cluster")
    return levels, sizes


def _protocol(admin: KafkaAdmin, brokers: Sequence[Broker], untold: list[str]) -> str:
    if not brokers:
        return ""
    try:
        return settings_of(admin.broker_configs(brokers[0].id)).get(_PROTOCOL, "")
    except ClusterError:
        untold.append("settings of brokers are not told: that needs DescribeConfigs on the cluster")
        return ""


def _internal(
    admin: KafkaAdmin,
    own: Mapping[str, TopicState],
    sizes: Mapping[str, int] | None,
    untold: list[str],
) -> Iterator[InternalTopic]:
    if not own:
        return
    configs = admin.readable_topic_configs(own)
    held = _held(admin, own, untold)
    for name, state in own.items():
        yield InternalTopic(
            state=state,
            purpose=purpose_of(name),
            settings=settings_of(configs.entries.get(name, ())),
            records=None if held is None else held.get(name),
            bytes=None if sizes is None else sizes.get(name),
        )


def _held(
    admin: KafkaAdmin, own: Mapping[str, TopicState], untold: list[str]
) -> Mapping[str, int] | None:
    """Count the offsets that topics hold."""
    places = [
        TopicPartition(each.name, at) for each in own.values() for at in range(each.partitions)
    ]
    try:
        begins, ends = admin.offsets(places, "earliest"), admin.offsets(places, "latest")
    except ClusterError as error:
        untold.append(f"how much internal topics hold is not told: {error}")
        return None
    found: dict[str, int] = {}
    for place in places:
        if place in begins and place in ends:
            held = max(0, ends[place] - begins[place])
            found[place.topic] = found.get(place.topic, 0) + held
    return found
