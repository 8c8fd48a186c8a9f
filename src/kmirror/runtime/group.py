"""
What a worker knows of its group, from the records that all workers read in the same order; pure.

Who is silent for a second and a half is gone. The oldest that is there leads: it shares the flows,
and what it writes first counts for all. Nobody has to be right: two that take the other for gone,
or for the leader, write one after the other, and a flow that two workers have is fenced for the one
that claimed it first, as any flow is.

A group of Kafka's consumers would be slower: brokers do not allow a session of less than 6 seconds
(`group.min.session.timeout.ms`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from kmirror.runtime.offers import candidates, may_keep
from kmirror.runtime.sharing import share
from kmirror.wire.worker_group import Offer, Shares, SignOfLife, WorkerRecord

SILENCE_S_MAX = 1.5
BEAT_INTERVAL_S = 0.3
# Whoever joins reads so much of the past: the shares have to be there again and again.
REPEAT_INTERVAL_S = 10.0
# After that a proposal that nobody has read is made again.
PROPOSAL_S_MAX = 1.0
# So long a flow waits for the worker that has it to let go; then it is taken.
HANDOVER_S_MAX = 10.0
# So long nobody has had a flow that one of the group has fenced, before its owner claims it again:
# twice the time after which who does not hear itself has no say.
TAKE_BACK_S_MIN = 2 * SILENCE_S_MAX


@dataclass(frozen=True, slots=True, kw_only=True)
class _Heard:
    """The last that was heard of a worker, and when."""

    sign: SignOfLife
    at_s: float


class Group:
    """
    The group, as one of its workers sees it. Times are of one clock that never goes back.

    Args:
        me: The worker's instance.
    """

    def __init__(self, me: str) -> None:
        self._me = me
        self._heard: dict[str, _Heard] = {}
        self._offers: dict[str, Offer] = {}
        self._listens_s: float | None = None
        self._is_deaf = False
        self._shares: Shares | None = None
        self._shared_s = 0.0
        self._written_s = 0.0
        self._proposed_s = -PROPOSAL_S_MAX
        # Flows that were another's since this worker began them.
        self.lost: set[str] = set()
        # Since when flows lie where their fencer has left them.
        self._lies_s: dict[str, float] = {}

    def listen(self, now_s: float) -> None:
        """Begin to judge: all that was written before has been read."""
        self._listens_s, self._is_deaf = now_s, False

    def deafen(self) -> None:
        """Judge nobody, and begin nothing, until all is read again; `listen` then."""
        self._listens_s, self._is_deaf = None, True
        self._heard.clear()

    def forgive(self, now_s: float) -> None:
        """Give everybody time again: this worker was away itself, and has heard nobody."""
        self._heard = {key: replace(each, at_s=now_s) for key, each in self._heard.items()}
        self._lies_s.clear()
        if self._listens_s is not None:
            self._listens_s = now_s

    def take(self, record: WorkerRecord, now_s: float) -> None:
        """Let a record count."""
        if isinstance(record, SignOfLife):
            # What was said before anybody listened says nothing of who is there now.
            if self._listens_s is not None:
                self._heard[record.instance] = _Heard(sign=record, at_s=now_s)
        elif isinstance(record, Offer):
            self._offers[record.instance] = record
        elif self._shares is None or record.number > self._shares.number:
            self._shares, self._shared_s, self._written_s = record, now_s, now_s
            self._proposed_s = -PROPOSAL_S_MAX
            self.lost |= {flow for flow, owner in record.flows.items() if owner != self._me}
        elif record.number == self._shares.number:
            self._written_s = now_s

    def members(self, now_s: float) -> tuple[str, ...]:
        """Return who is there and takes flows, the oldest first."""
        there = self._there(now_s)
        return tuple(sorted(key for key, sign in there.items() if not sign.leaves))

    def is_member(self, now_s: float) -> bool:
        """Whether the others hear this worker, as far as it hears itself."""
        return self._me in self.members(now_s)

    @property
    def has_shares(self) -> bool:
        """Whether it was ever said who has what."""
        return self._shares is not None

    def is_settled(self, now_s: float) -> bool:
        """Whether the shares are those of the workers that are there."""
        return self._shares is not None and self._shares.members == self.members(now_s)

    def proposal(self, flows: Collection[str], now_s: float, now_ms: int) -> Shares | None:
        """
        Return what this worker has to write, if it leads; `None` for nothing.

        Args:
            flows: What there is to do, besides what workers offer.
            now_s: The time.
            now_ms: The time since the epoch: numbers begin with it, so that those of a group that
                had its end go on.
        """
        if self._listens_s is None or now_s - self._listens_s < SILENCE_S_MAX:
            return None
        members = self.members(now_s)
        if not members or members[0] != self._me:
            return None
        before = self._shares
        wanted = self._shared(flows, members)
        if before is None or (before.members, dict(before.flows)) != (members, wanted):
            if now_s - self._proposed_s < PROPOSAL_S_MAX:
                return None  # what was proposed is on its way
            self._proposed_s = now_s
            number = max(now_ms, self.number + 1)
            return Shares(number=number, by=self._me, members=members, flows=wanted)
        if now_s - self._written_s < REPEAT_INTERVAL_S:
            return None
        self._written_s = now_s
        return before

    def _shared(self, flows: Collection[str], members: Sequence[str]) -> dict[str, str]:
        """Return who shall have what from now on."""
        before = {} if self._shares is None else self._shares.flows
        found = candidates(flows, members, self._offers)
        there = {
            flow: owner
            for flow, owner in before.items()
            if owner in members and may_keep(flow, owner, self._offers)
        }
        return share(found, {flow: owner for flow, owner in there.items() if flow in found})

    def mine(
        self,
        now_s: float,
        parts: Mapping[str, Collection[str]],
        running: Collection[str] = (),
    ) -> frozenset[str]:
        """
        Return what this worker shall run now: its own that no other one still has.

        Args:
            now_s: The time.
            parts: Flows that are shared as one thing, by what that is called.
            running: What runs here already: another one that says it has it does so no more.
        """
        if self._shares is None:
            return frozenset()
        own = {each for each, owner in self._shares.flows.items() if owner == self._me}
        if self._is_deaf:
            return frozenset(own.intersection(running))  # who else has them is not known
        if now_s - self._shared_s < HANDOVER_S_MAX:
            others = (sign for key, sign in self._there(now_s).items() if key != self._me)
            # Who leaves copies until somebody else has claimed: nothing stands still meanwhile.
            held = {flow for sign in others if not sign.leaves for flow in sign.holds}
            own = {
                each for each in own if each in running or held.isdisjoint(parts.get(each, (each,)))
            }
        return frozenset(own)

    @property
    def number(self) -> int:
        """Of the shares as they are now; 0 before the first."""
        return 0 if self._shares is None else self._shares.number

    def owners(self, now_s: float) -> Mapping[str, str]:
        """Return the workers that flows belong to, by flow; of those that are there."""
        flows = {} if self._shares is None else self._shares.flows
        there = self._there(now_s)
        return {flow: there[owner].worker_id for flow, owner in flows.items() if owner in there}

    def holds(self, flows: Collection[str], now_s: float) -> bool:
        """Tell whether anybody still has any of *flows*."""
        return any(not set(flows).isdisjoint(sign.holds) for sign in self._there(now_s).values())

    def may_take_back(self, fenced: Mapping[str, str], now_s: float) -> frozenset[str]:
        """
        Return which of its flows this worker may claim again: one of the group has fenced them by a
        claim that came late, and has let them go. Ask again and again.

        Args:
            fenced: Who has fenced flows that are this worker's, by flow; see `SignOfLife.process`.
            now_s: The time.
        """
        group = {
            each.sign.process for each in self._heard.values() if now_s - each.at_s < HANDOVER_S_MAX
        }
        self._lies_s = {
            flow: self._lies_s.get(flow, now_s)
            for flow, process in fenced.items()
            if process in group and not self.holds([flow], now_s)
        }
        if not self.is_member(now_s):
            return frozenset()  # its news may be old: another one may have them by now
        return frozenset(
            flow for flow, at_s in self._lies_s.items() if now_s - at_s >= TAKE_BACK_S_MIN
        )

    def _there(self, now_s: float) -> dict[str, SignOfLife]:
        return {
            key: each.sign for key, each in self._heard.items() if now_s - each.at_s < SILENCE_S_MAX
        }
