"""The plots of a driver that was started again, and files that cannot be used."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from itertools import pairwise
from pathlib import Path

import pytest
from kmirror_lab.process.waiting import wait_until

from kmirror.api.plots import PlotRange
from kmirror.clock import SystemClock
from kmirror.console import history_file, history_keeper
from kmirror.console.history import POINTS_MAX, Counted, History, KeptPoint
from kmirror.console.history_file import HistoryFile
from kmirror.console.history_keeper import HistoryKeeper
from kmirror.errors import EnvironmentProblem
from kmirror.events.console import HISTORY_FAILED
from kmirror.events.emit import Occurrence, subscribed
from kmirror.model import Flow

AB, BA = Flow("A", "B"), Flow("B", "A")
HOUR_MS = 3_600_000
BEGAN_MS = 500_000 * HOUR_MS
CLOCK = SystemClock()


def copying(history: History, since_ms: int, seconds: int, flow: Flow = AB) -> None:
    """Have a flow copy ten records a second, and be looked at every 5 s."""
    for second in range(0, seconds, 5):
        history.add(
            flow,
            Counted(
                at_ms=since_ms + 1000 * second,
                lag_records=second,
                lag_seconds=0.5,
                records=10 * second,
                bytes=1000 * second,
                latency=(second, 0.0),
            ),
        )


def write(path: Path, history: History, now_ms: int, since_ms: int = 0) -> None:
    """Write a history into a file, as a driver does that ends then."""
    with closing(HistoryFile(path)) as file:
        file.write(history.kept(since_ms), now_ms)


def kept_in(path: Path) -> list[KeptPoint]:
    """Give what a file has."""
    with closing(HistoryFile(path)) as file:
        return file.read()


def restored(path: Path) -> History:
    """Give the history of a driver that begins."""
    history = History()
    history.restore(kept_in(path))
    return history


def test_plots_go_on_after_a_restart(tmp_path: Path) -> None:
    """In each range as they were, with a gap where nobody looked, whoever came first."""
    path, ended_ms, again_ms = tmp_path / "h", BEGAN_MS + HOUR_MS, BEGAN_MS + 2 * HOUR_MS
    before = History()
    copying(before, BEGAN_MS, 3600)
    write(path, before, ended_ms)
    after = restored(path)
    copying(after, again_ms, 60)
    late = History()
    copying(late, again_ms, 60)
    late.restore(kept_in(path))
    now_ms = again_ms + 60_000
    for span in PlotRange:
        found, was = after.plots(AB, span, now_ms), before.plots(AB, span, now_ms)
        assert found == late.plots(AB, span, now_ms)
        assert found.points[: len(was.points)] == was.points
        assert found.points[-1].records_per_s == 10
        longest_ms = max(each.at_ms - one.at_ms for one, each in pairwise(found.points))
        assert (longest_ms >= HOUR_MS) == bool(was.points)
    # What was not complete yet is there, too: nothing is missing but what nobody has seen.
    day = after.plots(AB, PlotRange.DAY, now_ms)
    assert day.since_ms is not None
    assert BEGAN_MS < day.since_ms <= day.points[0].at_ms
    last_ms = max(each.at_ms for each in day.points if each.at_ms < ended_ms)
    assert last_ms == ended_ms - 5_000
    write(path, after, now_ms, again_ms)
    assert {last_ms, now_ms - 5_000} <= {each.point.at_ms for each in kept_in(path)}


def test_the_file_does_not_grow(tmp_path: Path) -> None:
    """Not with time, nor with what was open for a while; a flow that is gone leaves nothing."""
    path, history = tmp_path / "h", History()
    copying(history, BEGAN_MS, 60, BA)
    with closing(HistoryFile(path)) as file:
        for hour in range(27):
            copying(history, BEGAN_MS + hour * HOUR_MS, 3600)
            now_ms = BEGAN_MS + (hour + 1) * HOUR_MS
            file.write(history.kept(now_ms - HOUR_MS - 10_000), now_ms)
            history.forget_others(frozenset({AB}))
    kept = kept_in(path)
    assert {each.flow for each in kept} == {AB}
    for span in PlotRange:
        points = [each.point for each in kept if each.range is span]
        assert 170 <= len(points) <= POINTS_MAX
        assert points == sorted(points, key=lambda each: each.at_ms)
    assert path.stat().st_size < 400_000
    assert path.stat().st_mode & 0o777 == 0o600


def text(path: Path) -> None:
    """Leave something that is no database."""
    path.write_text("clusters = A, B\n" * 400, encoding="utf-8")


def damaged(path: Path) -> None:
    """Leave a history of which a part is lost."""
    history = History()
    copying(history, BEGAN_MS, 3600)
    write(path, history, BEGAN_MS + HOUR_MS)
    content = bytearray(path.read_bytes())
    content[4096:12_288] = b"\xff" * 8192
    path.write_bytes(content)


def somebody_elses(path: Path) -> None:
    """Leave a database of another program's."""
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE points (x)")


