"""Looks at something again and again while a context lasts."""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import TracebackType
from typing import Generic, Self, TypeVar

from kmirror.clock import Clock

_PAUSE_S = 0.25
_Sample = TypeVar("_Sample")


class Sampler(Generic[_Sample]):
    """
    Takes a sample at the start, four times a second in a thread, and at the end.

    Args:
        take: Takes one.
        clock: Where time comes from.
        pause_s: The time between two.
    """

    def __init__(
        self, take: Callable[[], _Sample], clock: Clock, *, pause_s: float = _PAUSE_S
    ) -> None:
        self.samples: list[_Sample] = []
        self._take = take
        self._clock = clock
        self._pause_s = pause_s
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="sampler", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        self.samples.append(self._take())
        while not self._clock.wait(self._stop, self._pause_s):
            self.samples.append(self._take())
        self.samples.append(self._take())
