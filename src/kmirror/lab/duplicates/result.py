"""What came out of a scenario."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from enum import StrEnum

from kmirror.lab.duplicates.audit import Audit


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

    @property
    def as_expected(self) -> bool:
        """
        Whether it did what the scenario says.

        Every harm that is expected of MirrorMaker 2 is there, and nothing is repeated where that
        is not expected; kmirror does no harm in any.
        """
        if self.wanted is None:
            return True
        if not self.wanted:
            return not self.effects and self.audit.exact
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


def to_json(runs: Iterable[Run]) -> str:
    """Write runs as one JSON document."""
    told = [
        asdict(run)
        | {
            "effects": sorted(run.effects),
            "wanted": None if run.wanted is None else sorted(run.wanted),
            "as_expected": run.as_expected,
        }
        for run in runs
    ]
    return json.dumps({"runs": told}, indent=2) + "\n"
