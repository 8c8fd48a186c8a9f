"""What holds a slot up, from what its lane did with its time; pure."""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import Enum

_LAG_SMALL_S = 2.0


class Bottleneck(Enum):
    """What holds a slot up."""

    IDLE = "idle"
    SOURCE = "source"
    CONVERT = "convert"
    TARGET = "target"
    THROTTLED = "throttled"


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneTimes:
    """
    What a lane did with its time, seconds.

    Args:
        source: It waited for records.
        convert: It put records, or batches, into transactions; Spark's part included.
        target: It waited for the target: for acknowledgements, for room, for a commit.
        throttled: It waited because the file limits it.
        idle: It waited for the next round or the next batch of Spark.
    """

    source: float = 0.0
    convert: float = 0.0
    target: float = 0.0
    throttled: float = 0.0
    idle: float = 0.0

    @property
    def total(self) -> float:
        """All of it."""
        return self.source + self.convert + self.target + self.throttled + self.idle

    def since(self, before: LaneTimes) -> LaneTimes:
        """Return what was added after *before*; all of it for a lane that began again."""
        if self.total < before.total:
            return self
        return LaneTimes(
            **{
                each.name: max(0.0, getattr(self, each.name) - getattr(before, each.name))
                for each in fields(self)
            }
        )

    def plus(self, other: LaneTimes) -> LaneTimes:
        """Add both."""
        return LaneTimes(
            **{
                each.name: getattr(self, each.name) + getattr(other, each.name)
                for each in fields(self)
            }
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotFacts:
    """
    What is known of a slot.

    Args:
        slot: Its number.
        times: What its lane did lately.
        lag_records: The lag of its partitions.
        lag_s: The same in time.
        source_throttled: The source's quota holds answers back.
        target_throttled: The target's quota does.
        unpacked: Why batches do not travel whole; empty when they do.
    """

    slot: int
    times: LaneTimes
    lag_records: int
    lag_s: float
    source_throttled: bool = False
    target_throttled: bool = False
    unpacked: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotJudgement:
    """
    What holds a slot up.

    Args:
        slot: Its number.
        bottleneck: For programs.
        words: How much of the time, and which setting would help, for people.
    """

    slot: int
    bottleneck: Bottleneck
    words: str


def judge_slot(facts: SlotFacts) -> SlotJudgement:
    """
    Say what holds a slot up.

    A lane that has nothing to do waits for the source, too: only with lag is that a bottleneck.
    """
    bottleneck = _bottleneck(facts)
    words = "nothing to do: it has caught up"
    if bottleneck is not Bottleneck.IDLE:
        share = getattr(facts.times, bottleneck.value) / facts.times.total
        words = f"{share:.0%} of the time {_WORDS[bottleneck]}; {_help(bottleneck, facts)}"
    return SlotJudgement(slot=facts.slot, bottleneck=bottleneck, words=words)


def _bottleneck(facts: SlotFacts) -> Bottleneck:
    times = facts.times
    if facts.lag_records == 0 or facts.lag_s < _LAG_SMALL_S:
        return Bottleneck.IDLE
    shares = {
        Bottleneck.THROTTLED: times.throttled,
        Bottleneck.TARGET: times.target,
        Bottleneck.SOURCE: times.source,
        Bottleneck.CONVERT: times.convert,
    }
    longest = max(shares, key=lambda each: shares[each])
    return longest if shares[longest] > 0 else Bottleneck.IDLE


_WORDS = {
    Bottleneck.SOURCE: "waiting for the source",
    Bottleneck.CONVERT: "converting",
    Bottleneck.TARGET: "waiting for the target",
    Bottleneck.THROTTLED: "throttled by the file's limits",
}


def _help(bottleneck: Bottleneck, facts: SlotFacts) -> str:
    """Name the setting that would help."""
    if bottleneck is Bottleneck.SOURCE and facts.source_throttled:
        return "a quota of the source holds it back: consumer_byte_rate"
    if bottleneck is Bottleneck.TARGET and facts.target_throttled:
        return "a quota of the target holds it back: producer_byte_rate"
    taken_apart = f"batches are taken apart: {facts.unpacked}; " if facts.unpacked else ""
    return {
        Bottleneck.THROTTLED: "kmirror.flow.limit.bytes.per.second, "
        "kmirror.limit.bytes.per.second and kmirror.priority say how fast it may read",
        Bottleneck.SOURCE: "more kmirror.connections.max would help if the source is far away, "
        "otherwise more kmirror.slots",
        Bottleneck.TARGET: "more kmirror.slots would help, or a longer kmirror.commit.interval.ms",
        Bottleneck.CONVERT: f"{taken_apart}more kmirror.slots would help if there are cores",
    }[bottleneck]
