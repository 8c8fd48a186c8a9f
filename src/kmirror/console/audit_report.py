"""What an audit has found as one page that needs nothing else, to keep or to send."""

from __future__ import annotations

import threading
from importlib.util import find_spec
from pathlib import Path

from kmirror.audit.standing import FlowStanding
from kmirror.clock import Clock
from kmirror.errors import EnvironmentProblem

_DRAWS = "matplotlib"
# Whoever draws changes settings of the library that are there once.
_one_draws = threading.Lock()


def can_report() -> bool:
    """Whether what draws pages is installed: it is an extra."""
    return find_spec(_DRAWS) is not None


def audit_report(found: FlowStanding, key: Path | None, by: str, clock: Clock) -> bytes:
    """
    Write the page.

    Args:
        found: What is told.
        key: The file with the private key that it is signed with; `None` for none.
        by: Who writes it, for people.
        clock: Where time comes from.

    Raises:
        EnvironmentProblem: The key cannot be read, or what draws the page is not installed.
    """
    if not can_report():
        raise EnvironmentProblem(f"{_DRAWS} is missing", hint="pip install 'kmirror[pages]'")
    # Nothing else of a console draws or signs: it need not wait for that.
    from kmirror.audit.report import drawn_report  # noqa: PLC0415
    from kmirror.audit.seal import read_private_key  # noqa: PLC0415

    private = None if key is None else read_private_key(key)
    with _one_draws:
        return drawn_report([found], at_ms=clock.wall_ms(), by=by, private=private)
