"""What the API says of flows, topics and partitions."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from kmirror.api.audits import Audited


class Origin(StrEnum):
    """Who says it: the flow's driver, or the clusters that it copies between."""

    DRIVER = "driver"
    CLUSTERS = "clusters"


@dataclass(frozen=True, slots=True, kw_only=True)
class Lag:
    """
    How far something is behind.

    Args:
        records: Offsets that are not copied yet; null while not known.
        seconds: The same in time; null while not known.
        exactness: How the time is known: `looks`, `timestamps` or `at least`.
        verdict: What it means, Burrow's word; empty when only the driver could say.
        trend: `growing`, `shrinking`, `steady` or `unknown`.
        eta_s: In how many seconds it is gone; null when it does not shrink.
    """

    records: int | None = None
    seconds: float | None = None
    exactness: str = ""
    verdict: str = ""
    trend: str = "unknown"
    eta_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """
    What holds a slot of a flow up.

    Args:
        slot: Its number.
        bottleneck: `idle`, `source`, `convert`, `target` or `throttled`.
        words: How much of the time, and which setting would help.
        source_share, convert_share, target_share, throttled_share, idle_share: What its lane did
            in about the last 10 s; together 1, or all 0 before the first report.
        partitions: How many partitions it has.
        commit_ms: How long a commit takes lately, milliseconds; null before the first.
    """

    slot: int
    bottleneck: str
    words: str
    source_share: float
    convert_share: float
    target_share: float
    throttled_share: float
    idle_share: float
    partitions: int
    commit_ms: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """
    A flow at a moment.

    Args:
        at_ms: When, milliseconds since the epoch.
        lag_records: What was not copied yet; null when not known.
        lag_seconds: The same in time.
        records_per_s, bytes_per_s: What was copied, since the sample before; null when not known.
    """

    at_ms: int
    lag_records: int | None
    lag_seconds: float | None
    records_per_s: float | None
    bytes_per_s: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Worst:
    """
    The partition of a flow that is the furthest behind.

    Args:
        topic, partition: Which one, on the source.
        lag_records: Its lag.
        lag_seconds: The same in time; null when not known.
    """

    topic: str
    partition: int
    lag_records: int
    lag_seconds: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowView:
    """
    A flow.

    Args:
        name: `S->T`.
        source, target: The aliases of its clusters.
        origin: Who says it.
        as_of_ms: When it was looked at, milliseconds since the epoch; null while nobody has.
        state: What its driver does; `unknown` when only the clusters were asked.
        words: The same for people, with the cause of whatever is not well.
        verdict: `IN_SYNC`, `BEHIND`, `BROKEN` or `PAUSED`; `UNKNOWN` while nothing is known, and
            `STOPPED` when its connector is, on a Connect worker.
        verdict_words: Why.
        verdict_since_ms: Since when it has this verdict, milliseconds since the epoch, as far as
            whoever answers has seen it; null when it is new, or not known.
        slo_lag_s, slo_rpo_s: What its operator wants of it, seconds.
        lag: How far it is behind.
        rpo_s: How old the oldest record is that only the source has; null when not known.
        records_per_s, bytes_per_s: What it copies; null when only the driver could say.
        records, bytes: What its driver has copied since it began; null when only that could say.
        worst: The partition that is the furthest behind; null when none is.
        topics, partitions: How many are copied; null while not known.
        parked, paused, waiting: How many partitions stand still, somebody has paused, or are in no
            plan yet; null while not known.
        driver: Who claimed it last; empty when nobody ever did, or not known.
        generation: How often it was claimed; null while not known.
        last_commit_ms: When it committed last, milliseconds since the epoch; null when not known.
        caught_up_share: Of what was there at the start, how much is copied; null when not known.
        notes: What of the selection is not copied, and what else is worth a look.
        slots: What holds each slot up; empty when only the driver could say.
        samples: The last 15 minutes, oldest first.
        audited: The worst that the audit beside the copy has found; null when there is none, or
            only the driver could say: `/audit` asks the clusters.
        error: Why nothing newer is known; empty when all is well.
    """

    name: str
    source: str
    target: str
    origin: Origin
    as_of_ms: int | None = None
    state: str = "unknown"
    words: str = ""
    verdict: str = "UNKNOWN"
    verdict_words: str = ""
    verdict_since_ms: int | None = None
    slo_lag_s: float = 0.0
    slo_rpo_s: float = 0.0
    lag: Lag = Lag()
    rpo_s: float | None = None
    records_per_s: float | None = None
    bytes_per_s: float | None = None
    records: int | None = None
    bytes: int | None = None
    worst: Worst | None = None
    topics: int | None = None
    partitions: int | None = None
    parked: int | None = None
    paused: int | None = None
    waiting: int | None = None
    driver: str = ""
    generation: int | None = None
    last_commit_ms: int | None = None
    caught_up_share: float | None = None
    notes: tuple[str, ...] = ()
    slots: tuple[Slot, ...] = ()
    samples: tuple[Sample, ...] = ()
    audited: Audited | None = None
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicView:
    """
    A topic that a flow copies.

    Args:
        flow: `S->T`.
        topic: Its name on the source.
        copy: Its name on the target.
        partitions: How many.
        parked, paused: How many of them stand still, or somebody has paused; null when not known.
        lag: How far it is behind.
        records, bytes: Copied by the driver since it began; null when only that could say.
        records_per_s, bytes_per_s: Lately.
        whole_share: How many of the records travelled in the batches they were fetched in: 0 to 1;
            null when only the driver could say, or none was copied.
        not_whole: Why others did not; empty when all did.
        skipped, kept: Records that were given up, and those of them kept as dead letters; null
            when only the driver could say.
        mirrored_share: Of the offsets that the source's logs hold now, from where they begin to
            where they end, how many are copied: 0 to 1; null when not known, or it holds none.
        notes: What else is worth a look, such as settings that differ.
    """

    flow: str
    topic: str
    copy: str
    partitions: int
    parked: int | None = None
    paused: int | None = None
    lag: Lag = Lag()
    records: int | None = None
    bytes: int | None = None
    records_per_s: float | None = None
    bytes_per_s: float | None = None
    whole_share: float | None = None
    not_whole: str = ""
    skipped: int | None = None
    kept: int | None = None
    mirrored_share: float | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionView:
    """
    A partition that a flow copies.

    Args:
        flow: `S->T`.
        topic, partition: Which one, on the source.
        copy: Its topic on the target.
        state: `initializing`, `mirroring`, `caught up`, `paused`, `parked`, `quarantined`,
            `stopped` or `waiting`.
        reason: Why it stands still, and what ends that; empty when it does not.
        position: The next source offset to copy; null when it has not begun.
        source_begin: Where the source's log begins; null when not known: it is asked for while
            somebody looks.
        source_end: Where the source's log ends; null when not known.
        target_end: The next offset on the target, as its lane knows it; null when not known.
        lag_records: What lies between; null when not known.
        lag_seconds: The same in time; null when not known.
        verdict: What the lag means, Burrow's word; empty when only the driver could say.
        records_per_s, bytes_per_s: What is copied; null when only the driver could say.
        slot: The slot that has it; null when none has, or not known.
        executor: The executor of Spark that has the slot; empty where executors are threads of the
            driver, and where it is not known.
        node: The host of that executor, or the driver's process; empty when not known.
        leader: The broker of the source that leads it; -1 while none does, null when not known: it
            is asked for while somebody looks.
        safe_to_delete_before: Below this source offset everything is committed on the target, and
            audited there; null while nothing was audited, or nobody asked the clusters.
    """

    flow: str
    topic: str
    partition: int
    copy: str
    state: str
    reason: str = ""
    position: int | None = None
    source_begin: int | None = None
    source_end: int | None = None
    target_end: int | None = None
    lag_records: int | None = None
    lag_seconds: float | None = None
    verdict: str = ""
    records_per_s: float | None = None
    bytes_per_s: float | None = None
    slot: int | None = None
    executor: str = ""
    node: str = ""
    leader: int | None = None
    safe_to_delete_before: int | None = None
