"""Has a worker do its share of what all workers of a group do."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Protocol

from kmirror.model import Flow
from kmirror.runtime.worker import Work, Worker


class SharedWork(Protocol):
    """What all of them do together."""

    @property
    def flows(self) -> tuple[Flow, ...]:
        """All flows."""
        ...

    @property
    def shares(self) -> Mapping[str, tuple[str, ...]]:
        """What is shared as one thing: the flows of each, by what it is called."""
        ...

    def work(self, mine: Collection[Flow]) -> Work:
        """Return what a worker has to do that has these flows."""
        ...


class Group(Protocol):
    """Who has what: `GroupChannel` knows it."""

    def mine(
        self, parts: Mapping[str, Collection[str]], running: Collection[str]
    ) -> frozenset[str]:
        """Return what this worker shall run now; see `group.Group.mine`."""
        ...

    def take_lost(self) -> frozenset[str]:
        """Return what was another's since this was asked last."""
        ...

    def may_take_back(self, fenced: Mapping[str, str]) -> frozenset[str]:
        """Return which flows may be claimed again; see `group.Group.may_take_back`."""
        ...

    @property
    def leaves(self) -> bool:
        """Whether this worker wants no flows any more."""
        ...


class OwnShare:
    """
    What this worker runs of the work of all.

    Args:
        worker: Runs it.
        group: Who has what.
    """

    def __init__(self, worker: Worker, group: Group) -> None:
        self._worker = worker
        self._group = group
        self._running: frozenset[Flow] = frozenset()
        self._done: tuple[SharedWork, frozenset[Flow]] | None = None
        # Flows that have to begin anew.
        self._anew: set[str] = set()

    @property
    def running(self) -> frozenset[Flow]:
        """The flows that this worker shall run."""
        return self._running

    @property
    def trouble(self) -> str:
        """Why a flow does not run that should; empty when all do."""
        return next(filter(None, map(self._worker.trouble, self._running)), "")

    def again(self) -> None:
        """Have the next `do` try what did not succeed."""
        self._done = None

    def do(self, plan: SharedWork) -> None:
        """
        Run this worker's share of *plan*, as it is now.

        Args:
            plan: What there is to do; another one is another object.

        Raises:
            MirrorError: It was not done; ask again.
        """
        if self._group.leaves:
            return  # what runs here does so until another worker has claimed it
        mine = self._running = self._mine(plan)
        # Another worker had them meanwhile: what is left of them here was fenced, or will be.
        for each in self._group.take_lost():
            self._anew.update(plan.shares.get(each, ()))
        fenced = {str(flow): by for flow in mine if (by := self._worker.fenced_by(flow))}
        self._anew |= self._group.may_take_back(fenced)
        if self._anew:
            self._done = None
            self._worker.do(plan.work([flow for flow in mine if str(flow) not in self._anew]))
            self._anew.clear()
        if self._done is None or self._done[0] is not plan or self._done[1] != mine:
            self._worker.do(plan.work(mine))
            self._done = (plan, mine)

    def _mine(self, plan: SharedWork) -> frozenset[Flow]:
        """Return the flows that this worker shall run now."""
        parts, here = plan.shares, set(map(str, self._running))
        running = [each for each, flows in parts.items() if not here.isdisjoint(flows)]
        own = {flow for each in self._group.mine(parts, running) for flow in parts.get(each, ())}
        return frozenset(flow for flow in plan.flows if str(flow) in own)
