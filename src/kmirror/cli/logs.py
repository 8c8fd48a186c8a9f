"""Where log lines go, which, and in which form."""

from __future__ import annotations

import logging
import sys
import threading
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Any

import typer
from structlog.processors import JSONRenderer, format_exc_info
from structlog.stdlib import ProcessorFormatter
from structlog.typing import EventDict

from kmirror.errors import one_line
from kmirror.events.emit import LOGGER, Occurrence, emit
from kmirror.events.fields import LINE, Fields
from kmirror.events.table import LIBRARY_LINE, RUN_CRASHED, RUN_REFUSED

_WAITS = f"{LOGGER}.wait"
# Lists of what is wrong have lines: they stand below their event, where no other event can stand.
_CONTINUED = "\n    "
_REFUSED = f"{LOGGER}.{RUN_REFUSED.name}"


class LogLevel(StrEnum):
    """What `logging` calls them, in lower case."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class LogFormat(StrEnum):
    """How a line is written."""

    TEXT = "text"
    JSON = "json"


LevelOption = Annotated[LogLevel, typer.Option(help="Lowest level of log lines to write.")]
FormatOption = Annotated[
    LogFormat, typer.Option(help="Log lines for people, or one JSON object a line.")
]


def log_for_people() -> None:
    """Say on stderr what goes wrong, and what is waited for: for commands that are no service."""
    _to_stderr(_TextLines("kmirror: %(message)s"), logging.WARNING, LogLevel.WARNING)
    logging.getLogger(_WAITS).setLevel(logging.INFO)


def log_for_services(level: LogLevel, form: LogFormat = LogFormat.TEXT) -> None:
    """
    Log lines to stderr, one line each; what others log is never more than INFO.

    Args:
        level: The least important ones that are written.
        form: How they are written; as JSON, traces and warnings of Python's are lines, too.
    """
    is_json = form is LogFormat.JSON
    lines = json_lines() if is_json else _TextLines("%(asctime)s %(levelname)-7s %(message)s")
    logging.captureWarnings(is_json)
    sys.excepthook = _say_crash if is_json else sys.__excepthook__
    threading.excepthook = _say_thread_crash if is_json else threading.__excepthook__
    ours = logging.getLevelNamesMapping()[level.upper()]
    _to_stderr(lines, max(ours, logging.INFO), level)
    logging.getLogger(_WAITS).setLevel(logging.NOTSET)


def json_lines() -> logging.Formatter:
    """Give what writes a log record as one JSON object: time, level, event, fields, message."""
    return ProcessorFormatter(
        processors=[_as_object, format_exc_info, JSONRenderer(default=str)],
        pass_foreign_args=True,
    )


class _TextLines(logging.Formatter):
    """One line begins one event: no name, and no error of others, ends it or controls anything."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's name
        record.message = _CONTINUED.join(map(one_line, record.message.splitlines()))
        return super().formatMessage(record)

    def format(self, record: logging.LogRecord) -> str:
        # The list of what is wrong with a file is for people, whoever keeps the log.
        return record.getMessage() if record.name == _REFUSED else super().format(record)


def _as_object(_logger: Any, _method: str, line: EventDict) -> EventDict:
    """Lay out an event's fields, or the line of a library that knows nothing of events."""
    record: logging.LogRecord = line["_record"]
    at = datetime.fromtimestamp(record.created, UTC)
    match line["positional_args"]:
        case (Occurrence() as occurrence,):
            name, fields = occurrence.event.name, occurrence.fields
        case _:
            name, fields = LIBRARY_LINE.name, {"logger": record.name}
    known = ((key, fields[key]) for key in Fields.__annotations__ if key in fields)
    found = {key: value for key, value in known if value is not None and key != LINE}
    if isinstance(error := found.get("error"), BaseException):
        found |= {"error": str(error), "error_class": type(error).__name__}
    if "exc_info" in line:
        found["exc_info"] = line["exc_info"]
    return {
        "time": at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "level": record.levelname,
        "event": name,
        **found,
        "message": line["event"],
    }


def _say_crash(_kind: object, error: BaseException, _trace: object) -> None:
    emit(RUN_CRASHED, error=error, trace=error)


def _say_thread_crash(ended: threading.ExceptHookArgs) -> None:
    error = ended.exc_value or ended.exc_type()
    emit(RUN_CRASHED, error=error, trace=error)


def _to_stderr(lines: logging.Formatter, others: int, ours: LogLevel) -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(lines)
    # What Py4J has to say, in part as the root logger, it raises too.
    handler.addFilter(lambda record: record.name != "root")
    logging.basicConfig(level=others, handlers=[handler], force=True)
    logging.getLogger("kmirror").setLevel(ours.upper())
    logging.getLogger("py4j").setLevel(logging.CRITICAL)
