"""What the clusters know about a flow, whether somebody drives it at the moment or not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from kmirror.admin.base import ClusterAdmin
from kmirror.admin.ownership import OwnerEntry, read_owner
from kmirror.config.flows import FlowConfig
from kmirror.errors import NotAuthorized
from kmirror.flows.clients import FlowClients
from kmirror.model import Flow, TopicPartition
from kmirror.plans.granularity import exceptions
from kmirror.plans.snapshot import settings_of
from kmirror.wire.position import position_group, position_place


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicOverview:
    """
    One topic of a flow.

    Args:
        topic: Its name on the source.
        copy: Its name on the target.
        partitions: How many the source has.
        positions: How many of them have a position: the others have not begun.
        lag_records: Source offsets between the positions, or the beginnings, and the ends.
        exceptions: What of it does not travel in whole batches, and why; see `plans.granularity`.
    """

    topic: str
    copy: str
    partitions: int
    positions: int
    lag_records: int
    exceptions: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Uncopied:
    """
    What of a source partition is not on the target.

    Args:
        partition: The source partition.
        start: The flow's position, or where the log begins.
        end: The end of the log.
        has_begun: There is a position.
    """

    partition: TopicPartition
    start: int
    end: int
    has_begun: bool

    @property
    def records(self) -> int:
        """How many offsets that is."""
        return max(0, self.end - self.start)


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowOverview:
    """
    A flow, as both clusters have it.

    Args:
        flow: Which one.
        owner: Who claimed it last; `None` before the first start.
        granularity: What is copied at a time, and why.
        topics: The selected topics of the source, by name.
    """

    flow: Flow
    owner: OwnerEntry | None
    granularity: str
    topics: tuple[TopicOverview, ...]

    @property
    def lag_records(self) -> int:
        """All topics' lag."""
        return sum(topic.lag_records for topic in self.topics)


def survey_flow(config: FlowConfig, clients: FlowClients) -> FlowOverview:
    """
    Ask both clusters; nothing is written anywhere.

    Args:
        config: The flow.
        clients: Its clients.

    Raises:
        ClusterError: One of them does not answer, or refuses.
    """
    sizes = _selected(config, clients)
    remote_topic = config.topic_selection().remote_topic
    copies = {name: remote_topic(name) for name in sizes}
    begun: Counter[str] = Counter()
    lag: Counter[str] = Counter()
    for each in _stretches(config, clients, sizes):
        begun[each.partition.topic] += each.has_begun
        lag[each.partition.topic] += each.records
    whole = config.whole_batches
    ours = _settings(clients.source, sizes if whole else ())
    theirs = _settings(clients.target, copies.values() if whole else ())
    return FlowOverview(
        flow=config.flow,
        owner=read_owner(config.flow, clients.target, config.offset_storage_topic),
        granularity=config.granularity_words,
        topics=tuple(
            TopicOverview(
                topic=name,
                copy=copies[name],
                partitions=size,
                positions=begun[name],
                lag_records=lag[name],
                exceptions=exceptions(ours.get(name, {}), theirs.get(copies[name], {})),
            )
            for name, size in sizes.items()
        ),
    )


def uncopied(config: FlowConfig, clients: FlowClients) -> tuple[Uncopied, ...]:
    """
    Give what the source has and the target has not, by partition.

    Args:
        config: The flow.
        clients: Its clients.

    Raises:
        ClusterError: One of them does not answer, or refuses.
    """
    stretches = _stretches(config, clients, _selected(config, clients))
    return tuple(each for each in stretches if each.records)


def _selected(config: FlowConfig, clients: FlowClients) -> Mapping[str, int]:
    """Give the topics of the source that the flow copies, with their numbers of partitions."""
    selects = config.topic_selection().selects
    topics = sorted(clients.source.topics().items())
    return {name: state.partitions for name, state in topics if selects(name)}


def _stretches(
    config: FlowConfig, clients: FlowClients, sizes: Mapping[str, int]
) -> Iterator[Uncopied]:
    remote_topic = config.topic_selection().remote_topic
    sources = [
        TopicPartition(name, number) for name, size in sizes.items() for number in range(size)
    ]
    starts = clients.source.offsets(sources, "earliest")
    ends = clients.source.offsets(sources, "latest", isolation=config.isolation_level)
    positions = clients.target.group_positions(position_group(config.flow))
    for source in sources:
        target = TopicPartition(remote_topic(source.topic), source.partition)
        position = positions.get(position_place(source, target, merged=config.policy.merges))
        start = position.offset if position is not None else starts.get(source, 0)
        yield Uncopied(
            partition=source,
            start=start,
            end=ends.get(source, start),
            has_begun=position is not None,
        )


def _settings(admin: ClusterAdmin, topics: Collection[str]) -> Mapping[str, Mapping[str, str]]:
    try:
        configs = admin.topic_configs(topics) if topics else {}
    except NotAuthorized:
        return {}  # nothing else here needs DescribeConfigs
    return {topic: settings_of(entries) for topic, entries in configs.items()}
