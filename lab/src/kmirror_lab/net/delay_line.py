"""Packets of one direction that are on their way: pure, the time is an argument."""

from __future__ import annotations

import random
from collections import deque

from kmirror_lab.net.settings import OneWay

# What a long fat link holds: 0.6 s of 500 Mbit/s in whole packets.
PACKETS_MAX = 25_000
# From one random delay to the next takes this many jitters. With two or less, who comes later
# could be there earlier; and the mean of delays that are put in order is not the one asked for.
_WANDERING = 4


class DelayLine:
    """
    Hands out each packet when its delay is over, in order but for those that overtake.

    Jitter has the delay wander, as a queue on the way would that grows and shrinks.

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
        # The delay's way: from where, to where, and when it began.
        self._off_s, self._next_off_s, self._since_s = 0.0, 0.0, 0.0

    def put(self, packet: bytes, now_s: float) -> None:
        """Take a packet; when too many are on their way, it is dropped and counted."""
        way = self.way
        if way.reorder and self._rng.random() < way.reorder:
            self._overtaking.append(packet)
            return
        if len(self._waiting) >= PACKETS_MAX:
            self.dropped += 1
            return
        due_s = now_s + way.delay_s + (self._wandered(now_s) if way.jitter_s else 0.0)
        if self._waiting:
            # Where the settings have changed meanwhile.
            due_s = max(due_s, self._waiting[-1][0])
        self._waiting.append((due_s, packet))

    def due(self, now_s: float) -> list[bytes]:
        """Return the packets that have arrived, first come first."""
        found, self._overtaking = self._overtaking, []
        waiting = self._waiting
        while waiting and waiting[0][0] <= now_s:
            found.append(waiting.popleft()[1])
        return found

    def next_s(self) -> float | None:
        """Return the time when the next packet arrives; None when none is on its way."""
        return self._waiting[0][0] if self._waiting else None

    def _wandered(self, now_s: float) -> float:
        jitter_s = self.way.jitter_s
        part = (now_s - self._since_s) / (_WANDERING * jitter_s)
        if part >= 1:
            rested = part >= 2
            self._off_s = self._draw() if rested else self._next_off_s
            self._next_off_s = self._draw()
            self._since_s, part = now_s, 0.0
        off_s = self._off_s + part * (self._next_off_s - self._off_s)
        return max(-jitter_s, min(jitter_s, off_s))

    def _draw(self) -> float:
        return self._rng.uniform(-self.way.jitter_s, self.way.jitter_s)
