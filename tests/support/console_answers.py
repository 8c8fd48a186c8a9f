"""What clusters might answer to a console: for pages whose clusters are not there."""

from __future__ import annotations

import time

from kmirror.api.left_out import LeftOutList, LeftOutView, LetterView
from kmirror.api.moves import (
    LossView,
    MovePlaceView,
    MovePlanView,
    MoveRequest,
    MoveVerb,
    TopicLossView,
)
from kmirror.api.topic_answers import (
    ExplanationView,
    LogView,
    ReasonView,
    RecordList,
    RecordView,
    SettingPairView,
    TopicSettingsView,
)
from kmirror.api.topic_answers import RecordPairView as Pair
from kmirror.console.topic_questions import HeaderView, content

EVIL = "<img src=x onerror=alert(1)><script>alert(2)</script>"


def explanation() -> ExplanationView:
    """Give a topic that is copied in part, with words that nobody should run."""
    return ExplanationView(
        flow="A->B",
        topic="topic-0000",
        copy="A.topic-0000",
        verdict="partly mirrored",
        partitions=3,
        lag_records=1240,
        as_of_ms=_now_ms(),
        reasons=(
            ReasonView(
                kind="paused",
                words=f"partition 1 stands still: paused, ops@10.0.0.7: {EVIL}",
                do="`kmirror resume` ends that",
            ),
            ReasonView(
                kind="missing_right",
                words="B: User:mirror may not Write on topic A.topic-0000",
                do="have an administrator of B run this",
                commands=(
                    "kafka-acls.sh --bootstrap-server b:9092 \\\n    --add --allow-principal "
                    "User:mirror --operation Write \\\n    --topic A.topic-0000",
                ),
            ),
            ReasonView(kind="selected", words="topic-.* in topics (mm2.properties:4) names it"),
        ),
    )


def records() -> RecordList:
    """Give records that are copied, filtered, and late; some are no text."""
    now_ms = _now_ms()

    def record(offset: int, age_s: int, key: bytes | None, value: bytes | None) -> RecordView:
        names = (("traceparent", b"00-4bf92f3577b34da6"), (EVIL, b"\x00\xff"), ("empty", None))
        headers = names if offset % 2 else ()
        return RecordView(
            offset=offset,
            at_ms=now_ms - age_s * 1000,
            key=content(key, None),
            value=content(value, None),
            headers=tuple(HeaderView(name=n, value=content(v, None)) for n, v in headers),
            header_count=len(headers),
        )

    order = b'{"order": 4711, "customer": "Gr\xc3\xbc\xc3\x9fe", "total": 129.90}'
    long = content(b"x" * 300, 1_048_576)
    large = RecordView(
        offset=1004, at_ms=now_ms - 3000, key=None, value=long, headers=(), header_count=0
    )
    return RecordList(
        flow="A->B",
        partition=0,
        as_of_ms=now_ms,
        position=1004,
        source=LogView(cluster="A", topic="topic-0000", start=120, end=1005),
        target=LogView(cluster="B", topic="A.topic-0000", start=0, end=912),
        records=(
            Pair(
                presence="both",
                source=record(1001, 20, b"customer-7", order),
                target=record(909, 20, b"customer-7", order),
            ),
            Pair(
                presence="only on the source",
                source=record(1002, 15, b"\x00\x00\x00\x07", b"\xde\xad\xbe\xef" * 12),
                target=None,
            ),
            Pair(
                presence="both",
                source=record(1003, 9, None, EVIL.encode()),
                target=record(911, 9, None, EVIL.encode()),
            ),
            Pair(presence="not copied yet", source=large, target=None),
        ),
    )


