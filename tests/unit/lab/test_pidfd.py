"""Handles of processes: a number that a thread has is nobody's."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest
from kmirror_lab.process import process
from kmirror_lab.process.pidfd import pidfd_of


@pytest.fixture
def thread_number() -> Iterator[int]:
    """Start a thread, and give its number: it lives as long as the test."""
    end = threading.Event()
    thread = threading.Thread(target=end.wait, args=(60,))
    thread.start()
    assert thread.native_id is not None
    yield thread.native_id
    end.set()
    thread.join()


def test_a_process_has_one() -> None:
    handle = pidfd_of(os.getpid())
    assert handle is not None
    os.close(handle)


def test_a_thread_or_a_process_that_is_gone_has_none(thread_number: int) -> None:
    assert pidfd_of(thread_number) is None
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait(60)
    assert pidfd_of(gone.pid) is None


def test_a_number_that_went_to_a_thread_is_left_alone(thread_number: int) -> None:
    """Who had it has ended."""
    before = process.ProcessId(pid=thread_number, started=1)
    assert not process.send(before, signal.SIGKILL)
    assert process.wait_end(before, timeout_s=1)
    process.kill(before)
