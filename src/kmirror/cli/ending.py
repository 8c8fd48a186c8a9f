"""
The end of the process: in time, whatever its threads are at.

Python hands a signal to the main thread when that is back from a call into C, and a call of
librdkafka lasts as long as a cluster does not answer. So a thread watches for signals, too (the
interpreter's wakeup file descriptor), and ends the process when nobody else has. What that leaves
undone is what `kill -9` would: everything here can stand that.
"""

from __future__ import annotations

import logging
import os
import select
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from types import FrameType
from typing import NoReturn

from kmirror.clock import Clock
from kmirror.signal_mask import blocked
from kmirror.waits import long_waits

SIGNALS = frozenset({signal.SIGTERM, signal.SIGINT})

# The promise is 10 s.
_END_S_MAX = 9.5
# The main thread is in a call that does not come back, and has nothing to put in order.
_HANDLER_S_MAX = 1.5
# A wrapper may hand on what the terminal has sent to the whole group already.
_SAME_SIGNAL_S = 0.5
_LOOK_S = 0.25

# Set by the main thread, when it has come back from whatever call it was in.
_handled = threading.Event()
# A SIGHUP has come before anybody knew what it is to do.
_hung_up = threading.Event()


def exit_code(number: int) -> int:
    """Return the exit code that shells use for a process that a signal has ended."""
    return 128 + number


def on_signal(act: Callable[[int], None]) -> None:
    """
    Say what SIGTERM and Ctrl-C do, in the main thread; a second one ends the process at once.

    Args:
        act: Is given the signal.
    """

    def handle(number: int) -> None:
        _handled.set()
        act(number)

    handler = _one_at_a_time(handle)
    for number in SIGNALS:
        signal.signal(number, handler)


def _one_at_a_time(act: Callable[[int], None]) -> Callable[[int, FrameType | None], None]:
    """
    Return a handler in which no other signal is handled: one comes in the middle of another one's,
    and would wait for ever for the lock of an event that that one is about to set.
    """
    is_handling = False

    def handle(number: int, _frame: FrameType | None) -> None:
        nonlocal is_handling
        if is_handling:
            return  # it means the same
        is_handling = True
        try:
            act(number)
        finally:
            is_handling = False

    return handle


def keep_hangups() -> None:
    """
    Have SIGHUP kept for `on_hangup`: a service may be told to reload as soon as it is there.

    Where a terminal that hangs up sends it, it ends us.
    """
    on_hangup(_hung_up.set)


def on_hangup(act: Callable[[], None]) -> None:
    """
    Say what SIGHUP does, in the main thread, also one that was kept; a terminal's still ends us.

    Args:
        act: What to do.
    """
    if not sys.stdin.isatty():
        signal.signal(signal.SIGHUP, _one_at_a_time(lambda _: act()))
        if _hung_up.is_set():
            _hung_up.clear()
            act()


def on_hangup_end(act: Callable[[int], None]) -> None:
    """
    Have SIGHUP do what SIGTERM does, in the main thread, unless whoever started us ignores it.

    Args:
        act: Is given the signal.
    """
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        signal.signal(signal.SIGHUP, _one_at_a_time(act))


def interrupt(number: int) -> NoReturn:
    """Unwind the main thread: what commands do unless they know better."""
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    raise SystemExit(exit_code(number))


class SignalWatch:
    """
    Decides when a process that was told to end has had its time.

    Args:
        clock: Where time comes from.
        end: Ends the process; is given the exit code and why.
    """

    def __init__(self, clock: Clock, end: Callable[[int, str], None]) -> None:
        self._clock = clock
        self._end = end
        self._first: int | None = None
        self._came_s = 0.0
        self._is_kept = False

    def look(self, number: int | None, *, kept: int | None, handled: bool) -> None:
        """
        Look at the time.

        Args:
            number: A signal that has just come; `None` for none.
            kept: One that the process keeps for later; `None` for none.
            handled: The main thread has taken notice.
        """
        now_s = self._clock.monotonic_s()
        passed_s = now_s - self._came_s
        if self._first is None:
            self._first = kept if number is None else number
            self._came_s, self._is_kept = now_s, number is None
        elif number is not None and self._is_kept:
            self._is_kept = False  # that one
        elif number is not None and passed_s >= _SAME_SIGNAL_S:
            self._end(exit_code(number), "interrupted twice")
        elif passed_s >= (_END_S_MAX if handled or self._is_kept else _HANDLER_S_MAX):
            self._end(exit_code(self._first), "interrupted")


def background(work: Callable[[], None], name: str) -> None:
    """
    Start a thread that lasts as long as the process and takes no signal.

    While the main thread keeps signals for later, another one would lose them.

    Args:
        work: What it does.
        name: Its name.
    """
    with taking_no_signals():
        threading.Thread(target=work, name=name, daemon=True).start()


def taking_no_signals() -> AbstractContextManager[None]:
    """Have threads that are started in the block take no signal, nor those that they start."""
    return blocked(SIGNALS)


def watch_signals(clock: Clock) -> None:
    """
    See to it that the process ends in time after a signal; to be called in the main thread.

    Args:
        clock: Where time comes from.
    """
    on_signal(interrupt)
    ours, theirs = os.pipe()
    for end in (ours, theirs):
        os.set_blocking(end, False)
    signal.set_wakeup_fd(theirs, warn_on_full_buffer=False)
    watch = SignalWatch(clock, _end)

    def look() -> None:
        while True:
            for number in _came(ours) or (None,):
                kept = next(iter(signal.sigpending() & SIGNALS), None)
                watch.look(number, kept=kept, handled=_handled.is_set())

    background(look, "kmirror-signals")


def _came(pipe: int) -> list[int | None]:
    """Wait a moment; give the signals that have come."""
    ready, _, _ = select.select([pipe], [], [], _LOOK_S)
    return [number for number in os.read(pipe, 64) if number in SIGNALS] if ready else []


def _end(code: int, why: str) -> NoReturn:
    waits = "; ".join(map(str, long_waits(0.0)))
    os.write(2, f"kmirror: {why}{' while ' if waits else ''}{waits}\n".encode())
    os._exit(code)


def leave(code: int) -> NoReturn:
    """
    End the process: everything is in order, and what threads still wait for is nobody's concern.

    The interpreter's own end would wait for them.

    Args:
        code: The exit code.
    """
    logging.shutdown()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except BrokenPipeError:
        pass  # nobody reads any more
    os._exit(code)