def topic_settings() -> TopicSettingsView:
    """Give settings that differ, are equal, and stay as they are."""

    def pair(name: str, source: str, target: str | None, why: str = "") -> SettingPairView:
        return SettingPairView(
            name=name,
            source=source,
            source_by="the topic",
            target=target,
            target_by="" if target is None else "the brokers",
            differs=source != target,
            is_own=name != "segment.ms",
            would_change=name == "retention.ms",
            becomes=source if name == "retention.ms" else "",
            why=why,
        )

    return TopicSettingsView(
        flow="A->B",
        topic="topic-0000",
        copy="A.topic-0000",
        as_of_ms=_now_ms(),
        is_synced=True,
        partitions=3,
        copy_partitions=3,
        replicas=3,
        copy_replicas=2,
        settings=(
            pair("retention.ms", "86400000", "604800000", "as topic-0000 has it"),
            pair("local.retention.ms", "5", None, f"the brokers have no remote store {EVIL}"),
            pair("cleanup.policy", "compact", "compact"),
            pair("segment.ms", "7", "7"),
        ),
    )


def move_plan(asked: MoveRequest) -> MovePlanView:
    """Give what a move would do: some records are late, and read again."""
    places = [
        MovePlaceView(
            group=group,
            topic="topic-0000",
            partition=partition,
            offset=offset,
            copy="A.topic-0000",
            goes_on=offset - 90,
            committed=None if partition else offset - 120,
            is_set=True,
            lacks=120 * partition,
            reads_again=20 * partition,
        )
        for group, offset in (("billing", 10_240), (EVIL, 7_311))
        for partition in range(2)
    ]
    return MovePlanView(
        flow="A->B",
        kind=asked.kind,
        here="A",
        there="B",
        as_of_ms=_now_ms(),
        why_not="groups still have members on A: billing" if asked.kind is MoveVerb.PROMOTE else "",
        hint="stop these applications" if asked.kind is MoveVerb.PROMOTE else "",
        trouble="",
        owner="driver-host:7 (driver 3f2a)",
        is_held=False,
        active=("billing",),
        lag_records=120,
        loss=LossView(
            records=120,
            age_s=4.2,
            words="120 records, the oldest 4.2 s old",
            sentences=(
                "these are on A and not on B yet: lost if A never comes back, otherwise they come "
                "after `kmirror failback`",
                "billing has read 20 of them on A and will read them again",
            ),
            topics=(TopicLossView(topic="topic-0000", records=120, age_s=4.2),),
        ),
        places=tuple(places),
        left=(),
        unknown=(),
    )


def left_out() -> LeftOutList:
    """Give a record that was too large, one that nobody kept, and a gap that stops a copy."""
    now_ms = _now_ms()

    def gap(kind: str, offset: int, reaction: str, reason: str, letter: int | None) -> LeftOutView:
        return LeftOutView(
            topic="topic-0000",
            partition=offset % 3,
            copy="A.topic-0000",
            kind=kind,
            log="source",
            start=offset,
            end=offset + 1,
            records=1,
            reaction=reaction,
            is_parked=reaction == "park",
            reason=reason,
            at_ms=now_ms - offset * 1000,
            letter=letter,
            replayed_ms=now_ms if letter == 6 else None,
            replayed_by="ops@10.0.0.7" if letter == 6 else "",
        )

    keyless = f"A.topic-0000 is compacted, and it has no key {EVIL}"
    large = "topic-0000-1 offset 1240: 1,048,700 bytes are more than max.message.bytes"
    return LeftOutList(
        flow="A->B",
        as_of_ms=now_ms,
        total=4,
        gaps=(
            gap("too_large", 1240, "dlq", large, 7),
            gap("too_large", 1238, "dlq", large, 6),
            gap("no_key", 3311, "skip", keyless, None),
            gap("overtaken", 9000, "park", "offsets 9000 to 9000 are gone from the source", None),
        ),
    )


def letter() -> LetterView:
    """Give a dead letter, of which a part was kept."""
    now_ms = _now_ms()
    return LetterView(
        number=7,
        flow="A->B",
        topic="topic-0000",
        partition=1,
        offset=1240,
        target="A.topic-0000",
        at_ms=now_ms - 60_000,
        timestamp_ms=now_ms - 61_000,
        reason="too_large",
        words="the record has 1,048,700 bytes, and max.message.bytes is 1,048,588",
        size_bytes=1_048_700,
        is_truncated=True,
        key=content(b"customer-7", None),
        value=content(EVIL.encode(), 1_048_676),
        headers=(HeaderView(name="traceparent", value=content(b"\x00\x01", None)),),
        header_count=1,
    )


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
