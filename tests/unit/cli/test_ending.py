"""A process that was told to end has its time, and no more."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator

import pytest

from kmirror.cli.ending import (
    SIGNALS,
    SignalWatch,
    keep_hangups,
    on_hangup,
    on_hangup_end,
    on_signal,
)
from kmirror.clock import ManualClock


class _Watched:
    """A process that is told what has come, and notes its end."""

    def __init__(self) -> None:
        self.clock = ManualClock()
        self.ends: list[tuple[int, float]] = []
        self._watch = SignalWatch(self.clock, self._end)

    def _end(self, code: int, _why: str) -> None:
        self.ends.append((code, self.clock.monotonic_s()))

    def look(
        self, number: int | None = None, *, kept: int | None = None, handled: bool = False
    ) -> None:
        self._watch.look(number, kept=kept, handled=handled)

    def pass_s(self, seconds: float, *, kept: int | None = None, handled: bool = False) -> None:
        for _ in range(int(seconds * 10)):
            self.clock.advance(0.1)
            self.look(kept=kept, handled=handled)
            if self.ends:
                return


def test_nothing_happens_without_a_signal() -> None:
    """However long it lasts."""
    process = _Watched()
    process.pass_s(1000)
    assert not process.ends


@pytest.mark.parametrize(("handled", "within_s"), [(True, 9.6), (False, 1.6)])
def test_it_ends_in_time(handled: bool, within_s: float) -> None:
    """Sooner when the main thread does not even notice: then it has nothing to put in order."""
    process = _Watched()
    process.look(signal.SIGTERM)
    process.pass_s(60, handled=handled)
    ((code, end_s),) = process.ends
    assert code == 143
    assert within_s - 0.2 < end_s <= within_s


def test_a_second_one_ends_it_at_once() -> None:
    """But not the same one again, which a wrapper may hand on."""
    process = _Watched()
    process.look(signal.SIGINT)
    process.pass_s(0.2, handled=True)
    process.look(signal.SIGINT, handled=True)
    assert not process.ends
    process.pass_s(1, handled=True)
    process.look(signal.SIGINT, handled=True)
    assert process.ends[0][0] == 130


def test_one_that_was_kept_for_later_is_one() -> None:
    """While a JVM is started; it counts from when it came."""
    process = _Watched()
    process.look(kept=signal.SIGTERM)
    process.pass_s(5, kept=signal.SIGTERM)
    process.look(signal.SIGTERM)
    assert not process.ends
    process.pass_s(60, handled=True)
    assert 9.4 <= process.ends[0][1] <= 9.7


def test_one_in_the_middle_of_another_is_that_one() -> None:
    """Two at the same moment: the second would wait for a lock that the first one has."""
    before = {number: signal.getsignal(number) for number in SIGNALS}
    came: list[int] = []

    def act(number: int) -> None:
        came.append(number)
        if len(came) < 3:
            signal.raise_signal(signal.SIGTERM)

    try:
        on_signal(act)
        signal.raise_signal(signal.SIGTERM)
        assert came == [signal.SIGTERM]
        came.extend([0, 0])
        signal.raise_signal(signal.SIGINT)
        assert came[-1] == signal.SIGINT
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@pytest.fixture
def hangups() -> Iterator[None]:
    """Leave SIGHUP as it was."""
    before = signal.getsignal(signal.SIGHUP)
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.mark.usefixtures("hangups")
def test_a_hangup_that_comes_too_early_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """A service may be told to reload before it can; once is enough."""
    monkeypatch.setattr(sys.stdin, "isatty", lambda: False)
    done: list[int] = []
    keep_hangups()
    for _ in range(2):
        signal.raise_signal(signal.SIGHUP)
    on_hangup(lambda: done.append(1))
    assert done == [1]
    on_hangup(lambda: done.append(2))
    assert done == [1]
    signal.raise_signal(signal.SIGHUP)
    assert done == [1, 2]


@pytest.mark.usefixtures("hangups")
def test_a_hangup_is_an_end_unless_it_is_ignored() -> None:
    """As for MirrorMaker 1; nohup wants it otherwise."""
    ends: list[int] = []
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    on_hangup_end(ends.append)
    signal.raise_signal(signal.SIGHUP)
    assert ends == [signal.SIGHUP]
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    on_hangup_end(ends.append)
    signal.raise_signal(signal.SIGHUP)
    assert ends == [signal.SIGHUP]
