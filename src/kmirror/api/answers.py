"""What the API says of groups, offsets, events, plans and names."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from kmirror.api.flows import FlowView, PartitionView, TopicView


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """
    Who answers.

    Args:
        version: kmirror's.
        has_driver: Whether it is the driver of the flows; otherwise it asks their clusters.
        read_only: Whether nothing can be ordered here.
        file: The name of the properties file.
        you: Who asks, as they have proved it.
        role: What they may do: `viewer`, `operator` or `admin`.
        now_ms: Its clock, milliseconds since the epoch.
    """

    version: str
    has_driver: bool
    read_only: bool
    file: str
    you: str
    role: str
    now_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowList:
    """
    All flows, in the order of the file.

    Args:
        now_ms: The server's clock, milliseconds since the epoch.
        flows: They.
    """

    now_ms: int
    flows: tuple[FlowView, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicList:
    """
    Topics of a flow, the worst first.

    Args:
        as_of_ms: When they were looked at, milliseconds since the epoch; null while nobody has.
        topics: They.
        logs_error: Why nothing newer is known of where the source's logs begin, which
            `mirrored_share` comes from; empty when all is well.
    """

    as_of_ms: int | None
    topics: tuple[TopicView, ...]
    logs_error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionList:
    """
    Partitions of a flow, the worst first.

    Args:
        as_of_ms: When they were looked at, milliseconds since the epoch; null while nobody has.
        total: How many there are, after the filter and before `offset` and `limit`.
        partitions: They.
        logs_as_of_ms: When the source was asked where logs begin, and who leads them, milliseconds
            since the epoch; null while it has not told.
        logs_error: Why nothing newer is known of that; empty when all is well.
    """

    as_of_ms: int | None
    total: int
    partitions: tuple[PartitionView, ...]
    logs_as_of_ms: int | None = None
    logs_error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LagSummary:
    """
    A lag as Confluent Cloud tells it (`kafka/v3`, `…/lag-summary`), of a flow or of a group.

    Args:
        cluster_id: The alias of the source.
        consumer_group_id: The group that holds the flow's positions on the target, or a consumer
            group of the source.
        max_lag: The largest lag of a partition, offsets.
        max_lag_topic_name, max_lag_partition_id: That partition; null when nothing lags.
        total_lag: All of them together.
        max_lag_consumer_id, max_lag_instance_id, max_lag_client_id: Who reads that partition;
            null: nobody asks the members.
    """

    cluster_id: str
    consumer_group_id: str
    max_lag: int
    max_lag_topic_name: str | None
    max_lag_partition_id: int | None
    total_lag: int
    max_lag_consumer_id: str | None = None
    max_lag_instance_id: str | None = None
    max_lag_client_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionLag:
    """
    The lag of a partition as Confluent Cloud tells it (`…/lags/{topic}/partitions/{partition}`).

    Args:
        cluster_id, consumer_group_id: As in the summary.
        topic_name, partition_id: Which one.
        current_offset: The next offset to copy, or to read.
        log_end_offset: Where the log ends.
        lag: What lies between.
        consumer_id, instance_id, client_id: Who reads it; null: nobody asks the members.
    """

    cluster_id: str
    consumer_group_id: str
    topic_name: str
    partition_id: int
    current_offset: int
    log_end_offset: int
    lag: int
    consumer_id: str | None = None
    instance_id: str | None = None
    client_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionLagList:
    """
    The lags of all partitions, the largest first.

    Args:
        data: They.
    """

    data: tuple[PartitionLag, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupPlaceView:
    """
    Where a group is in a partition, on both clusters.

    Args:
        topic, partition: On the source.
        offset: Its offset there.
        source_end: Where the source's log ends; null when not known.
        source_lag: What lies between; null when not known.
        copy: The topic on the target.
        goes_on: Where it goes on there, exactly; null when that is not known.
        committed: What it has committed there; null for nothing.
        target_lag: What lies between that and the end of the copy; null when not known.
        note: Why `goes_on` is not known, or `committed` is another offset; empty when all is well.
    """

    topic: str
    partition: int
    offset: int
    source_end: int | None
    source_lag: int | None
    copy: str
    goes_on: int | None
    committed: int | None
    target_lag: int | None = None
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupView:
    """
    A consumer group of a flow's source.

    Args:
        flow: `S->T`.
        group: Its name.
        is_active: Whether it has members on the source; null when not known.
        is_followed: Whether the flow follows it.
        source_lag: Offsets that it has not read on the source, of what the flow copies; null when
            not known.
        target_lag: Offsets of the copies behind what it has committed on the target; null when it
            has committed nothing there, or not known.
        lag_seconds: `source_lag` in time; null when only the driver could say.
        verdict: What the lag means, Burrow's word; empty when only the driver could say.
        trend: Where `source_lag` goes: `growing`, `shrinking`, `steady` or `unknown`, as of flows
            and topics; `unknown` when only the driver could say.
        places: Where it is, by partition.
        note: Why it is not followed, or not moved; empty when all is well.
    """

    flow: str
    group: str
    is_active: bool | None
    is_followed: bool
    source_lag: int | None
    target_lag: int | None = None
    lag_seconds: float | None = None
    verdict: str = ""
    trend: str = "unknown"
    places: tuple[GroupPlaceView, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupList:
    """
    The groups of a flow.

    Args:
        as_of_ms: When they were looked at, milliseconds since the epoch.
        groups: They, by name.
        checkpointed_ms: When all their checkpoints were up to date last, milliseconds since the
            epoch; null for never, or when only the driver could say.
    """

    as_of_ms: int
    groups: tuple[GroupView, ...]
    checkpointed_ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Translation:
    """
    An offset, and the one of the other cluster.

    Args:
        flow: `S->T`.
        topic, partition, offset: What was asked.
        side: The cluster that they are of: `source` or `target`.
        other_topic, other_partition, other_offset: Where one goes on, on the other cluster, who has
            everything before; null when that is not known.
        is_exact: Whether nothing is read again there.
        why_unknown: Why it is not known; empty when it is.
    """

    flow: str
    topic: str
    partition: int
    offset: int
    side: str
    other_topic: str | None = None
    other_partition: int | None = None
    other_offset: int | None = None
    is_exact: bool = False
    why_unknown: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventView:
    """
    Something that has happened.

    Args:
        number: Counts the events of the process, from 1.
        at_ms: When, milliseconds since the epoch.
        name: Of its kind.
        level: `DEBUG`, `INFO`, `WARNING` or `ERROR`.
        text: Its line for people.
        flow: `S->T`; empty for one of no flow.
        topic: Of the source; empty for one of no topic.
        meaning: What has happened.
        action: What to do; empty when there is nothing.
    """

    number: int
    at_ms: int
    name: str
    level: str
    text: str
    flow: str = ""
    topic: str = ""
    meaning: str = ""
    action: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventList:
    """
    Events of the driver, the newest first.

    Args:
        since_ms: Since when they are kept, milliseconds since the epoch; null where there is no
            driver, and so none of its events.
        events: They.
    """

    since_ms: int | None
    events: tuple[EventView, ...]


class StepKind(StrEnum):
    """What a line of a plan is for whoever reads it."""

    NEW = "new"
    CHANGE = "change"
    LOSS = "loss"
    LEFT = "left"
    IMPOSSIBLE = "impossible"
    REPORT = "report"
    COMMAND = "command"


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """
    A line of a plan.

    Args:
        verb: What would be done.
        kind: What that is for whoever reads it.
        words: With what, and why.
    """

    verb: str
    kind: StepKind
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanView:
    """
    What would be changed on the target of a flow, besides records.

    Args:
        flow: `S->T`.
        as_of_ms: When the clusters were compared, milliseconds since the epoch.
        changes: Whether anything would be.
        is_possible: Whether all of it can be done.
        syncs_settings: Whether the file wants settings of topics kept equal.
        steps: The lines.
    """

    flow: str
    as_of_ms: int
    changes: bool
    is_possible: bool
    syncs_settings: bool
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalTopic:
    """
    Where applications of a region find a topic now.

    Args:
        region: The alias of the applications' own cluster.
        topic: Its name where it is written.
        cluster: The alias of the cluster to work with.
        bootstrap_servers: Its address.
        pattern: What to subscribe to.
        topics: Those that it matches now.
        write: The topic to write to.
        why: Who sent the application away from its own cluster; empty when it is there.
    """

    region: str
    topic: str
    cluster: str
    bootstrap_servers: str
    pattern: str
    topics: tuple[str, ...]
    write: str
    why: str = ""
