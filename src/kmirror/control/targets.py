"""What `--to` may say: where a partition shall go on; pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from kmirror.errors import OrderRefused

# Of a Java long.
_DIGITS_MAX = 19


@dataclass(frozen=True, slots=True, kw_only=True)
class SeekTarget:
    """
    Where partitions shall go on; one of the three.

    Args:
        end: `earliest` or `latest`; empty otherwise.
        offset: An offset.
        at_ms: The first record that is not older, milliseconds since the epoch.
    """

    end: str = ""
    offset: int | None = None
    at_ms: int | None = None


def seek_target(text: str) -> SeekTarget:
    """
    Read what somebody wrote.

    Args:
        text: `earliest`, `latest`, an offset, or a time as ISO 8601 has it, in UTC unless it says
            otherwise.

    Raises:
        OrderRefused: It is none of these.
    """
    if text in {"earliest", "latest"}:
        return SeekTarget(end=text)
    if text.isascii() and text.isdigit() and len(text) <= _DIGITS_MAX:
        return SeekTarget(offset=int(text))
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        raise OrderRefused(
            f"--to {text}: expected earliest, latest, an offset such as 1200, or a time such as "
            "2026-05-01T12:00"
        ) from None
    at = at if at.tzinfo is not None else at.replace(tzinfo=UTC)
    return SeekTarget(at_ms=int(at.timestamp() * 1000))
