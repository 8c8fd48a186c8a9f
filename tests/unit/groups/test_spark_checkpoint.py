"""A checkpoint of a Spark query, read and written for the other cluster."""

from __future__ import annotations

from pathlib import Path

import pytest

from kmirror.errors import CheckpointUnreadable
from kmirror.groups.spark_checkpoint import read_checkpoint, write_checkpoint
from kmirror.model import TopicPartition
from kmirror.wire.spark_offsets import Offsets

T0 = TopicPartition("t", 0)


def checkpoint(folder: Path, *offsets: int, committed: int) -> Path:
    """Write what a query leaves that has read up to *offsets*, batch by batch, from offset 2 on."""
    for name in ("offsets", "commits", "sources/0", "state/0"):
        (folder / name).mkdir(parents=True)
    (folder / "metadata").write_text('{"id":"x"}')
    (folder / "state" / "0" / "1.delta").write_bytes(b"kept")
    (folder / "sources" / "0" / "0").write_bytes(b'\0v1\n{"t":{"0":2}}')
    for number, offset in enumerate(offsets):
        text = f'v1\n{{"conf":{{}}}}\n{{"t":{{"0":{offset}}}}}'
        (folder / "offsets" / str(number)).write_text(text)
        (folder / "offsets" / f".{number}.crc").write_bytes(b"crc")
        if number <= committed:
            (folder / "commits" / str(number)).write_text('v1\n{"nextBatchWatermarkMs":0}')
    return folder


def tenfold(offsets: Offsets) -> dict[TopicPartition, int]:
    """Translate: the copy has ten times the offsets."""
    return {TopicPartition(f"A.{tp.topic}", tp.partition): 10 * at for tp, at in offsets.items()}


def test_a_query_goes_on_behind_its_last_complete_batch(tmp_path: Path) -> None:
    """The one that it had begun is done again, so that nothing is missed."""
    found = read_checkpoint(checkpoint(tmp_path / "old", 5, 9, 13, committed=1))
    assert found.committed == 1
    assert found.positions == {0: {T0: 9}}
    assert sorted(found.batches) == [1, 2]
    none = read_checkpoint(checkpoint(tmp_path / "new", 5, committed=-1))
    assert none.committed is None
    assert none.positions == {0: {T0: 2}}


def test_a_new_checkpoint_is_the_same_elsewhere(tmp_path: Path) -> None:
    """State, commits and what is not Kafka's stay; no checksum speaks of the old bytes."""
    old = checkpoint(tmp_path / "old", 5, 9, 13, committed=1)
    before = {file: file.read_bytes() for file in old.rglob("*") if file.is_file()}
    new = tmp_path / "new"
    write_checkpoint(read_checkpoint(old), new, tenfold)
    assert {file: file.read_bytes() for file in old.rglob("*") if file.is_file()} == before
    again = read_checkpoint(new)
    assert again.positions == {0: {TopicPartition("A.t", 0): 90}}
    assert again.initial == {0: {TopicPartition("A.t", 0): 20}}
    assert sorted(file.name for file in (new / "offsets").iterdir()) == ["1", "2"]
    assert (new / "state" / "0" / "1.delta").read_bytes() == b"kept"
    assert sorted(file.name for file in (new / "commits").iterdir()) == ["0", "1"]
    assert [each.name for each in tmp_path.iterdir() if each.name.startswith(".")] == []
    with pytest.raises(CheckpointUnreadable, match="exists already"):
        write_checkpoint(read_checkpoint(old), new, tenfold)


def test_what_is_no_checkpoint_is_refused(tmp_path: Path) -> None:
    """Also one of a query that reads no topic."""
    with pytest.raises(CheckpointUnreadable, match="no folder `offsets`"):
        read_checkpoint(tmp_path)
    other = checkpoint(tmp_path / "rate", committed=-1)
    (other / "sources" / "0" / "0").write_bytes(b"\0\0")
    (other / "offsets" / "0").write_text("v1\n{}\n17")
    with pytest.raises(CheckpointUnreadable, match="none of the query's sources is Kafka's"):
        read_checkpoint(other)
