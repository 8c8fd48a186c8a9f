"""What looks on while a driver runs: who scrapes it, and what remembers its run."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from kmirror.cli.servers import Servers
from kmirror.clock import SystemClock
from kmirror.events.emit import emit, subscribed
from kmirror.events.run_record import RUN_UNRECORDED
from kmirror.runtime.host_options import process_name
from kmirror.schedule.periodic_task import PeriodicTask
from kmirror.schedule.periodic_thread import PeriodicThread
from kmirror.state.run_history import RunHistory
from kmirror.state.run_record import to_json

if TYPE_CHECKING:
    # The JVM does not wait for what runs on it.
    from kmirror.runtime.driver import Driver

_SAMPLE_S = 5.0
_SAVE_S = 60.0
_LAST_S_MAX = 2.0


@contextmanager
def observed(servers: Servers, driver: Driver, record: Path | None) -> Iterator[None]:
    """
    Serve and remember the run as long as the block lasts, as far as somebody wants that.

    Args:
        servers: Serve metrics and the console, or neither.
        driver: Runs.
        record: The file that the run is written to, once a minute and in the end; `None` for none.
    """
    if servers.metrics is None and record is None:
        with servers.serving(driver):
            yield
        return
    clock = SystemClock()
    history = RunHistory(driver.host.observed, process_name(), clock)

    def save() -> None:
        history.look()
        if record is not None:
            _save(history, record)

    def save_last() -> None:
        try:
            save()
        except OSError as error:
            _unrecorded(record, error)

    thread = PeriodicThread(
        "kmirror-history", clock, lambda error: _unrecorded(record, error), finish=save_last
    )
    thread.also(PeriodicTask(clock, _SAMPLE_S, history.look, at_once=True))
    if record is not None:
        thread.also(PeriodicTask(clock, _SAVE_S, save))
    with ExitStack() as undo:
        undo.enter_context(subscribed(history))
        undo.enter_context(servers.serving(driver, history.record))
        thread.start()
        undo.callback(thread.close, _LAST_S_MAX)
        yield


def _save(history: RunHistory, path: Path) -> None:
    """Write the run down; whoever reads it meanwhile has the one before, or this one."""
    draft = path.with_name(f"{path.name}.draft")
    draft.write_text(json.dumps(to_json(history.record())), encoding="utf-8")
    draft.replace(path)


def _unrecorded(path: Path | None, error: Exception) -> bool:
    emit(RUN_UNRECORDED, path=str(path or "the run"), error=error)
    return True
