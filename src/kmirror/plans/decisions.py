"""What may be decided about where the copy of a partition goes on."""

from __future__ import annotations

from dataclasses import dataclass

from kmirror.errors import PartitionError
from kmirror.model import TopicPartition
from kmirror.plans.gaps import Gap
from kmirror.plans.position_facts import PartitionFacts


@dataclass(frozen=True, slots=True, kw_only=True)
class Keep:
    """Continue at kmirror's own position."""

    partition: TopicPartition
    offset: int
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Seed:
    """
    Write this position first, then continue from it.

    Args:
        skipped: Source records that are given up by this, to be counted; 0 when none.
        void_from: What the offset map says of source offsets from here on is no longer true; `None`
            when all of it is.
        gap: What is missing, or there twice, from now on; `None` when nothing is.
    """

    partition: TopicPartition
    offset: int
    why: str
    skipped: int = 0
    void_from: int | None = None
    gap: Gap | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Park:
    """
    Do not copy the partition until the operator has decided.

    Args:
        partition: On the source.
        error: Why, and the choices.
        kind: The same for programs; the error's name unless given.
        gap: The gap that it stands before; `None` when there is none.
    """

    partition: TopicPartition
    error: PartitionError
    kind: str = ""
    gap: Gap | None = None

    @property
    def why(self) -> str:
        """The error in words."""
        return str(self.error)


@dataclass(frozen=True, slots=True, kw_only=True)
class Adopt:
    """
    Find the position by comparing the tail of the copy with the source, then seed it.

    Args:
        partition: On the source.
        facts: What is known about it.
        why: Why that has to be.
        offset_max: A place behind this source offset says that later records stand where others
            were lost; `None` when none were.
        gap: The gap that makes it necessary; `None` when the logs themselves are whole.
    """

    partition: TopicPartition
    facts: PartitionFacts
    why: str
    offset_max: int | None = None
    gap: Gap | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Renew:
    """
    Keep the copy as it is, and begin the next generation of the whole topic's copy.

    Args:
        partition: On the source: the one that has the gap.
        why: Why.
        gap: The gap.
    """

    partition: TopicPartition
    why: str
    gap: Gap


@dataclass(frozen=True, slots=True, kw_only=True)
class PositionPlan:
    """One decision for every selected partition."""

    keep: tuple[Keep, ...] = ()
    seed: tuple[Seed, ...] = ()
    park: tuple[Park, ...] = ()
    needs_adoption: tuple[Adopt, ...] = ()
    renew: tuple[Renew, ...] = ()


Decision = Keep | Seed | Park | Adopt | Renew
