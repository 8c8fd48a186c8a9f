"""Packets of one direction that are on their way: pure, the time is an argument."""

from __future__ import annotations

import random
from collections import deque

from kmirror.lab.net.settings import OneWay

# What a long fat link holds: 0.5 s of 500 Mbit/s in whole packets.
PACKETS_MAX = 25_000


class DelayLine:
    """
    Hands out each packet when its delay is over, in order but for those that overtake.

    Args:
        way: What happens to packets that come from now on.
        rng: Where jitter comes from, and who overtakes.
    """

    def __init__(self, way: OneWay, rng: random.Random) -> None:
        self.way = way
        self.dropped = 0
        self._rng = rng
        self._waiting: deque[tuple[float, bytes]] = deque()
        self._overtaking: list[bytes] = []

    def put(self, packet: bytes, now_s: float) -> None:
        """Take a packet; when too many are on their way, it is dropped and counted."""
        way = self.way
        if way.reorder and self._rng.random() < way.reorder:
            self._overtaking.append(packet)
            return
        if len(self._waiting) >= PACKETS_MAX:
            self.dropped += 1
            return
        due_s = now_s + way.delay_s
        if way.jitter_s:
            due_s += self._rng.uniform(-way.jitter_s, way.jitter_s)
        if self._waiting:
            # As a queue in a router: who comes later is not out earlier.
            due_s = max(due_s, self._waiting[-1][0])
        self._waiting.append((due_s, packet))

    def due(self, now_s: float) -> list[bytes]:
        """Give the packets that have arrived, first come first."""
        found, self._overtaking = self._overtaking, []
        waiting = self._waiting
        while waiting and waiting[0][0] <= now_s:
            found.append(waiting.popleft()[1])
        return found

    def next_s(self) -> float | None:
        """Give the time when the next packet arrives; None when none is on its way."""
        return self._waiting[0][0] if self._waiting else None
