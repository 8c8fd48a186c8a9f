"""What the API says of one topic: why it is copied, or not, and its records on both sides."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasonView:
    """
    Why a topic is copied, or is not.

    Args:
        kind: One word, for programs.
        words: What is the case; with the line of the file that says so.
        do: What to do; empty where nothing has to be done.
        commands: What an administrator would run for it.
    """

    kind: str
    words: str
    do: str = ""
    commands: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplanationView:
    """
    Whether a topic is copied, and why.

    Args:
        flow: `S->T`.
        topic: Its name on the source.
        copy: Its name on the target.
        verdict: `mirrored`, `partly mirrored` or `not mirrored`.
        partitions: How many it has; 0 where that is not known.
        lag_records: What is not copied; null where nothing is.
        as_of_ms: When the clusters were asked, milliseconds since the epoch.
        reasons: Why, what matters most first.
    """

    flow: str
    topic: str
    copy: str
    verdict: str
    partitions: int
    lag_records: int | None
    as_of_ms: int
    reasons: tuple[ReasonView, ...]


class Form(StrEnum):
    """How bytes are told: as the text that they are, or, where they are none, as hexadecimal."""

    TEXT = "text"
    HEX = "hex"


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """
    Bytes of a record.

    Args:
        form: How they are told.
        text: They, or the first of them.
        size_bytes: How many there are.
        is_cut: Whether `text` is not all of them.
    """

    form: Form
    text: str
    size_bytes: int
    is_cut: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class HeaderView:
    """
    A header of a record.

    Args:
        name: Its name.
        value: Its value; null for null.
    """

    name: str
    value: Content | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordView:
    """
    A record.

    Args:
        offset: Its own.
        at_ms: Its time, milliseconds since the epoch; null for none.
        key, value: Its content; null for null.
        headers: The first of its headers, in their order.
        header_count: How many it has.
    """

    offset: int
    at_ms: int | None
    key: Content | None
    value: Content | None
    headers: tuple[HeaderView, ...]
    header_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordPairView:
    """
    Records of both logs beside each other.

    Args:
        presence: `both`, `not copied yet`, `only on the source` or `only on the target`: of what
            was read, not of the whole log.
        source, target: They; null where there is none.
    """

    presence: str
    source: RecordView | None
    target: RecordView | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LogView:
    """
    A log as it was when records were read.

    Args:
        cluster: The alias of its cluster.
        topic: Its topic there.
        start, end: Its first offset, and the one behind its last record; null when not known.
        is_cut: Whether fewer records are shown than asked for, since they are large.
        problem: Why no record of it is shown; empty when some could be.
    """

    cluster: str
    topic: str
    start: int | None = None
    end: int | None = None
    is_cut: bool = False
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordList:
    """
    Records of a partition and of its copy.

    Args:
        flow: `S->T`.
        partition: Which one.
        as_of_ms: When they were read, milliseconds since the epoch.
        position: The next source offset to copy; null while the copy has not begun, or not known.
        source, target: Both logs.
        records: Their records, oldest first.
    """

    flow: str
    partition: int
    as_of_ms: int
    position: int | None
    source: LogView
    target: LogView
    records: tuple[RecordPairView, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingPairView:
    """
    A setting of a topic, and the same of its copy.

    Args:
        name: `retention.ms`, for example.
        source, target: The values; null where there is no such topic, or its brokers do not know
            it, `[hidden]` for a secret.
        source_by, target_by: Who says it: `the topic`, `the brokers`, `the brokers' files` or
            `default`.
        differs: Whether they are not the same.
        is_own: Whether one of the topics says it itself.
        would_change: Whether keeping them equal would change the copy.
        becomes: What the copy would have then; empty if nothing would be changed.
        why: Why it would, or why it differs and is left so; empty otherwise.
    """

    name: str
    source: str | None
    source_by: str
    target: str | None
    target_by: str
    differs: bool
    is_own: bool
    would_change: bool
    becomes: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicSettingsView:
    """
    The settings of a topic and of its copy.

    Args:
        flow: `S->T`.
        topic: On the source.
        copy: Its name on the target.
        as_of_ms: When the clusters were asked, milliseconds since the epoch.
        is_synced: Whether the file wants settings kept equal.
        partitions, copy_partitions: How many each has; null where it is not there.
        replicas, copy_replicas: How many each partition has, or the least of them.
        settings: What would be changed first, then what differs.
    """

    flow: str
    topic: str
    copy: str
    as_of_ms: int
    is_synced: bool
    partitions: int | None
    copy_partitions: int | None
    replicas: int | None
    copy_replicas: int | None
    settings: tuple[SettingPairView, ...]
