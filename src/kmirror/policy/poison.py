"""What a flow does with a record that the target never takes, and with a damaged batch."""

from __future__ import annotations

from enum import Enum

_DLQ_PREFIX = "kmirror-dlq."


class Poison(Enum):
    """
    The choices; the values are the file's (`io.kmirror.driver.Poison`).

    Their order is that of harm: the first one gives up nothing.
    """

    PARK = "park"
    """The partition stands still before it."""
    SKIP = "skip"
    """The partition goes on without it."""
    DLQ = "dlq"
    """The same, and it is kept in the topic for dead letters."""


def dlq_topic(source: str) -> str:
    """Name the topic on the target for what copies of *source* go on without."""
    return f"{_DLQ_PREFIX}{source}"


def is_dlq_topic(topic: str) -> bool:
    """Whether *topic* is one of these."""
    return topic.startswith(_DLQ_PREFIX)
