"""Whatever the JVM writes becomes lines of our log, with the flow's name where it is known."""

from __future__ import annotations

import logging

import pytest

from kmirror.pipeline.jvm_log import log_lines

_QUERY = "stream execution thread for A->B generation 3 [id = 1, runId = 2]"


@pytest.mark.parametrize(
    ("line", "level", "words"),
    [
        ("log4j|WARN||main|Foo|plain|", "WARNING", "spark: Foo: plain"),
        (
            r"log4j|ERROR||main|Foo|two\nlines|java.lang.IllegalStateException: a cause\n",
            "ERROR",
            r"spark: Foo: two\nlines: java.lang.IllegalStateException: a cause",
        ),
        ("log4j|FATAL|A->B|task 1|Foo|a|b|", "ERROR", "A->B: spark: Foo: a|b"),
        (f"log4j|ERROR||{_QUERY}|Foo|lost|", "ERROR", "A->B: spark: Foo: lost"),
        (
            "java.lang.OutOfMemoryError: Java heap space",
            "WARNING",
            "spark: java.lang.OutOfMemoryError: Java heap space",
        ),
    ],
)
def test_a_line(line: str, level: str, words: str, caplog: pytest.LogCaptureFixture) -> None:
    """Of log4j's, or of the JVM's own."""
    log_lines([f"{line}\n".encode()])
    (record,) = caplog.records
    assert (record.levelname, record.getMessage()) == (level, words)


def test_what_is_no_news(caplog: pytest.LogCaptureFixture) -> None:
    """Frames of a stack, and what the JVM says each time."""
    caplog.set_level(logging.DEBUG)
    log_lines(
        [
            b"WARNING: Using incubator modules: jdk.incubator.vector\n",
            b"\tat io.kmirror.lane.Lane.next(Lane.java:1)\n",
            b"\n",
        ]
    )
    assert not caplog.records
