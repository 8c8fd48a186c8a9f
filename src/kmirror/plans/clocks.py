"""What the times that brokers write say of their clocks; pure."""

from __future__ import annotations

SKEW_MS = 1_000
"""Clocks that NTP sets are no further apart."""
STAMP_SETTING = "message.timestamp.type"
STAMPED_BY_BROKERS = "LogAppendTime"


def ahead_ms(newest_ms: int | None, stamped_by: str | None, now_ms: int) -> int | None:
    """
    Return how far a broker's clock is ahead of this machine's, at least, milliseconds.

    It is negative where the newest record is older than now, which says nothing of the clock; and
    `None` where the brokers do not write the times.

    Args:
        newest_ms: The largest timestamp of a topic; `None` where that is not known.
        stamped_by: Its `message.timestamp.type`.
        now_ms: The time here.
    """
    if newest_ms is None or stamped_by != STAMPED_BY_BROKERS:
        return None
    return newest_ms - now_ms
