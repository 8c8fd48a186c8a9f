"""Calls that may never end."""

from __future__ import annotations

import threading

import pytest

from kmirror.admin.bounded_call import call_within


def test_a_call_that_ends() -> None:
    """What it does is done when it returns."""
    done: list[int] = []
    call_within(10, lambda: done.append(1))
    assert done == [1]


def test_a_call_that_fails() -> None:
    """Its own error is raised."""

    def fail() -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        call_within(10, fail)


def test_a_call_without_an_end() -> None:
    """Nobody waits for it, the process neither."""
    ends = threading.Event()
    inside: list[threading.Thread] = []

    def hang() -> None:
        inside.append(threading.current_thread())
        ends.wait(30)

    with pytest.raises(TimeoutError):
        call_within(0.05, hang)
    assert inside[0].daemon
    ends.set()
    inside[0].join(10)
    assert not inside[0].is_alive()
