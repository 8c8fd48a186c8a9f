"""What events carry: one name for one thing, with its type and its meaning."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, TypedDict

from kmirror.model import Flow

LINE = "line"
"""The field that is a whole line, or most of one: it is in the line's text alone."""


class Fields(TypedDict, total=False):
    """All fields that there are, in the order in which JSON lines have them."""

    flow: Annotated[Flow | str | None, "The flow, `S->T`."]
    topic: Annotated[str, "A topic: of the source, for events of partitions."]
    partition: Annotated[int, "Its partition."]
    partitions: Annotated[Sequence[int], "Its partitions."]
    offset: Annotated[int | None, "An offset of the source's partition."]
    end_offset: Annotated[int, "The last offset of a range that begins at `offset`."]
    skipped_records: Annotated[int, "Source records that are given up; 0 when none."]
    group: Annotated[str, "A consumer group."]
    target: Annotated[str, "The alias of a target cluster."]
    generation: Annotated[int, "The start of the flow's query, counted since the flow began."]
    plan: Annotated[int, "The plan's version."]
    topic_count: Annotated[int, "How many topics."]
    partition_count: Annotated[int, "How many partitions."]
    slot_count: Annotated[int, "How many slots."]
    group_count: Annotated[int, "How many consumer groups."]
    chunk_count: Annotated[int, "How many records of the offset map's topic."]
    state: Annotated[str, "The flow's state, as in `kmirror status`."]
    status: Annotated[str, "What the flow is at, for people."]
    guarantee: Annotated[str, "`exactly once` or `at least once`."]
    granularity: Annotated[str, "Whether whole batches travel, or records."]
    patterns: Annotated[Sequence[str], "The items of `topics`."]
    records: Annotated[int, "Records copied since the process began."]
    bytes: Annotated[int, "Of those, as they lie in the source's batches."]
    records_per_s: Annotated[float, "Records a second, lately."]
    bytes_per_s: Annotated[float, "Bytes a second, lately."]
    lag_records: Annotated[int | None, "Records that are not copied yet; left out if not known."]
    duration_s: Annotated[float, "How long it took, seconds."]
    delay_s: Annotated[float, "In how many seconds it is tried again."]
    kind: Annotated[str, "Why, for programs: `data_gap`, `record_refused` and so on."]
    reason: Annotated[str, "Why, for people."]
    order: Annotated[str, "What somebody has ordered of the flow."]
    part: Annotated[str, "Which part of what a flow does for consumers."]
    places: Annotated[str, "The first of its partitions, with offsets where the cause has one."]
    place: Annotated[str, "Where in the file: `file:line`, or the file alone."]
    key: Annotated[str, "A key of the file."]
    keys: Annotated[Sequence[str], "Keys of the file."]
    settings: Annotated[Sequence[str], "Settings of a topic, by their names."]
    expected: Annotated[str, "What would be right, and what to do."]
    waits: Annotated[str, "What is waited for, as in *waiting …*."]
    doing: Annotated[str | None, "What shall be done there."]
    master: Annotated[str, "Spark's master; `in this process` without one."]
    logger: Annotated[str, "Who wrote the line, by the name that the library gives."]
    error: Annotated[BaseException, "What an operation failed with; its class is in `error_class`."]
    line: Annotated[str, "The line itself: in `message` alone."]
