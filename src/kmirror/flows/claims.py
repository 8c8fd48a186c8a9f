"""What a driver knows of its own claims on a flow, from one start of the flow to the next."""

from __future__ import annotations

from typing import Protocol

from kmirror.admin.owner_entry import OwnerEntry, lost_to
from kmirror.wire.position import Owner


class Claimed(Protocol):
    """The claim on the target: `Ownership`."""

    def read_owner(self, *, was_owned: bool = False) -> OwnerEntry | None:
        """Return who owns the flow now."""
        ...

    def claim(self, owner: Owner) -> int:
        """Become the owner; returns the new generation."""
        ...


class Claims:
    """
    The claims of one driver on one flow.

    Args:
        flow: `S->T`.
    """

    def __init__(self, flow: str) -> None:
        self._flow = flow
        # The last claim that went well; 0 before the first.
        self.generation = 0
        # As whom it was tried since: a claim may be on the target although that was never heard.
        self._tried: set[str] = set()
        # Whose it was when it was tried for the first time.
        self._before: OwnerEntry | None = None

    def take(self, ownership: Claimed, owner: Owner) -> int:
        """
        Own the flow. Only a process's first claim may take it from somebody else: one that was
        fenced while it was restarting must not fight back.

        Args:
            ownership: Claims it.
            owner: This process.

        Returns:
            The new generation.

        Raises:
            Fenced: Another driver has claimed the flow since.
            Held: Somebody keeps it from copying.
            ClusterError: The target refused or did not answer.
        """
        current = ownership.read_owner(was_owned=self.generation > 0)
        if not self.generation and not self._tried:
            self._before = current
        elif not self._is_ours(current):
            raise lost_to(self._flow, current)
        self._tried.add(owner.driver)
        self.generation = ownership.claim(owner)
        self._tried.clear()
        return self.generation

    def _is_ours(self, entry: OwnerEntry | None) -> bool:
        """Whether nobody else has claimed it since."""
        if not self.generation and entry == self._before:
            return True  # the first one has not come that far
        if entry is None:
            return False
        has_tried = entry.owner is not None and entry.owner.driver in self._tried
        return has_tried or entry.generation == self.generation
