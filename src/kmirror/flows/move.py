"""
Takes consumer groups from one cluster to the other: failover, promotion, failback.

Every step looks before it acts and may be done again: a command that was interrupted is repeated.
The only thing that outlives it is the hold on the flow, an entry on the target; `failback` ends it,
and so does `abort`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from kmirror.admin.ownership import OwnerEntry
from kmirror.clock import Clock
from kmirror.errors import MoveRefused
from kmirror.flows.hold import FlowHold
from kmirror.flows.move_ends import MoveEnds
from kmirror.flows.move_loss import seen_loss, unseen_loss
from kmirror.flows.move_proof import prove
from kmirror.flows.overview import Uncopied
from kmirror.plans.moves import (
    Calm,
    Loss,
    MoveKind,
    MoveOptions,
    MoveReport,
    MoveStep,
    refusal,
)
from kmirror.plans.places import GroupSurvey, positions, with_committed
from kmirror.plans.words import some
from kmirror.waits import waiting

_POLL_S = 0.5
_DRIVER_S_MAX = 20.0  # a waiting driver looks every few seconds


class Move:
    """
    One move, to be run once.

    Args:
        ends: Both clusters.
        options: What the operator wants.
        tell: Is given each step when it is done.
        began_ms: When the operator gave the command, milliseconds since the epoch.
        clock: Where time comes from.
    """

    def __init__(
        self,
        ends: MoveEnds,
        options: MoveOptions,
        *,
        tell: Callable[[MoveStep], None],
        began_ms: int,
        clock: Clock,
    ) -> None:
        self._ends = ends
        self._options = options
        self._tell = tell
        self._clock = clock
        self._never = threading.Event()
        self._steps: list[MoveStep] = []
        self._began_ms = began_ms
        self._entry: OwnerEntry | None = None
        self._loss = Loss()
        self._survey = GroupSurvey()
        self._left: dict[str, str] = {}

    def run(self) -> MoveReport:
        """
        Do it, or measure it.

        Raises:
            MoveRefused: Groups cannot be moved now.
            ClusterError: A cluster did not answer, or refused; the same command goes on later.
        """
        is_real = not self._options.drill
        holds = not self._options.kind.is_back
        self._do("look", self._look)
        self._do("wait", self._settle)
        if holds and is_real:
            self._do("hold", self._take_hold)
        self._do("groups", self._move_groups)
        self._do("proof", self._prove)
        if not holds and is_real:
            self._do("release", self._release)
        return self._report()

    def _do(self, name: str, step: Callable[[], str]) -> None:
        began_s = self._clock.monotonic_s()
        words = step()
        done = MoveStep(name=name, words=words, took_s=self._clock.monotonic_s() - began_s)
        self._steps.append(done)
        self._tell(done)

    def _look(self) -> str:
        """See whether there is anything to move from and to."""
        ends = self._ends
        self._entry = ends.hold.owner()
        if self._entry is None:
            raise MoveRefused(
                f"{ends.flows.flow} was never started", hint="start `kmirror run` first"
            )
        if ends.trouble and self._options.kind is MoveKind.PROMOTE:
            raise MoveRefused(
                f"{ends.here} does not answer: {ends.trouble}",
                hint="`kmirror failover` goes on with what was copied",
            )
        who = str(self._entry.owner or "an unknown driver")
        answers = f"{ends.here} does not answer" if ends.trouble else "both clusters answer"
        return f"{answers}; generation {self._entry.generation}, {who}"

    def _settle(self) -> str:
        """Wait until nothing is left to copy, and, where it matters, nobody consumes."""
        ends, options = self._ends, self._options
        if ends.trouble:
            return f"{ends.here} does not answer: nothing to wait for"
        with waiting(f"until {ends.flows.flow} has copied everything and nobody consumes"):
            rest, calm = self._await_calm()
        why, hint = refusal(calm, options, here=ends.here, there=ends.there)
        if why:
            raise MoveRefused(why, hint=hint)
        self._loss = seen_loss(ends, rest, self._clock)
        members = f"; with members: {some(calm.active)}" if calm.active else ""
        return f"lag {calm.lag_records:,} records{members}"

    def _await_calm(self) -> tuple[tuple[Uncopied, ...], Calm]:
        ends, options = self._ends, self._options
        deadline_s = self._clock.monotonic_s() + options.wait_s
        while True:
            rest = ends.uncopied()
            calm = Calm(lag_records=sum(each.records for each in rest), active=ends.active())
            if calm.is_enough(options.kind) or self._clock.monotonic_s() >= deadline_s:
                return rest, calm
            self._clock.wait(self._never, _POLL_S)

    def _take_hold(self) -> str:
        """From here on nobody copies: what is not there now is lost, or late."""
        ends, kind = self._ends, self._options.kind
        assert self._entry is not None, "looked at before"
        before = self._entry.owner if self._entry.is_hold else None
        if before is not None:
            self._began_ms = before.started_ms
        self._entry = ends.hold.take(kind.value, since_ms=self._began_ms)
        if ends.trouble:
            self._loss = unseen_loss(ends, self._clock)
        else:
            rest = ends.uncopied()
            self._loss = seen_loss(ends, rest, self._clock)
            if rest and kind is MoveKind.PROMOTE:
                ends.hold.release()
                raise MoveRefused(
                    f"{self._loss.records} records came to {ends.here} meanwhile; "
                    f"{ends.flows.flow} copies again",
                    hint="stop the producers, then promote",
                )
        since = f"; held before, by {before}" if before is not None else ""
        return f"generation {self._entry.generation}, held by {self._entry.owner}{since}"

    def _move_groups(self) -> str:
        self._survey = survey = self._ends.survey()
        moves = survey.moves(backwards=False)
        self._left |= survey.left()
        groups = {place.group for place in moves}
        if self._options.drill:
            return f"{len(moves)} offsets of {len(groups)} groups would be set"
        if moves:
            failed = self._ends.there_groups.commit(positions(moves))
            self._left |= {group: str(error) for group, error in failed.items()}
        done = len(survey.places) - len(moves)
        return f"{len(moves)} offsets of {len(groups)} groups set; {done} were there already"

    def _prove(self) -> str:
        """Look at what is there now: only what was seen counts."""
        ends, survey = self._ends, self._survey
        proof = prove(survey.places, ends)
        for place in proof.different:
            self._left[place.group] = (
                f"the next records of {place.here}:{place.offset} and "
                f"{place.there}:{place.goes_on} differ"
            )
        if self._options.drill:
            return str(proof)
        seen = ends.there_groups.offsets(sorted(survey.groups))
        self._left |= {group: str(error) for group, error in seen.failed.items()}
        for place in with_committed(survey.places, seen.positions):
            if place.is_behind and place.group not in self._left:
                self._left[place.group] = f"{place.there} is at {place.committed}"
        self._check_hold()
        there = len(survey.groups - self._left.keys())
        return f"{there} of {len(survey.groups)} groups are there; {proof}"

    def _check_hold(self) -> None:
        if self._options.kind.is_back:
            return
        now = self._ends.hold.owner()
        if now != self._entry:
            raise MoveRefused(
                f"somebody ended the hold on {self._ends.flows.flow} meanwhile: {now}",
                hint="see who, and do it again",
            )

    def _release(self) -> str:
        """Let the flow copy again, and see whether somebody does."""
        hold = self._ends.hold
        entry = hold.owner()
        if entry is None or not entry.is_hold:
            return "the flow was not held"
        released = hold.release()
        deadline_s = self._clock.monotonic_s() + min(_DRIVER_S_MAX, self._options.wait_s)
        with waiting(f"until somebody drives {self._ends.flows.flow}"):
            while (now := hold.owner()) is None or now.owner == released:
                if self._clock.monotonic_s() >= deadline_s:
                    return "let go; nobody drives the flow yet: start `kmirror run`"
                self._clock.wait(self._never, _POLL_S)
        return f"let go; driven by {now.owner}"

    def _report(self) -> MoveReport:
        survey = self._survey
        return MoveReport(
            flow=self._ends.flows.flow,
            kind=self._options.kind,
            drill=self._options.drill,
            steps=tuple(self._steps),
            loss=self._loss,
            took_s=(self._clock.wall_ms() - self._began_ms) / 1000,
            groups=tuple(sorted(survey.groups - self._left.keys())),
            left=self._left,
            unknown=survey.unknown,
        )


def abort(hold: FlowHold) -> bool:
    """
    End a hold without moving anybody; groups' offsets that were set stay, as a sync leaves them.

    Args:
        hold: The flow's.

    Returns:
        Whether there was one.

    Raises:
        ClusterError: The target did not answer, or refused.
    """
    entry = hold.owner()
    if entry is None or not entry.is_hold:
        return False
    hold.release()
    return True
