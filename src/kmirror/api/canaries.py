"""What the API says of canaries: do records of our own arrive, once, in order, and how soon?"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class CanaryVerdict(StrEnum):
    """
    What a canary says of its flow, the worst that it has seen.

    `TROUBLE`: it cannot write or read. `LOST`, `DISORDER` (twice, or out of order): since it began.
    `OVERDUE`: at the moment. `WAITING`: nothing has arrived yet. `OFF`: the file has none.
    `UNKNOWN`: only the flow's driver could say.
    """

    OK = "all arrives"
    TROUBLE = "trouble"
    LOST = "lost"
    DISORDER = "disorder"
    OVERDUE = "overdue"
    WAITING = "waiting"
    OFF = "off"
    UNKNOWN = "not known"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bucket:
    """
    A bar of a histogram.

    Args:
        up_to_s: The longest time that is in it, seconds; null for what is longer than all others.
        count: How many.
    """

    up_to_s: float | None
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Percentile:
    """
    What so many per cent of the times do not exceed.

    Args:
        per_cent: From 0 to 100.
        seconds: The time.
    """

    per_cent: float
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """
    How long something took.

    Args:
        count: How often it was measured.
        sum_s: All of it together, seconds.
        buckets: The histogram, the shortest first: each counts what is in no bucket before it.
        percentiles: Of 50, 90, 95, 99 and 99.9 per cent; empty where only buckets are counted.
        max_s: The longest; null where only buckets are counted, or before the first.
    """

    count: int
    sum_s: float
    buckets: tuple[Bucket, ...]
    percentiles: tuple[Percentile, ...] = ()
    max_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CanarySeen:
    """
    What a canary has seen since it began.

    Args:
        produced: Records that the source has acknowledged.
        failed: Records that it has not.
        consumed: Records that came to the target, each once.
        lost: Acknowledged ones that did not come although later ones of their partition did.
        duplicated: Those that came again.
        reordered: Those that came behind later ones.
        overdue: Acknowledged ones that are on their way for too long, at the moment.
        window_s: How far the next two reach back: five minutes at most.
        window_produced, window_consumed: What went and what came in it.
        sent_ms: When the last record was written, milliseconds since the epoch; null for never.
        came_ms: When the last one arrived, milliseconds since the epoch; null for never.
        came_s: How long that one took, seconds; null when a client had no connection meanwhile.
        roundtrip: The whole way, from the sending to the reader, by one clock.
        acknowledged: How long the source took.
        reconnects: How long a client of the canary had no connection.
        reconnected_s: How long it had none the last time, seconds; null when it always had one.
        trouble: Why it cannot write or read; empty while it can.
    """

    produced: int
    failed: int
    consumed: int
    lost: int
    duplicated: int
    reordered: int
    overdue: int
    window_s: float
    window_produced: int
    window_consumed: int
    sent_ms: int | None
    came_ms: int | None
    came_s: float | None
    roundtrip: Times
    acknowledged: Times
    reconnects: Times
    reconnected_s: float | None
    trouble: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CanaryView:
    """
    The canary of a flow.

    Args:
        flow: `S->T`.
        verdict: What it says.
        words: The same for people.
        is_on: Whether the file wants one of the flow's driver.
        why_none: Why the flow can have none; empty when it can.
        topic: Where it writes on the source; empty when the flow can have none.
        copy: The same on the target.
        interval_s: Time between two records of a partition.
        overdue_s: A record that has not arrived after so long is overdue.
        as_of_ms: When that was seen, milliseconds since the epoch; null when it was not.
        seen: What it has seen; null while it is off, or only the flow's driver could say.
    """

    flow: str
    verdict: CanaryVerdict
    words: str
    is_on: bool
    why_none: str = ""
    topic: str = ""
    copy: str = ""
    interval_s: float = 0.0
    overdue_s: float = 0.0
    as_of_ms: int | None = None
    seen: CanarySeen | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CanaryList:
    """
    The canaries of all flows, in the order of the file.

    Args:
        now_ms: The server's clock, milliseconds since the epoch.
        canaries: They.
    """

    now_ms: int
    canaries: tuple[CanaryView, ...]
