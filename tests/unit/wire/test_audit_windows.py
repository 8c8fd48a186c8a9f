"""Windows, as they are written down."""

from __future__ import annotations

import pytest

from kmirror.model import TopicPartition
from kmirror.wire.audit_windows import AuditVerdict, AuditWindow, Hashed, decode_window
from kmirror.wire.audits import Audit, audit_place, decode_audit

WINDOW = AuditWindow(
    partition=TopicPartition("t", 3),
    target=TopicPartition("A.t", 3),
    topic_id="s",
    copy_id="c",
    start=10,
    end=20,
    copy_start=11,
    copy_end=22,
    verdict=AuditVerdict.MISSING,
    source=Hashed(records=10, bytes=99, hash="ab", content_hash="cd"),
    copy=Hashed(records=9, bytes=90, hash="ef", content_hash="01"),
    kind="missing",
    offset=15,
    copy_offset=None,
    words="1 record is missing",
    at_ms=7,
    by="ann",
)


def test_what_is_written_is_read() -> None:
    assert decode_window(*WINDOW.encode()) == WINDOW
    # Neither is taken for the other.
    assert decode_audit(*WINDOW.encode()) is None
    assert audit_place(WINDOW.key) is None


@pytest.mark.parametrize(
    ("key", "value"), [(None, None), (b"x", b"{}"), (b'["t",0]', b"{}"), (b'["t",0,1]', b"{}")]
)
def test_what_is_none_of_ours(key: bytes | None, value: bytes | None) -> None:
    assert decode_window(key, value) is None


def test_where_an_audit_goes_on() -> None:
    audit = Audit(
        partition=WINDOW.partition,
        topic_id="s",
        copy_id="c",
        ranges=((0, 30),),
        at_ms=1,
        by="x",
        next=(5, 6),
    )
    assert decode_audit(*audit.encode()) == audit
    assert audit.without_range(10, 20).ranges == ((0, 10), (20, 30))
    assert audit.without_range(0, 99).ranges == ()
