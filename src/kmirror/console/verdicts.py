"""Since when flows have the verdicts that they have."""

from __future__ import annotations

from kmirror.model import Flow


class Verdicts:
    """What was seen of flows; one thread of a flow writes, any reads."""

    def __init__(self) -> None:
        self._seen: dict[Flow, tuple[str, int]] = {}

    def note(self, flow: Flow, verdict: str, now_ms: int) -> None:
        """
        Note what a flow has.

        Args:
            flow: It.
            verdict: What it has now.
            now_ms: The time, milliseconds since the epoch.
        """
        seen = self._seen.get(flow)
        if seen is None or seen[0] != verdict:
            self._seen[flow] = verdict, now_ms

    def since_ms(self, flow: Flow, verdict: str) -> int | None:
        """Return since when a flow has a verdict, as far as was seen; `None` for another one."""
        seen = self._seen.get(flow)
        return seen[1] if seen is not None and seen[0] == verdict else None

    def forget_others(self, flows: frozenset[Flow]) -> None:
        """Forget flows that are not there any more."""
        for flow in self._seen.keys() - flows:
            del self._seen[flow]
