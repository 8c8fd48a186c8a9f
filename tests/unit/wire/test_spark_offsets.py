"""Offsets as Spark keeps them, byte for byte."""

from __future__ import annotations

import pytest

from kmirror.errors import CheckpointUnreadable
from kmirror.model import TopicPartition
from kmirror.wire.spark_offsets import (
    decode_initial_offsets,
    decode_offset_log,
    encode_initial_offsets,
    kafka_json,
    kafka_offsets,
)

# Written by Spark 4.3.0.
LOG = 'v1\n{"batchWatermarkMs":0,"batchTimestampMs":17,"conf":{}}\n{"t":{"1":5,"0":12}}\n-\n7'
T0, T1 = TopicPartition("t", 0), TopicPartition("t", 1)


def test_a_batch_is_read_and_written() -> None:
    """Only Kafka's lines are looked at, and only they change."""
    entry = decode_offset_log(LOG, "offsets/3")
    assert entry.kafka == {0: {T0: 12, T1: 5}}
    moved = entry.with_kafka({0: {TopicPartition("A.t", 0): 3}})
    assert moved.encode() == LOG.replace('{"t":{"1":5,"0":12}}', '{"A.t":{"0":3}}')
    assert entry.encode() == LOG.replace('{"1":5,"0":12}', '{"1":5,"0":12}')


@pytest.mark.parametrize("text", ["", "v2\n{}\n{}", "v1", "{}", "v10\n{}"])
def test_what_is_no_offset_log_is_refused(text: str) -> None:
    """Never half understood."""
    with pytest.raises(CheckpointUnreadable, match="not an offset log of version 1"):
        decode_offset_log(text, "offsets/3")


@pytest.mark.parametrize(
    "line",
    ["-", "7", "{}", '{"logOffset":3}', '{"t":{"0":"1"}}', '{"t":{"x":1}}', "[]", "nonsense"],
)
def test_other_sources_are_left_alone(line: str) -> None:
    """A file source's offset is an object, too."""
    assert kafka_offsets(line) is None


def test_initial_offsets() -> None:
    """With the zero byte that Spark puts before them, and without."""
    data = b'\0v1\n{"t":{"0":12,"1":5}}'
    assert decode_initial_offsets(data, "sources/0/0") == {T0: 12, T1: 5}
    assert decode_initial_offsets(data[1:], "sources/0/0") == {T0: 12, T1: 5}
    assert encode_initial_offsets({T1: 5, T0: 12}) == data
    assert decode_initial_offsets(b"\0\0binary", "sources/1/0") is None
    with pytest.raises(CheckpointUnreadable, match="not v1"):
        decode_initial_offsets(b"\0v2\n{}", "sources/0/0")


def test_starting_offsets() -> None:
    """In order, as a person would write them."""
    assert (
        kafka_json({T1: 5, TopicPartition("a", 0): 1, T0: 2}) == '{"a":{"0":1},"t":{"0":2,"1":5}}'
    )
