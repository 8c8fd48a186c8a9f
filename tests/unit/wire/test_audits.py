"""What was found identical, as it is written down."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kmirror.model import Flow, TopicPartition
from kmirror.wire.audits import Audit, audit_topic, decode_audit

NOTHING = Audit(
    partition=TopicPartition("t", 3), topic_id="s", copy_id="c", ranges=(), at_ms=5, by="ann"
)


def test_ranges_that_touch_are_one() -> None:
    audit = NOTHING.with_range(0, 10).with_range(20, 30).with_range(10, 12).with_range(5, 5)
    assert audit.ranges == ((0, 12), (20, 30))
    assert audit.with_range(11, 25).ranges == ((0, 30),)
    assert [audit.end_of(at) for at in (0, 12, 13, 20, 31)] == [12, 12, None, 30, None]


def test_what_is_written_is_read() -> None:
    audit = NOTHING.with_range(0, 10).with_range(20, 30)
    assert decode_audit(*audit.encode()) == audit
    key, _ = audit.encode()
    assert decode_audit(key, replace(NOTHING).encode()[1]) == NOTHING


@pytest.mark.parametrize(
    ("key", "value"), [(None, None), (b"x", b"{}"), (b'["t",0]', b"{}"), (b'["t"]', b'{"id":"a"}')]
)
def test_what_is_none_of_ours(key: bytes | None, value: bytes | None) -> None:
    assert decode_audit(key, value) is None


def test_its_name() -> None:
    assert audit_topic(Flow("A", "B")) == "__kmirror-audit-A-B"
