"""Keeps how flows were in a file, beside the driver, which never waits for it."""

from __future__ import annotations

from pathlib import Path

from kmirror.clock import Clock
from kmirror.console.history import History
from kmirror.console.history_file import HistoryFile
from kmirror.errors import EnvironmentProblem
from kmirror.events.console import HISTORY_FAILED
from kmirror.events.emit import emit
from kmirror.events.table import RUN_CRASHED
from kmirror.schedule.periodic_task import PeriodicTask
from kmirror.schedule.periodic_thread import PeriodicThread

WRITE_S = 30.0
# A look may be noted a moment after it was taken.
_AGAIN_MS = 10_000
_END_S_MAX = 2.0


class HistoryKeeper:
    """
    Reads what the file has when it starts, and writes what has come every half a minute.

    Args:
        path: The file.
        history: What is kept.
        clock: Where time comes from.
    """

    def __init__(self, path: Path, history: History, clock: Clock) -> None:
        self._path = path
        self._history = history
        self._clock = clock
        self._since_ms = clock.wall_ms()
        self._file: HistoryFile | None = None
        self._is_restored = False
        self._told = ""
        self._thread = PeriodicThread(
            "console-history", clock, self._failed, interval_s=WRITE_S, finish=self._last
        )
        self._thread.also(PeriodicTask(clock, 0.0, self._keep))

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def close(self) -> None:
        """Write what there is, and end; a disk that does not answer is left behind."""
        self._thread.close(_END_S_MAX)

    def _keep(self) -> None:
        """Write what has come; the file is opened, and read the first time, if it has to be."""
        if self._file is None:
            self._file = HistoryFile(self._path)
        if not self._is_restored:
            self._history.restore(self._file.read())
            self._is_restored = True
        now_ms = self._clock.wall_ms()
        self._file.write(self._history.kept(self._since_ms), now_ms)
        self._since_ms = now_ms - _AGAIN_MS
        self._told = ""

    def _last(self) -> None:
        try:
            self._keep()
        except Exception as error:  # noqa: BLE001 - as in every other round
            self._failed(error)
        self._let_go()

    def _failed(self, error: Exception) -> bool:
        """Say it once, and again only when it has been well in between; tells whether to go on."""
        self._let_go()
        if not isinstance(error, EnvironmentProblem):
            emit(RUN_CRASHED, error=error, trace=error)
            return False  # the driver goes on without its plots
        if self._told != str(error):
            self._told = str(error)
            emit(HISTORY_FAILED, reason=str(error))
        return True

    def _let_go(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None
