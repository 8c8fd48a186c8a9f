"""A thread for periodic tasks, so that a slow answer never holds up a flow."""

from __future__ import annotations

import threading
from collections.abc import Callable

from kmirror.clock import Clock
from kmirror.errors import ClusterError
from kmirror.schedule.periodic_task import PeriodicTask

_INTERVAL_S = 1.0


class PeriodicThread:
    """
    Runs its tasks until `close`.

    Args:
        name: The thread's name.
        clock: Where time comes from.
        on_error: Is told of what is no `ClusterError`; tells whether to go on.
        interval_s: Time between two looks at what is due.
        finish: What is done last of all, in this thread.
        release: Lets go of what only its tasks work with, when it has been closed and has come to
            its end; in this thread, if nobody waits for that any more.
    """

    def __init__(
        self,
        name: str,
        clock: Clock,
        on_error: Callable[[Exception], bool],
        *,
        interval_s: float = _INTERVAL_S,
        finish: Callable[[], object] = lambda: None,
        release: Callable[[], object] = lambda: None,
    ) -> None:
        self._clock = clock
        self._on_error = on_error
        self._interval_s = interval_s
        self._finish = finish
        self._finishes = False
        self._release = release
        self._may_release = threading.Lock()
        self._tasks: list[PeriodicTask] = []
        self._closed, self._woken = threading.Event(), threading.Event()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        # Why a cluster could not be asked; empty when all answered.
        self.trouble = ""

    def also(self, *tasks: PeriodicTask) -> None:
        """Add tasks; one that raises `ClusterError` is run again when it is due."""
        self._tasks.extend(tasks)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def wake(self) -> None:
        """Look at what is due now, not after the interval; from any thread."""
        self._woken.set()

    def close(self, timeout_s: float = 0.0) -> bool:
        """
        Stop.

        Args:
            timeout_s: How long to wait for what is still to be done; 0 leaves the last things
                undone, and waits for nothing.

        Returns:
            Whether it has come to its end.
        """
        self._finishes = timeout_s > 0
        self._closed.set()
        self._woken.set()
        if self._thread.ident is None:
            self._ended.set()
        self._ended.wait(timeout_s)
        self._release_if_over()
        return self._ended.is_set()

    def _run(self) -> None:
        try:
            self._work()
        finally:
            self._ended.set()
            self._release_if_over()

    def _work(self) -> None:
        while not self._closed.is_set():
            try:
                self.trouble = self._round()
            except Exception as error:  # noqa: BLE001 - whoever owns the loop decides
                if not self._on_error(error):
                    return
            self._clock.wait(self._woken, self._interval_s)
            self._woken.clear()
        if self._finishes:
            self._finish()

    def _release_if_over(self) -> None:
        """Whoever comes second, of who closes it and the thread itself, lets go; and only once."""
        is_over = self._closed.is_set() and self._ended.is_set()
        if is_over and self._may_release.acquire(blocking=False):
            try:
                self._release()
            except Exception as error:  # noqa: BLE001 - there is nobody left who could be told
                self._on_error(error)

    def _round(self) -> str:
        """Run what is due, one task after the other; give the first trouble."""
        trouble = ""
        for task in self._tasks:
            try:
                task.run_if_due()
            except ClusterError as error:
                trouble = trouble or str(error)
        return trouble
