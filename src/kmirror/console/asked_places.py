"""Where in a log somebody wants to look, and in which one, as they have typed it."""

from __future__ import annotations

from kmirror.control.targets import SeekTarget, seek_target
from kmirror.errors import BadRequest, OrderRefused

SIDES = ("source", "target")


def asked_place(text: str) -> SeekTarget:
    """
    Read what somebody has typed.

    Args:
        text: `earliest`, `latest`, an offset, or a time; as `--to` of `kmirror seek`.

    Raises:
        BadRequest: It is none of these.
    """
    try:
        return seek_target(text)
    except OrderRefused as error:
        raise BadRequest(str(error).replace("--to", "at:", 1)) from error


def is_on_target(side: str | None) -> bool:
    """
    Read which cluster somebody means; the source, if nothing is said.

    Args:
        side: One of `SIDES`.

    Raises:
        BadRequest: It is none of these.
    """
    if side not in {None, *SIDES}:
        raise BadRequest(f"side: expected {' or '.join(SIDES)}")
    return side == "target"
