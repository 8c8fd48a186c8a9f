"""`kmirror`: runs what is typed, and ends the process."""

from __future__ import annotations

import sys

from kmirror.cli import ending, notices
from kmirror.cli.logs import log_for_people
from kmirror.cli.verbs import program
from kmirror.clock import SystemClock

# They stay until somebody ends them, and may be told to read their files again.
_SERVICES = frozenset({"run", "connect", "resolve"})


def main() -> None:
    """Run the command line."""
    clock = SystemClock()
    ending.watch_signals(clock)
    if sys.argv[1:] and sys.argv[1] in _SERVICES:
        ending.keep_hangups()
    log_for_people()
    notices.begin(clock)
    code = 1
    try:
        program(sys.argv[1:])()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
        if isinstance(end.code, str):
            sys.stderr.write(f"{end.code}\n")
    except BaseException:  # noqa: BLE001 - the interpreter would do the same with it
        sys.excepthook(*sys.exc_info())
    ending.leave(code)
