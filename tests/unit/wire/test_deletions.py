"""What lies in the topic of deletions."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kmirror.model import Flow
from kmirror.wire.deletions import (
    GoneTopic,
    KnownSource,
    decode_deletion,
    deletions_topic,
    gone_topic_key,
)

GONE = GoneTopic(
    topic="orders",
    topic_id="old",
    copy="A.orders",
    copy_id="copy",
    seen_ms=5,
    by="ann",
    policy="delete-after=7d",
)


@pytest.mark.parametrize(
    "record",
    [
        GONE,
        replace(GONE, released_ms=7, released_by="ben"),
        replace(GONE, deleted_ms=9),
        KnownSource(cluster_id="abc"),
    ],
)
def test_what_is_written_is_read(record: GoneTopic | KnownSource) -> None:
    assert decode_deletion(*record.encode()) == record


def test_what_is_forgotten() -> None:
    """A key without a value."""
    assert decode_deletion(gone_topic_key("orders"), None) == "orders"


@pytest.mark.parametrize(
    ("key", "value"),
    [(None, None), (b"x", b"{}"), (b'["topic","a"]', b"{}"), (b'["source"]', b'{"cluster":1}')],
)
def test_what_is_none_of_ours(key: bytes | None, value: bytes | None) -> None:
    assert decode_deletion(key, value) is None


def test_its_name() -> None:
    assert deletions_topic(Flow("A", "B")) == "__kmirror-deletions-A-B"
