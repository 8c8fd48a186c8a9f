"""Whatever the JVM writes becomes lines of our log, with the flow's name where it is known."""

from __future__ import annotations

import logging

import pytest

from kmirror.clock import ManualClock
from kmirror.pipeline.jvm_log import log_lines

_QUERY = "stream execution thread for A->B generation 3 [id = 1, runId = 2]"
_CLIENT = "kafka-producer-network-thread | A->B|kmirror"


def _line(*fields: str) -> str:
    """Write a line as log4j does."""
    return "\x1f".join(("log4j", *fields))


@pytest.mark.parametrize(
    ("line", "level", "words"),
    [
        (_line("WARN", "", "main", "Foo", "plain", ""), "WARNING", "spark: Foo: plain"),
        (
            _line(
                *("ERROR", "", "main", "Foo", r"two\nlines"),
                r"java.lang.IllegalStateException: a cause\n",
            ),
            "ERROR",
            r"spark: Foo: two\nlines: java.lang.IllegalStateException: a cause",
        ),
        (_line("FATAL", "A->B", "task 1", "Foo", "a|b", ""), "ERROR", "A->B: spark: Foo: a|b"),
        (_line("ERROR", "", _QUERY, "Foo", "lost", ""), "ERROR", "A->B: spark: Foo: lost"),
        (_line("ERROR", "", _CLIENT, "Foo", "lost", ""), "ERROR", "A->B: spark: Foo: lost"),
        (
            _line("ERROR", "", "kafka-admin-client-thread | adminclient-3", "Foo", "lost", ""),
            "ERROR",
            "spark: Foo: lost",
        ),
        (
            "java.lang.OutOfMemoryError: Java heap space",
            "WARNING",
            "spark: java.lang.OutOfMemoryError: Java heap space",
        ),
    ],
)
def test_a_line(line: str, level: str, words: str, caplog: pytest.LogCaptureFixture) -> None:
    """Of log4j's, or of the JVM's own."""
    log_lines([f"{line}\n".encode()], ManualClock())
    (record,) = caplog.records
    assert (record.levelname, record.getMessage()) == (level, words)


def test_what_is_said_again_and_again(caplog: pytest.LogCaptureFixture) -> None:
    """Once a minute and flow: whoever is refused says so each second, and has several clients."""
    clock = ManualClock()

    def said(again: int, level: str = "ERROR") -> int:
        caplog.clear()
        lines = [
            _line(level, "", client, "NetworkClient", f"[id={number}] Connection to {number}", "")
            for number in range(again)
            for client in (_CLIENT, _CLIENT.replace("A->B", "RA->RB"))
        ]
        log_lines((clock.advance(1) or line.encode() for line in lines), clock)
        return len(caplog.records)

    caplog.set_level(logging.DEBUG)
    assert said(30) == 2
    assert said(31) == 4
    assert said(30, "DEBUG") == 60, "who asks for details gets them"


def test_what_is_no_news(caplog: pytest.LogCaptureFixture) -> None:
    """Frames of a stack, and what the JVM says each time."""
    caplog.set_level(logging.DEBUG)
    log_lines(
        [
            b"WARNING: Using incubator modules: jdk.incubator.vector\n",
            b"\tat io.kmirror.lane.Lane.next(Lane.java:1)\n",
            b"\n",
        ],
        ManualClock(),
    )
    assert not caplog.records
