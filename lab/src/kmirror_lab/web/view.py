"""What the page shows of a topic at a moment, and what that means; pure."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """
    What something means.

    Args:
        tone: `ok`, `warn` or `none`: how it is drawn.
        text: The words.
    """

    tone: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """
    What a consumer has counted.

    Args:
        distinct: Records of this count, each once.
        twice: Those that came again.
        others: Records that are not of this count: older ones, or somebody else's.
    """

    distinct: int = 0
    twice: int = 0
    others: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrived:
    """
    What is in a topic of a cluster.

    Args:
        cluster, topic: Where.
        counted: What its consumer has counted.
        trouble: Why it counts no further; empty when it does.
    """

    cluster: str
    topic: str
    counted: Counted
    trouble: str = ""

    def against(self, sent: int, *, is_sending: bool) -> Judged:
        """
        Compare it with what was sent.

        Args:
            sent: Records that the source has acknowledged.
            is_sending: More are on their way.
        """
        left = sent - self.counted.distinct
        if doubt := self._doubt(0 if is_sending else -left):
            return Judged(tone="warn", text=doubt)
        if is_sending:
            return Judged(tone="none", text="sending")
        if left:
            text = f"{left:,} to come" if self.counted.distinct else "nothing came yet"
            return Judged(tone="none", text=text)
        return Judged(tone="ok" if sent else "none", text="equal" if sent else "nothing sent yet")

    def _doubt(self, excess: int) -> str:
        """Say what is not as it should be; *excess* records came that nobody acknowledged."""
        if self.trouble:
            return self.trouble
        if self.counted.twice:
            return f"{self.counted.twice:,} came twice"
        return f"{excess:,} more than acknowledged" if excess > 0 else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnedPartition:
    """
    A partition as its consumer group has it.

    Args:
        partition: Its number.
        log_size: Its end offset.
        offset: What the group has committed; `None` for nothing.
        owner: The client id of the member that has it; empty for nobody.
        member: That member's id.
    """

    partition: int
    log_size: int
    offset: int | None
    owner: str = ""
    member: str = ""

    @property
    def lag(self) -> int | None:
        """Records behind the group's offset; `None` while it has none."""
        return None if self.offset is None else max(0, self.log_size - self.offset)


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupView:
    """
    A consumer group of the source that has to do with the topic.

    Args:
        group: Its id.
        state: As its coordinator names it.
        partitions: All partitions of the topic.
    """

    group: str
    state: str
    partitions: tuple[OwnedPartition, ...]

    @property
    def owners(self) -> Judged:
        """Whether every partition has an owner."""
        owned = sum(bool(each.member) for each in self.partitions)
        members = len({each.member for each in self.partitions} - {""})
        text = f"{owned} of {len(self.partitions)} have an owner"
        if owned < len(self.partitions):
            return Judged(tone="none", text=text)
        return Judged(
            tone="ok", text=f"{text}: {members} {'member' if members == 1 else 'members'}"
        )

    @property
    def progress(self) -> Judged:
        """Whether log size and consumer offset are equal everywhere."""
        if all(each.lag == 0 or not each.log_size for each in self.partitions):
            return Judged(tone="ok", text="log size = consumer offset")
        left = sum(each.log_size - (each.offset or 0) for each in self.partitions)
        return Judged(tone="none", text=f"{left:,} records behind")


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicView:
    """
    A topic at a moment.

    Args:
        topic: Its name.
        sent: Records of this count that the source has acknowledged.
        sendings: Words for what is being sent, or was; the newest first.
        is_sending: Whether one of them goes on.
        arrived: What came where; the source first.
        groups: The groups that read it.
        trouble: Why groups are not known; empty when they are.
    """

    topic: str
    sent: int = 0
    sendings: tuple[str, ...] = ()
    is_sending: bool = False
    arrived: tuple[Arrived, ...] = ()
    groups: tuple[GroupView, ...] = ()
    trouble: str = ""

    def judged(self, arrived: Arrived) -> Judged:
        """Compare what came somewhere with what was sent."""
        return arrived.against(self.sent, is_sending=self.is_sending)
