"""What Spark's JVM says, as lines of our own log, with the flow where Spark knows it."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable

from kmirror.clock import Clock
from kmirror.events.emit import emit
from kmirror.events.table import SPARK_LINE
from kmirror.schedule.throttle import Throttle

# The layout of `log4j2.properties`: names of threads have any other sign. A query's own thread has
# the flow in its name, tasks beside it; a client of Kafka's has its `client.id` there.
_LINE = re.compile(
    "\x1f".join(
        (
            "log4j",
            r"(?P<level>\w+)",
            *(f"(?P<{name}>[^\x1f]*)" for name in ("flow", "thread", "logger")),
            "(?P<words>.*)",
            "(?P<thrown>[^\x1f]*)",
        )
    )
)
_THREAD = re.compile(
    r"stream execution thread for (?P<query>\S+) generation|.* \| (?P<client>\S+)\|"
)
# What differs when the same is said again: who says it, to whom, how long it took.
_DETAILS = re.compile(r"^\[[^\]]*\] |\d+")
_LEVELS = {"WARN": logging.WARNING, "INFO": logging.INFO, "DEBUG": logging.DEBUG}
# The JVM says it whenever Spark asks for vector instructions.
_ROUTINE = "WARNING: Using incubator modules"


def log_lines(lines: Iterable[bytes], clock: Clock) -> None:
    """
    Log each line, until there are no more; what is said again and again, once a minute.

    A client of Kafka's that is refused says so each second.

    Args:
        lines: The JVM's standard output and standard error.
        clock: Where time comes from.
    """
    throttle = Throttle(clock)
    for line in lines:
        text = line.decode(errors="replace").rstrip("\r\n")
        if said := _LINE.fullmatch(text):
            _log(said, throttle)
        elif text and not text[0].isspace() and not text.startswith(_ROUTINE):
            # Nobody but the JVM itself writes without a layout: it is in trouble.
            emit(SPARK_LINE, level=logging.WARNING, line=f"spark: {text}", flow=None, logger="jvm")


def _log(said: re.Match[str], throttle: Throttle) -> None:
    flow = said["flow"] or _flow_of(said["thread"])
    level = _LEVELS.get(said["level"], logging.ERROR)
    kind = f"{flow} {level} {said['logger']} {_DETAILS.sub('', said['words'])}"
    # Who has asked for details gets all of them.
    if level >= logging.WARNING and not throttle.allows(kind):
        return
    words = ": ".join(
        filter(None, (said["logger"], said["words"], said["thrown"].removesuffix(r"\n")))
    )
    who = f"{flow}: spark" if flow else "spark"
    emit(
        SPARK_LINE,
        level=level,
        line=f"{who}: {words}",
        flow=flow or None,
        logger=said["logger"],
    )


def _flow_of(thread: str) -> str:
    """Return the flow that a thread's name tells; empty where it tells none."""
    found = _THREAD.match(thread)
    return "" if found is None else found["query"] or found["client"]
