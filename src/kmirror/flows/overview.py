"""What the clusters know about a flow, whether somebody drives it at the moment or not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from kmirror.admin.base import ClusterAdmin
from kmirror.admin.ownership import OwnerEntry, read_owner
from kmirror.config.flows import FlowConfig
from kmirror.errors import NotAuthorized
from kmirror.flows.clients import FlowClients
from kmirror.model import Flow, TopicPartition
from kmirror.plans.granularity import exceptions
from kmirror.wire.position import position_group


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
    selection = config.topic_selection()
    sizes = {
        name: state.partitions
        for name, state in sorted(clients.source.topics().items())
        if selection.selects(name)
    }
    copies = {name: selection.remote_topic(name) for name in sizes}
    begun, lag = _progress(config, clients, sizes)
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


def _progress(
    config: FlowConfig, clients: FlowClients, sizes: Mapping[str, int]
) -> tuple[Counter[str], Counter[str]]:
    """Count, for each topic, the partitions that have a position, and the records behind it."""
    remote_topic = config.topic_selection().remote_topic
    sources = [
        TopicPartition(name, number) for name, size in sizes.items() for number in range(size)
    ]
    starts = clients.source.offsets(sources, "earliest")
    ends = clients.source.offsets(sources, "latest", isolation=config.isolation_level)
    positions = clients.target.group_positions(position_group(config.flow))
    begun: Counter[str] = Counter()
    lag: Counter[str] = Counter()
    for source in sources:
        position = positions.get(TopicPartition(remote_topic(source.topic), source.partition))
        begun[source.topic] += position is not None
        at = position.offset if position is not None else starts.get(source, 0)
        lag[source.topic] += max(0, ends.get(source, at) - at)
    return begun, lag


def _settings(admin: ClusterAdmin, topics: Collection[str]) -> Mapping[str, Mapping[str, str]]:
    try:
        configs = admin.topic_configs(topics) if topics else {}
    except NotAuthorized:
        return {}  # nothing else here needs DescribeConfigs
    return {
        topic: {entry.name: entry.value or "" for entry in entries}
        for topic, entries in configs.items()
    }
