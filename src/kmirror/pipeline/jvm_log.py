"""What Spark's JVM says, as lines of our own log, with the flow where Spark knows it."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable

from kmirror.events.emit import emit
from kmirror.events.table import SPARK_LINE

# The layout of `log4j2.properties`. A query's own thread has the flow in its name, tasks beside it.
_LINE = re.compile(
    r"log4j\|(?P<level>\w+)\|(?P<flow>[^|]*)\|(?P<thread>[^|]*)\|(?P<logger>[^|]*)"
    r"\|(?P<words>.*)\|(?P<thrown>[^|]*)"
)
_QUERY = re.compile(r"stream execution thread for (?P<flow>\S+) generation")
_LEVELS = {"WARN": logging.WARNING, "INFO": logging.INFO, "DEBUG": logging.DEBUG}
# The JVM says it whenever Spark asks for vector instructions.
_ROUTINE = "WARNING: Using incubator modules"


def log_lines(lines: Iterable[bytes]) -> None:
    """
    Log each line, until there are no more.

    Args:
        lines: The JVM's standard output and standard error.
    """
    for line in lines:
        text = line.decode(errors="replace").rstrip()
        if said := _LINE.fullmatch(text):
            query = _QUERY.match(said["thread"])
            flow = said["flow"] or (query["flow"] if query else "")
            level = _LEVELS.get(said["level"], logging.ERROR)
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
        elif text and not text[0].isspace() and not text.startswith(_ROUTINE):
            # Nobody but the JVM itself writes without a layout: it is in trouble.
            emit(SPARK_LINE, level=logging.WARNING, line=f"spark: {text}", flow=None, logger="jvm")
