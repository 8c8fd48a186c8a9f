"""Runs of the duplicates laboratory, made up."""

from __future__ import annotations

from kmirror_lab.duplicates.audit import Audit, audit
from kmirror_lab.duplicates.course import Moment
from kmirror_lab.duplicates.duplicated_batch import DuplicatedBatch
from kmirror_lab.duplicates.result import Conditions, Effect, Peer, Run, effects_of

DOUBLED = DuplicatedBatch(
    partition=0,
    records=650,
    first=(1, 650),
    second=(651, 1300),
    sent_s=0.061,
    timed_out_s=0.618,
    again_s=0.969,
    gave_up_s=1.47,
    first_seen_s=1.402,
    second_seen_s=2.53,
    words=("12:30:24,619 Disconnecting from node 1 due to request timeout.",),
)


def counted(distinct: int, copies: int = 0, *, produced: int = 1_000) -> Audit:
    """Audit a copy: the source's beginning, and behind it its first records again."""
    return audit(range(produced), [*range(distinct), *range(copies)])


def run_of(
    made: Audit,
    *,
    peer: Peer = Peer.MIRROR_MAKER,
    scenario: str = "slow",
    conditions: Conditions | None = None,
    died: bool = False,
    wanted: set[Effect] | None = None,
    records_per_s: float = 100.0,
    doubled: DuplicatedBatch | None = None,
    timeouts: int | None = None,
    carried: bool = False,
) -> Run:
    """Give a run in which that was counted; it took ten seconds."""
    return Run(
        scenario=scenario,
        peer=peer,
        audit=made,
        died=died,
        seconds=10,
        records_per_s=records_per_s,
        timeouts=timeouts,
        retries=timeouts,
        effects=effects_of(made, died=died),
        wanted=None if wanted is None else frozenset(wanted),
        conditions=conditions or Conditions(asked=scenario),
        course=tuple(
            Moment(
                at_s=float(second),
                produced=made.produced,
                mirrored=made.mirrored * second // 10,
                distinct=made.distinct * second // 10,
            )
            for second in range(11)
        ),
        doubled=doubled,
        carried=carried,
    )
