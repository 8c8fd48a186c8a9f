"""Which topics connectors have written to (KIP-558), by what flows count."""

from __future__ import annotations

import threading
from collections.abc import Mapping


class TopicTracker:
    """Remembers topics in memory: of this worker's connectors, since it began."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counted: dict[tuple[str, str], int] = {}
        self._topics: dict[str, set[str]] = {}

    def look(self, connector: str, records: Mapping[str, int]) -> None:
        """
        Look at a connector.

        Args:
            connector: Its name.
            records: How many it has written to topics so far; a count that is lower than before
                began anew.
        """
        with self._lock:
            for topic, count in records.items():
                before = self._counted.get((connector, topic), 0)
                if count > (before if count >= before else 0):
                    self._topics.setdefault(connector, set()).add(topic)
                self._counted[connector, topic] = count

    def topics(self, connector: str) -> tuple[str, ...]:
        """Return what a connector has written to, by name."""
        with self._lock:
            return tuple(sorted(self._topics.get(connector, ())))

    def forget(self, connector: str) -> None:
        """Begin anew with a connector: what it writes from now on counts."""
        with self._lock:
            self._topics.pop(connector, None)
