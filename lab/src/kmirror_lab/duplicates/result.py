"""What came out of a scenario."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from enum import StrEnum

from kmirror_lab.duplicates.audit import Audit
from kmirror_lab.duplicates.course import Moment
from kmirror_lab.duplicates.duplicated_batch import DuplicatedBatch


class Peer(StrEnum):
    """Which mirror."""

    MIRROR_MAKER = "mm2"
    MIRROR_MAKER_1 = "mm1"
    KMIRROR = "kmirror"


class Effect(StrEnum):
    """A harm that a scenario is known to do to MirrorMaker 2."""

    DUPLICATED = "duplicated"
    REORDERED = "reordered"
    LOST = "lost"
    DIES = "dies"
    """The task, or the process, ends; nothing is copied until somebody starts it again."""
    STANDS_STILL = "stands still"
    """Less than a tenth of the records arrived, although it lives."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """
    What a mirror had to do with, by its scenario.

    Args:
        asked: The scenario's name, or its file, as it was given.
        changes: What of the scenario was changed, `--vary`'s keys and values.
        request_timeout_ms: How long the target's producer waits for an answer.
        batch_bytes: The largest batch it makes, usually.
        rate_bit_s: What the link lets through at the beginning; 0 is no limit.
        delay_s: How long a packet is on its way.
        loss: The share of packets to the target that are lost.
        loss_back: The share of packets from it that are lost.
        partitions: Of the topic.
        record_bytes: The length of each value.
        keys: Whether records have keys.
        streams: How many connections of others share the link at the beginning.
        lines: The other lines of the mirror's file.
        steps: What else is done to link and mirror, as text.
    """

    asked: str
    changes: tuple[tuple[str, str], ...] = ()
    request_timeout_ms: int = 30_000
    batch_bytes: int = 16_384
    rate_bit_s: int = 0
    delay_s: float = 0.0
    loss: float = 0.0
    loss_back: float = 0.0
    partitions: int = 1
    record_bytes: int = 188
    keys: bool = True
    streams: int = 0
    lines: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """
    One mirror in one scenario.

    Args:
        scenario: Its name.
        peer: Which mirror.
        audit: What became of the records.
        died: Whether its task or process ended by itself.
        seconds: From the first record in the source to the last new one in the target.
        records_per_s: Different records that arrived in each of these seconds.
        timeouts: How often the producer did not wait for an answer any longer, by the mirror's log;
            `None` when it does not tell.
        retries: Batches that the producer sent again, by the same.
        effects: What harm was done.
        wanted: What was expected of it; nothing is "no harm", `None` that nothing was foretold.
        conditions: What it had to do with.
        course: How many records were where, over time.
        doubled: One batch that is there twice, and how that came; `None` when none is, or the
            mirror's log does not tell.
        carried: Whether the link could carry all records in the scenario's time; `False` also where
            nobody has asked, as in older files.
    """

    scenario: str
    peer: Peer
    audit: Audit
    died: bool
    seconds: float
    records_per_s: float
    timeouts: int | None
    retries: int | None
    effects: frozenset[Effect]
    wanted: frozenset[Effect] | None
    conditions: Conditions
    course: tuple[Moment, ...] = ()
    doubled: DuplicatedBatch | None = None
    carried: bool = False

    @property
    def command(self) -> str:
        """What to type to have the same again."""
        words = ["--peer", self.peer.value, "--scenario", self.conditions.asked]
        for key, value in self.conditions.changes:
            words += ["--vary", f"{key}={value}"]
        return f"sudo kmirror lab duplicates {shlex.join(words)}"

    @property
    def complete(self) -> bool:
        """Whether every record has arrived."""
        return self.audit.distinct == self.audit.produced

    @property
    def fell_short(self) -> bool:
        """Whether kmirror has not copied everything although the link could carry it."""
        return self.peer is Peer.KMIRROR and self.carried and not self.complete

    @property
    def as_expected(self) -> bool:
        """
        Whether it did what the scenario says.

        Every harm that is expected of MirrorMaker 2 is there, and nothing is repeated where that
        is not expected; kmirror does no harm in any, and copies all that the link can carry.
        """
        if self.wanted is None:
            return True
        if not self.wanted:
            return not self.effects and self.audit.exact and not self.fell_short
        doubled = Effect.DUPLICATED in self.effects
        return self.wanted <= self.effects and doubled <= (Effect.DUPLICATED in self.wanted)


def effects_of(found: Audit, *, died: bool) -> frozenset[Effect]:
    """Name the harm that was done."""
    stood = not died and found.distinct * 10 < found.produced
    return frozenset(
        effect
        for effect, there in (
            (Effect.DUPLICATED, found.duplicated > 0),
            (Effect.REORDERED, found.reordered > 0),
            (Effect.LOST, found.lost > 0),
            (Effect.DIES, died),
            (Effect.STANDS_STILL, stood),
        )
        if there
    )
