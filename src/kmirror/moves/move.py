"""
Takes consumer groups from one cluster to the other: failover, promotion, failback.

Every step looks before it acts and may be done again: a command that was interrupted is repeated.
The only thing that outlives it is the hold on the flow, an entry on the target; `failback` ends it,
and so does `abort`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace

from kmirror.admin.owner_entry import OwnerEntry
from kmirror.clock import Clock
from kmirror.errors import MoveRefused
from kmirror.inspect.overview import Uncopied
from kmirror.moves.ends import MoveEnds
from kmirror.moves.hold import FlowHold
from kmirror.moves.loss import read_already, seen_loss, unseen_loss
from kmirror.moves.proof import prove
from kmirror.plans.moves import (
    Calm,
    Loss,
    MoveKind,
    MoveOptions,
    MoveReport,
    MoveStep,
    cannot_begin,
    refusal,
    step_names,
)
from kmirror.plans.places import GroupPlace, GroupSurvey
from kmirror.plans.text import first_few
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
        self._rest: tuple[Uncopied, ...] = ()
        self._loss = Loss()
        self._survey = GroupSurvey()
        self._moves: tuple[GroupPlace, ...] = ()
        self._failed: dict[str, str] = {}
        self._left: dict[str, str] = {}

    def run(self) -> MoveReport:
        """
        Do it, or measure it.

        Raises:
            MoveRefused: Groups cannot be moved now.
            ClusterError: A cluster did not answer, or refused; the same command goes on later.
        """
        steps = {
            "look": self._look,
            "wait": self._settle,
            "hold": self._take_hold,
            "groups": self._move_groups,
            "proof": self._prove,
            "release": self._release,
        }
        for name in step_names(self._options):
            self._do(name, steps[name])
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
        why, hint = cannot_begin(
            ends.flows.flow,
            self._options.kind,
            here=ends.here,
            was_started=self._entry is not None,
            trouble=ends.trouble,
        )
        if why:
            raise MoveRefused(why, hint=hint)
        assert self._entry is not None, "a flow that was started has one"
        who = str(self._entry.owner or "an unknown driver")
        answers = ends.silence or "both clusters answer"
        return f"{answers}; generation {self._entry.generation}, {who}"

    def _settle(self) -> str:
        """Wait until nothing is left to copy, and, where it matters, nobody consumes."""
        ends, options = self._ends, self._options
        if ends.trouble:
            self._loss = unseen_loss(ends, self._clock)
            return f"{ends.silence}: nothing to wait for"
        with waiting(f"until {ends.flows.flow} has copied everything and nobody consumes"):
            rest, calm = self._await_calm()
        why, hint = refusal(calm, options, here=ends.here, there=ends.there)
        if why:
            raise MoveRefused(why, hint=hint)
        self._rest, self._loss = rest, seen_loss(ends, rest, self._clock)
        members = f"; with members: {first_few(calm.active)}" if calm.active else ""
        if not ends.is_copied:
            return f"no flow takes what was written on {ends.here} to {ends.there}{members}"
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
        if not ends.trouble:
            self._rest = rest = ends.uncopied()
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
        ends = self._ends
        self._survey = survey = ends.survey()
        self._moves = moves = survey.moves(backwards=self._options.allow_backwards)
        groups = {place.group for place in moves}
        what = f"{len(moves)} offsets of {len(groups)} groups"
        back = sum(place.is_further for place in moves)
        went_back = f", {back} of them back" if back else ""
        if self._options.drill:
            return f"{what} would be set{went_back}"
        failed = ends.commit(moves)
        self._failed = {group: str(error) for group, error in failed.items()}
        done = sum(place.is_right for place in survey.places)
        return f"{what} set{went_back}; {done} were there already"

    def _prove(self) -> str:
        """Look at what is there now: only what was seen counts."""
        ends, survey = self._ends, self._survey
        expected = survey.moved(each for each in self._moves if each.group not in self._failed)
        seen = expected if self._options.drill else ends.seen(survey)
        began_right = {place.key for place in expected.places if place.is_right}
        left = seen.left(began_right, self._failed, there=ends.there)
        proof = prove([place for place in expected.places if place.is_right], ends)
        different = {
            place.group: f"the next records of {place.here}:{place.offset} and "
            f"{place.there}:{place.starts_at} differ"
            for place in proof.different
        }
        self._left = {**different, **left}
        if not self._options.drill:
            self._check_hold()
        in_use = sorted({place.group for place in seen.places if seen.is_in_use(place)})
        there = len(survey.groups - self._left.keys())
        verb = "would be" if self._options.drill else "are"
        known = ", by what was known of them last" if ends.trouble else ""
        words = f"{there} of {len(survey.groups)} groups {verb} there{known}; {proof}"
        return f"{words}; in use there already: {first_few(in_use)}" if in_use else words

    def _check_hold(self) -> None:
        if self._options.kind.is_back:
            return
        now = self._ends.hold.owner()
        if now != self._entry:
            raise MoveRefused(
                f"the hold on {self._ends.flows.flow} was ended meanwhile: {now}",
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
        lost = {each.group for each in survey.unknown}
        return MoveReport(
            flow=self._ends.flows.flow,
            kind=self._options.kind,
            drill=self._options.drill,
            steps=tuple(self._steps),
            loss=replace(self._loss, read_already=read_already(survey.places, self._rest)),
            took_s=(self._clock.wall_ms() - self._began_ms) / 1000,
            groups=tuple(sorted(survey.groups - self._left.keys() - lost)),
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
