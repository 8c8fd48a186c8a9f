"""What a log line looks like, for people and for programs."""

from __future__ import annotations

import io
import json
import logging
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr
from datetime import UTC, datetime
from typing import Any

import pytest

from kmirror.cli.logs import LogFormat, LogLevel, log_for_people, log_for_services
from kmirror.clock import ManualClock
from kmirror.config.secret import Secret
from kmirror.errors import ClusterUnavailable, ConfigError, Problem
from kmirror.events.consumers import GROUP_OFFSETS_SYNCED
from kmirror.events.emit import emit
from kmirror.events.table import (
    FLOW_CRASHED,
    FLOW_INTERRUPTED,
    FLOW_PROGRESS,
    PARTITION_PARKED,
    RUN_REFUSED,
    RUN_STOPPED,
    WAIT_LASTING,
)
from kmirror.model import Flow
from kmirror.pipeline.jvm_log import log_lines

FLOW = Flow("A", "B")
Lines = Callable[[], list[dict[str, Any]]]


@pytest.fixture(autouse=True)
def _logging_as_before(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Lines go where the test looks, and nothing of that stays."""
    names = ("", "kmirror", "kmirror.events.wait", "py4j")
    loggers = [logging.getLogger(name) for name in names]
    levels, handlers = [each.level for each in loggers], loggers[0].handlers[:]
    for module, name in ((sys, "excepthook"), (threading, "excepthook")):
        monkeypatch.setattr(module, name, getattr(module, name))
    loggers[0].handlers.clear()  # so that `basicConfig` does not close pytest's own
    yield
    logging.captureWarnings(False)
    loggers[0].handlers[:] = handlers
    for logger, level in zip(loggers, levels, strict=True):
        logger.setLevel(level)


class Written:
    """What the command line writes on standard error."""

    def __init__(self) -> None:
        self._out = io.StringIO()

    def begin(self, configure: Callable[..., None], *options: object) -> None:
        """Have lines written from now on."""
        with redirect_stderr(self._out):
            configure(*options)

    def lines(self) -> list[str]:
        """Take what has come since the last look."""
        lines = self._out.getvalue().splitlines()
        self._out.seek(0)
        self._out.truncate()
        return lines


@pytest.fixture
def lines() -> Lines:
    """Give the objects on standard error; a line that is none fails."""
    written = Written()
    written.begin(log_for_services, LogLevel.INFO, LogFormat.JSON)
    return lambda: [json.loads(line) for line in written.lines()]


def test_an_object_has_the_fields_in_their_order(lines: Lines) -> None:
    """Who, where, what, and the same line that people see."""
    before = datetime.now(UTC)
    reason = "orders-3: offset 42: too large\nfor the target"
    emit(
        PARTITION_PARKED,
        reason=reason,
        kind="record_refused",
        offset=42,
        partition=3,
        topic="orders",
        flow=FLOW,
    )
    (line,) = lines()
    assert -1.0 < (datetime.fromisoformat(line["time"]) - before).total_seconds() < 60.0
    assert line["time"].endswith("Z")
    assert list(line.items())[1:] == [
        ("level", "ERROR"),
        ("event", "partition.parked"),
        ("flow", "A->B"),
        ("topic", "orders"),
        ("partition", 3),
        ("offset", 42),
        ("kind", "record_refused"),
        ("reason", reason),
        ("message", f"A->B: parked {reason}"),
    ]


def test_numbers_are_numbers_and_unknown_ones_are_left_out(lines: Lines) -> None:
    """For people they are rounded, and a question mark."""
    emit(
        FLOW_PROGRESS,
        flow=FLOW,
        state="running",
        status="copying",
        records_per_s=1234.5,
        bytes_per_s=1_100_000.0,
        lag_records=None,
    )
    (line,) = lines()
    assert line["message"] == "A->B: running (copying), 1234 records/s, 1.1 MB/s, lag ?"
    assert (line["records_per_s"], line["bytes_per_s"]) == (1234.5, 1_100_000.0)
    assert "lag_records" not in line


def test_a_line_for_people_is_one_event_whatever_a_name_holds() -> None:
    """Nobody writes a line of the log, or to the terminal, by what they call their group."""
    written = Written()
    written.begin(log_for_services, LogLevel.INFO, LogFormat.TEXT)
    forged = "g\x1b[2J\n2026-11-26 08:00:00,000 INFO    A->B: running"
    emit(PARTITION_PARKED, reason=forged, kind="k", offset=1, partition=0, topic="t", flow=FLOW)
    first, second = written.lines()
    assert first.endswith(" ERROR   A->B: parked g\\x1b[2J")
    assert second == "    2026-11-26 08:00:00,000 INFO    A->B: running"


def test_an_error_is_fields(lines: Lines) -> None:
    """Its text, its class; the trace when nobody foresaw it. All of it is one line."""
    away = ClusterUnavailable("cluster B (b:1) is away", hint="start it")
    emit(FLOW_INTERRUPTED, flow=FLOW, state="waiting", error=away, delay_s=4.6)
    try:
        raise KeyError("what\nelse")
    except KeyError as error:
        emit(FLOW_CRASHED, flow=FLOW, error=error, trace=error)
    foreseen, surprise = lines()
    assert foreseen["error"] == "cluster B (b:1) is away (start it)"
    assert foreseen["error_class"] == "ClusterUnavailable"
    assert foreseen["delay_s"] == 4.6
    assert "exception" not in foreseen
    assert (surprise["error_class"], surprise["message"]) == ("KeyError", "A->B: unexpected")
    assert surprise["exception"].startswith("Traceback (most recent call last):\n")
    assert __file__ in surprise["exception"]


def test_what_is_secret_stays_secret(lines: Lines) -> None:
    """As a field of its own, within a list, and of a file that is wrong."""
    secret = Secret("pass word")
    emit(RUN_REFUSED, error=ClusterUnavailable(f"login with {secret} failed"))
    emit(FLOW_INTERRUPTED, flow=FLOW, state=secret, error=KeyError(secret), delay_s=1.0)  # type: ignore[arg-type]  # whoever gave it was wrong
    problem = Problem(where="f:3", key="sasl.jaas.config", value=str(secret), expected="a login")
    emit(RUN_REFUSED, error=ConfigError((problem,)))
    found = lines()
    assert len(found) == 3
    assert "pass word" not in json.dumps(found)
    assert all("[hidden]" in json.dumps(line) for line in found)


def test_lines_of_others_are_objects_too(lines: Lines) -> None:
    """Of the JVM, of Python's libraries, and of Python itself."""
    query = "stream execution thread for A->B generation 3"
    log_lines(
        [
            "\x1f".join(("log4j", "ERROR", "", query, "Foo", "lost", "\n")).encode(),
            b"java.lang.OutOfMemoryError: Java heap space\n",
        ],
        ManualClock(),
    )
    logging.getLogger("pyspark.sql").warning("%s of %s\nis deprecated", "a", "b")
    logging.getLogger("py4j").error("Py4J raises what it says here")
    logging.getLogger().warning("and this")
    warnings.warn("old", DeprecationWarning, stacklevel=1)
    spark, jvm, library, *_ = found = lines()
    assert (spark["level"], spark["event"]) == ("ERROR", "spark.line")
    assert (spark["flow"], spark["logger"]) == ("A->B", "Foo")
    assert spark["message"] == "A->B: spark: Foo: lost"
    assert (jvm["level"], jvm["logger"], "flow" in jvm) == ("WARNING", "jvm", False)
    assert (library["event"], library["logger"]) == ("library.line", "pyspark.sql")
    assert library["message"] == "a of b\nis deprecated"
    assert [line["logger"] for line in found[3:]] == ["py.warnings"]


def test_a_thread_that_dies_says_so_in_one_line(lines: Lines) -> None:
    """Python would write its trace between the objects."""

    def dies() -> None:
        raise KeyError("what")

    thread = threading.Thread(target=dies)
    thread.start()
    thread.join()
    (line,) = lines()
    assert (line["event"], line["error_class"]) == ("run.crashed", "KeyError")
    assert "in dies" in line["exception"]


def test_lines_for_people() -> None:
    """Time, level and line; what is wrong with a file is a list and no log line."""
    written = Written()
    written.begin(log_for_services, LogLevel.INFO)
    emit(RUN_STOPPED)
    emit(GROUP_OFFSETS_SYNCED, flow=FLOW, group_count=3, duration_s=0.5)
    problem = Problem(where="f:3", key="tasks.max", value="x", expected="a number")
    emit(RUN_REFUSED, error=ConfigError((problem,)))
    first, *others = written.lines()
    assert first[:10] == datetime.now().astimezone().strftime("%Y-%m-%d")
    assert first[19] == ","
    assert first[24:] == "INFO    stopped, before Spark had started"
    assert others == ["1 problem in the configuration:", "  f:3: tasks.max = x: a number"]


def test_levels() -> None:
    """A command that is no service says only what goes wrong, and what is waited for."""

    written = Written()

    def said() -> list[str]:
        emit(RUN_STOPPED)
        emit(WAIT_LASTING, line="waiting for it", waits="for it", doing=None)
        emit(PARTITION_PARKED, flow=FLOW, topic="t", partition=0, offset=None, kind="k", reason="r")
        return written.lines()

    written.begin(log_for_people)
    assert said() == ["kmirror: waiting for it", "kmirror: A->B: parked r"]
    written.begin(log_for_services, LogLevel.WARNING)
    (line,) = said()
    assert line.endswith("ERROR   A->B: parked r")
    written.begin(log_for_services, LogLevel.DEBUG)
    assert len(said()) == 3
