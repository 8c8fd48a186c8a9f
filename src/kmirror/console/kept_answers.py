"""Answers that take a cluster's time: asked for once at a time, and kept for some seconds."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from kmirror.clock import Clock
from kmirror.errors import MirrorError

Answer = TypeVar("Answer")
_KEYS_MAX = 200


@dataclass(slots=True)
class _Entry(Generic[Answer]):
    lock: threading.Lock = field(default_factory=threading.Lock)
    answer: Answer | None = None
    error: MirrorError | None = None
    at_s: float = 0.0


class KeptAnswers(Generic[Answer]):
    """
    Answers by what was asked.

    Args:
        keep_s: For so long one counts, seconds.
        clock: Where time comes from.
    """

    def __init__(self, keep_s: float, clock: Clock) -> None:
        self._keep_s = keep_s
        self._clock = clock
        self._lock = threading.Lock()
        self._entries: dict[Hashable, _Entry[Answer]] = {}

    def get(self, asked: Hashable, ask: Callable[[], Answer]) -> Answer:
        """
        Return an answer; whoever asks the same meanwhile waits for it.

        Args:
            asked: What.
            ask: Finds it out; an error of kmirror's is for all who wait, and for nobody later.
        """
        with self._lock:
            if asked not in self._entries and len(self._entries) >= _KEYS_MAX:
                self._entries.clear()
            entry = self._entries.setdefault(asked, _Entry())
        began_s = self._clock.monotonic_s()
        with entry.lock:
            # Each of them would wait as long again for a cluster that does not answer.
            if entry.error is not None and began_s < entry.at_s:
                raise entry.error
            is_new = self._clock.monotonic_s() - entry.at_s < self._keep_s
            if entry.answer is None or not is_new:
                self._ask(entry, ask)
            assert entry.answer is not None, "it has just been found out"
            return entry.answer

    def _ask(self, entry: _Entry[Answer], ask: Callable[[], Answer]) -> None:
        entry.answer = entry.error = None
        try:
            entry.answer = ask()
        except MirrorError as error:
            entry.error = error
            raise
        finally:
            entry.at_s = self._clock.monotonic_s()
