"""Where log lines go, and which."""

from __future__ import annotations

import logging
import sys
from enum import StrEnum

from kmirror.cli import notices


class LogLevel(StrEnum):
    """What `logging` calls them, in lower case."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


def log_for_people() -> None:
    """Say on stderr what goes wrong, and what is waited for: for commands that are no service."""
    _to_stderr("kmirror: %(message)s", logging.WARNING, LogLevel.WARNING)
    notices.log.setLevel(logging.INFO)


def log_for_services(level: LogLevel) -> None:
    """
    Log lines to stderr, one line each; what others log is never more than INFO.

    Args:
        level: The least important ones that are written.
    """
    ours = logging.getLevelNamesMapping()[level.upper()]
    _to_stderr("%(asctime)s %(levelname)-7s %(message)s", max(ours, logging.INFO), level)
    notices.log.setLevel(logging.NOTSET)


def _to_stderr(form: str, others: int, ours: LogLevel) -> None:
    logging.basicConfig(level=others, format=form, stream=sys.stderr, force=True)
    logging.getLogger("kmirror").setLevel(ours.upper())
    # What Py4J has to say, in part as the root logger, it raises too.
    logging.getLogger("py4j").setLevel(logging.CRITICAL)
    for handler in logging.getLogger().handlers:
        handler.addFilter(lambda record: record.name != "root")
