"""One example of each cause for which lanes park: as a lane writes it, and as people read it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

_TOO_LARGE = {"error": "RecordTooLargeException", "message": "The message is 5075 bytes."}


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """
    One cause.

    Args:
        wire: The fields of a report; `io.kmirror.driver.ParkingTest` makes the same.
        words: What stands behind the partition's name, without the choices.
        at: The offset of which they speak.
    """

    wire: dict[str, Any]
    words: str
    at: int | None = None


EXAMPLES = (
    Example(
        wire={"code": "position_missing", "group": "__kmirror-A-B"},
        words="no position in group __kmirror-A-B",
    ),
    Example(
        wire={"code": "topic_recreated"},
        words="its position belongs to a topic that is gone",
    ),
    Example(
        wire={"code": "data_gap", "offset": 7},
        words="the source has no offset 7 any more",
        at=7,
    ),
    Example(
        wire={"code": "log_truncated", "offset": 40, "end": 50},
        words="the source no longer has the offsets 40 to 49 that were copied",
        at=40,
    ),
    Example(
        wire={"code": "log_truncated", "end": 50},
        words="the source no longer has the offsets before 50 that were copied",
    ),
    Example(
        wire={
            "code": "target_lost_records",
            "topic": "A.t",
            "partition": 3,
            "offset": 0,
            "end": 5_000_000_000,
        },
        words="target A.t-3 lost offsets 0 to 4999999999, which it had acknowledged",
        at=0,
    ),
    Example(
        wire={
            "code": "damaged_batch",
            "offset": 200,
            "error": "CorruptRecordException",
            "message": "Record is corrupt.",
        },
        words="offset 200: Record is corrupt.",
        at=200,
    ),
    Example(
        wire={"code": "record_refused", "offset": 10, **_TOO_LARGE},
        words="offset 10: target: The message is 5075 bytes.",
        at=10,
    ),
    Example(
        wire={
            "code": "not_authorized",
            "error": "TopicAuthorizationException",
            "message": "Not authorized to access topics: [t]",
        },
        words="source: Not authorized to access topics: [t]",
    ),
    Example(
        wire={
            "code": "target_refuses_partition",
            "error": "UnknownTopicOrPartitionException",
            "message": "",
        },
        words="target: UnknownTopicOrPartitionException",
    ),
)


def wire_of_all() -> str:
    """Return what lanes write of all of them, as a JSON array."""
    return json.dumps([each.wire for each in EXAMPLES])
