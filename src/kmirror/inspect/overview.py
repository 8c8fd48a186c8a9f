"""What the clusters know about a flow, whether somebody drives it at the moment or not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from kmirror.admin.owner_entry import OwnerEntry, read_owner
from kmirror.clock import Clock
from kmirror.config.flows import FlowConfig
from kmirror.control.channel import read_orders
from kmirror.ends.clients import FlowClients
from kmirror.ends.discovery import Discovery, causes_of, survey_flow_topics
from kmirror.ends.facts import FactsReader
from kmirror.ends.holes import count_holes
from kmirror.ends.positions import parked_by
from kmirror.ends.safe_offsets import safe_offsets
from kmirror.ends.topic_settings import ReadSettings, read_settings, survey_settings
from kmirror.ends.topics import TopicSurvey, refusals
from kmirror.errors import ClusterUnavailable
from kmirror.inspect.gone_copies import GoneCopy, gone_copies
from kmirror.inspect.standing import Standing
from kmirror.inspect.standing import standing as how_it_stands
from kmirror.model import Flow, TopicPartition
from kmirror.plans.coverage import Coverage, cover
from kmirror.plans.granularity import exceptions
from kmirror.plans.snapshot import TopicState, settings_of
from kmirror.plans.text import first_few
from kmirror.plans.topic_settings import SettingChange
from kmirror.plans.windows import rest_at
from kmirror.state.paused import parked_by_order, paused_by_order
from kmirror.state.status import ParkedPartition, PausedPartition
from kmirror.wire.flow_names import position_group
from kmirror.wire.position import position_place


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
        holes: Source offsets that held no record, or none that is copied, as far as the exact
            offset map goes back.
        safe_to_delete_before: For each partition the source offset below which everything is
            committed on the target, and audited there; `None` while nothing was audited.
    """

    topic: str
    copy: str
    partitions: int
    positions: int
    lag_records: int
    exceptions: tuple[str, ...]
    holes: int = 0
    safe_to_delete_before: tuple[int | None, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Uncopied:
    """
    What of a source partition is not on the target.

    Args:
        partition: The source partition.
        start: The flow's position, or where the log begins.
        end: The end of the log; *start* where it is not known.
        has_begun: There is a position.
        is_known: The source tells the end: a leader that is dead does not.
    """

    partition: TopicPartition
    start: int
    end: int
    has_begun: bool
    is_known: bool = True

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
        limits: How fast it may read, for people; empty for as fast as it can.
        topics: The selected topics of the source, by name.
        parked: Partitions that stand still, as far as the clusters tell: of records that the
            target refuses only the driver knows.
        paused: Partitions that somebody has paused.
        coverage: What of the selection is not mirrored, and why.
        drift: Settings of copies that differ from their topics' and would be changed.
        gone: Copies whose topics were deleted on the source, as far as that is written down.
        standing: How the flow stands against its SLO, as far as the clusters tell.
    """

    flow: Flow
    owner: OwnerEntry | None
    granularity: str
    topics: tuple[TopicOverview, ...]
    parked: tuple[ParkedPartition, ...]
    paused: tuple[PausedPartition, ...]
    coverage: Coverage
    drift: tuple[SettingChange, ...] = ()
    gone: tuple[GoneCopy, ...] = ()
    limits: str = ""
    standing: Standing | None = None

    @property
    def is_whole(self) -> bool:
        """Whether nothing of what is selected stands still or is left out."""
        return not self.parked and not self.paused and self.coverage.is_complete

    @property
    def lag_records(self) -> int:
        """All topics' lag."""
        return sum(topic.lag_records for topic in self.topics)


def survey_flow(config: FlowConfig, clients: FlowClients, clock: Clock) -> FlowOverview:
    """
    Ask both clusters; nothing is written anywhere.

    Args:
        config: The flow.
        clients: Its clients.
        clock: Where time comes from.

    Raises:
        ClusterError: One of them does not answer, or refuses.
    """
    survey = survey_flow_topics(config, clients.source, clients.target)
    sizes = selected_sizes(config, survey.source)
    owner = read_owner(config.flow, clients.target, config.offset_storage_topic)
    mirrored = Discovery(config, clients.source, clients.target, clock).present()
    standing = FactsReader(config, clients).standing(mirrored, group_is_older=owner is not None)
    remote_topic = config.topic_selection().remote_topic
    copies = {name: remote_topic(name) for name in sizes}
    begun: Counter[str] = Counter()
    lag: Counter[str] = Counter()
    behind = tuple(stretches(config, clients, sizes))
    for each in behind:
        begun[each.partition.topic] += each.has_begun
        lag[each.partition.topic] += each.records
    orders = read_orders(config, clients.target, clients.target_rdkafka, survey.target, clock)
    pauses = rest_at(orders, config.window, [m.source for m in mirrored], clock.wall_ms()).pauses
    read = read_settings(clients.source, clients.target, copies)
    holes = count_holes(config, clients.target, clients.target_rdkafka, clock)
    safe = safe_offsets(config, clients, mirrored)
    parked = (*map(parked_by, standing), *parked_by_order(pauses))
    silent = [each.partition for each in behind if not each.is_known]
    coverage = _coverage(config, clients, survey, was_started=owner is not None)
    return FlowOverview(
        flow=config.flow,
        owner=owner,
        granularity=config.granularity_text,
        limits=config.limits.words,
        topics=tuple(
            TopicOverview(
                topic=name,
                copy=copies[name],
                partitions=size,
                positions=begun[name],
                lag_records=lag[name],
                exceptions=_exceptions(config, read, name, copies[name]),
                holes=holes.get(name, 0),
                safe_to_delete_before=tuple(
                    safe.get(TopicPartition(name, number)) for number in range(size)
                ),
            )
            for name, size in sizes.items()
        ),
        parked=parked,
        paused=paused_by_order(pauses),
        coverage=coverage.with_silent(silent),
        drift=_drift(config, clients, survey, read),
        gone=gone_copies(config, clients),
        standing=how_it_stands(
            config,
            clients,
            behind,
            parked=len(parked),
            silent=len(silent),
            entry=owner,
            clock=clock,
        ),
    )


def _exceptions(config: FlowConfig, read: ReadSettings, topic: str, copy: str) -> tuple[str, ...]:
    """Say what of a topic does not travel in whole batches, as far as settings may be read."""
    if not config.whole_batches:
        return ()
    ours = settings_of(read.source.entries.get(topic, ()))
    return exceptions(ours, settings_of(read.target.entries.get(copy, ())))


def _drift(
    config: FlowConfig, clients: FlowClients, survey: TopicSurvey, read: ReadSettings
) -> tuple[SettingChange, ...]:
    found = survey_settings(
        config,
        clients.source,
        clients.target,
        source_topics=survey.source,
        target_topics=survey.target,
        read=read,
    )
    return found.plan.changes


def _coverage(
    config: FlowConfig, clients: FlowClients, survey: TopicSurvey, *, was_started: bool
) -> Coverage:
    """Compare as a driver would, and ask the target what it would refuse."""
    plan = survey.plan
    causes = causes_of(config, plan, refusals(clients.target, plan))
    found = cover(config.topic_selection(), config.topics, survey.source, survey.target, causes)
    if was_started:
        return found
    # Before the first start nothing is missing that can be made.
    remote_topic = config.topic_selection().remote_topic
    problems = (each for each in found.problems if remote_topic(each.source_topic) in causes)
    return replace(found, problems=tuple(problems))


def uncopied(config: FlowConfig, clients: FlowClients) -> tuple[Uncopied, ...]:
    """
    Return what the source has and the target has not, by partition.

    Args:
        config: The flow.
        clients: Its clients.

    Raises:
        ClusterError: One of them does not answer, or refuses.
    """
    found = stretches(config, clients, selected_sizes(config, clients.source.topics()), known=True)
    return tuple(each for each in found if each.records)


def selected_sizes(config: FlowConfig, source: Mapping[str, TopicState]) -> Mapping[str, int]:
    """
    Return the topics of the source that a flow copies, with their numbers of partitions.

    Args:
        config: The flow.
        source: The source's topics, by name.
    """
    selects = config.topic_selection().selects
    return {name: source[name].partitions for name in sorted(source) if selects(name)}


def stretches(
    config: FlowConfig, clients: FlowClients, sizes: Mapping[str, int], *, known: bool = False
) -> Iterator[Uncopied]:
    """
    Yield what the source has and the target has not, partition by partition.

    Args:
        config: The flow.
        clients: Its clients.
        sizes: The topics to look at, with their numbers of partitions.
        known: Refuse to leave out one whose end is not known: it is no empty one.

    Raises:
        ClusterError: One of the clusters does not answer, or refuses.
    """
    remote_topic = config.topic_selection().remote_topic
    sources = [
        TopicPartition(name, number) for name, size in sizes.items() for number in range(size)
    ]
    starts = clients.source.offsets(sources, "earliest", partial=True)
    ends = clients.source.offsets(sources, "latest", isolation=config.isolation_level, partial=True)
    if known and (missing := [tp for tp in sources if tp not in ends]):
        raise ClusterUnavailable(
            f"cluster {config.flow.source}: no offsets of {first_few(missing)}"
        )
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
            is_known=source in ends,
        )
