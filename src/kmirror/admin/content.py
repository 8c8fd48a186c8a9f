"""When a record and its copy are the same."""

from __future__ import annotations

import hashlib
import marshal
from collections.abc import Collection, Sequence

from confluent_kafka import TIMESTAMP_LOG_APPEND_TIME, Message

from kmirror.admin.reader import headers_of

_FORMAT = 2  # of marshal: the last one whose bytes depend on the values alone


def columns_of(
    ours: Sequence[Message], theirs: Sequence[Message], changed: Collection[str]
) -> tuple[str, ...]:
    """
    Return the columns in which a record and its copy agree.

    Args:
        ours, theirs: Records of both sides; the first ones tell who stamps them.
        changed: Those that the copy may have changed.
    """
    stamped = any(
        message.timestamp()[0] == TIMESTAMP_LOG_APPEND_TIME for message in (*ours[:1], *theirs[:1])
    )
    left_out = {*changed, *(["timestamp"] if stamped else [])}
    return tuple(c for c in ("key", "value", "headers", "timestamp") if c not in left_out)


def identity(message: Message, columns: Sequence[str]) -> bytes:
    """Return what is the same for two records when all *columns* are."""
    values = {
        "key": message.key(),
        "value": message.value(),
        "headers": headers_of(message),
        "timestamp": message.timestamp()[1],
    }
    text = marshal.dumps([values[column] for column in columns], _FORMAT)
    return hashlib.blake2b(text, digest_size=12).digest()