def newer(path: Path) -> None:
    """Leave one of a kmirror that is not written yet."""
    with closing(HistoryFile(path)):
        pass
    with closing(sqlite3.connect(path)) as other:
        other.execute("PRAGMA user_version = 99")


def a_folder(path: Path) -> None:
    """Leave a folder there."""
    path.mkdir()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (text, "file is not a database"),
        (damaged, "remove it: a new one is made"),
        (somebody_elses, "is no file with a console's history"),
        (newer, "was written by a newer kmirror"),
        (a_folder, "unable to open database file"),
    ],
)
def test_a_file_that_cannot_be_used(
    tmp_path: Path, make: Callable[[Path], None], words: str
) -> None:
    """It is said which, and why; nothing of it is touched."""
    path = tmp_path / "h"
    make(path)
    content = path.read_bytes() if path.is_file() else b""
    with pytest.raises(EnvironmentProblem) as refused:
        HistoryFile(path)
    assert str(path) in str(refused.value)
    assert words in str(refused.value)
    assert (path.read_bytes() if path.is_file() else b"") == content


def test_its_folder_has_to_be_there(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentProblem, match="nowhere/h: No such file or directory"):
        HistoryFile(tmp_path / "nowhere" / "h")


def test_two_drivers_do_not_share_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history_file, "_BUSY_S", 0.05)
    refused = pytest.raises(EnvironmentProblem, match="each driver has a file of its own")
    with closing(HistoryFile(tmp_path / "h")), refused:
        HistoryFile(tmp_path / "h")
    restored(tmp_path / "h")


@contextmanager
def keeping(path: Path, history: History) -> Iterator[list[str]]:
    """Keep a history; gives what is said of the file."""
    said: list[str] = []

    def hear(occurrence: Occurrence) -> None:
        if occurrence.event is HISTORY_FAILED:
            said.append(str(occurrence))

    with subscribed(hear):
        keeper = HistoryKeeper(path, history, CLOCK)
        keeper.start()
        try:
            yield said
        finally:
            keeper.close()


def test_a_driver_goes_on_without_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It says so once, and keeps what it has seen when the file can be used again."""
    monkeypatch.setattr(history_keeper, "WRITE_S", 0.02)
    path, history = tmp_path / "h", History()
    text(path)
    with keeping(path, history) as said:
        wait_until(lambda: said, "said", timeout_s=30)
        copying(history, CLOCK.wall_ms(), 60)
        path.unlink()
        wait_until(lambda: path.exists() and path.stat().st_size, "made anew", timeout_s=30)
    assert len(said) == 1
    assert "not a database" in said[0]
    again, was = History(), history.samples(AB)
    copying(again, was[-1].at_ms + 60_000, 60)
    with keeping(path, again) as said:
        wait_until(lambda: len(again.samples(AB)) > len(was), "read", timeout_s=30)
    assert not said
    assert again.samples(AB)[: len(was)] == was
