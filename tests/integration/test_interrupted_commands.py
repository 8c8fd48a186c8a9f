"""SIGTERM and Ctrl-C while a cluster is away: a command says what it waits for, and ends soon."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from tests.support.driver import KMIRROR, Driver, start_logged, write_properties

# Unit tests hold the 5 s and 10 s that are promised; a busy machine may take longer.
_SAYS_S_MAX = 30.0
_END_S_MAX = 20.0
_WAITS = r"waiting for (cluster [AB] \(127\.0\.0\.1:\d+\)|Kafka's own tool): "

# Whether it refuses connections, or takes them and never answers; and how the command is ended.
_COMMANDS = [
    ("silent", signal.SIGINT, "status FILE"),
    ("refuses", signal.SIGTERM, "verify FILE"),
    ("silent", signal.SIGINT, "tune FILE --measure"),
    ("silent", signal.SIGTERM, "check stretch FILE"),
    ("silent", signal.SIGINT, "offsets show FILE"),
    ("refuses", signal.SIGTERM, "offsets reset FILE --execute"),
    ("refuses", signal.SIGINT, "failover FILE A->B"),
    ("silent", signal.SIGTERM, "failover FILE A->B --abort"),
    ("silent", signal.SIGINT, "promote FILE A->B --drill"),
    ("refuses", signal.SIGINT, "failback FILE A->B --dry-run"),
    ("silent", signal.SIGINT, "lab quota ADDRESS client --remove"),
]


@contextmanager
def _away(how: str) -> Iterator[str]:
    with closing(socket.socket()) as place:
        place.bind(("127.0.0.1", 0))
        if how == "silent":
            place.listen(100)
        yield f"127.0.0.1:{place.getsockname()[1]}"


def _start(folder: Path, command: str, address: str) -> Driver:
    file = write_properties(folder, address, address)
    words = [{"FILE": str(file), "ADDRESS": address}.get(word, word) for word in command.split()]
    return start_logged([KMIRROR, *words], folder / "output.log", folder / "tmp")


@pytest.mark.parametrize(("how", "number", "command"), _COMMANDS)
def test_it_says_what_it_waits_for_and_ends(
    how: str, number: signal.Signals, command: str, tmp_path: Path
) -> None:
    """The exit code is a shell's; nothing of it stays, and no trace is shown."""
    with _away(how) as address:
        process = _start(tmp_path, command, address)
        try:
            process.wait_for_line("waiting for ", timeout_s=_SAYS_S_MAX)
            process.wait_for_line(_WAITS)  # a JVM may come before
            os.kill(process.pid, number)
            assert process.wait_exit(timeout_s=_END_S_MAX) == 128 + number, process.text
            process.wait_until_gone(timeout_s=_END_S_MAX)
            assert not process.lines("Traceback|Error"), process.text
        finally:
            process.kill()
