"""A Spark query's checkpoint: which Kafka offsets it has, and the same for the other cluster."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from kmirror.errors import CheckpointUnreadable
from kmirror.wire.spark_offsets import (
    OffsetLogEntry,
    Offsets,
    decode_initial_offsets,
    decode_offset_log,
    encode_initial_offsets,
)

Translate = Callable[[Offsets], Offsets]


@dataclass(frozen=True, slots=True, kw_only=True)
class SparkCheckpoint:
    """
    What a stopped query's checkpoint says of Kafka.

    Args:
        folder: The query's checkpointLocation.
        committed: The last batch that is complete; `None` when none is.
        batches: The batches that the query's next start looks at: that one, and the one that was
            begun behind it, which it does again.
        initial: What each of Kafka's sources began with, by the source's number.
    """

    folder: Path
    committed: int | None
    batches: Mapping[int, OffsetLogEntry]
    initial: Mapping[int, Offsets]

    @property
    def positions(self) -> Mapping[int, Offsets]:
        """Where each of Kafka's sources goes on, by its number: behind the last complete batch."""
        last = {} if self.committed is None else self.batches[self.committed].kafka
        return {**self.initial, **last}

    @property
    def all_offsets(self) -> Iterator[Offsets]:
        """All that has to be translated for a new checkpoint."""
        yield from self.initial.values()
        for entry in self.batches.values():
            yield from entry.kafka.values()


def read_checkpoint(folder: Path) -> SparkCheckpoint:
    """
    Read a checkpoint; nothing is changed.

    Args:
        folder: The query's checkpointLocation, on a file system of this machine.

    Raises:
        CheckpointUnreadable: It is none, or has nothing of Kafka's.
    """
    if not (folder / "offsets").is_dir():
        raise CheckpointUnreadable(
            f"{folder}: no checkpoint of a query: it has no folder `offsets`",
            hint="give the folder that is the query's checkpointLocation",
        )
    done, begun = _numbers(folder / "commits"), _numbers(folder / "offsets")
    committed = max((number for number in done if number in begun), default=None)
    wanted = [number for number in begun if committed is None or number >= committed]
    batches = {number: _batch(folder / "offsets" / str(number)) for number in sorted(wanted)}
    found = SparkCheckpoint(
        folder=folder, committed=committed, batches=batches, initial=_initial(folder / "sources")
    )
    if not found.positions:
        raise CheckpointUnreadable(f"{folder}: none of the query's sources is Kafka's")
    return found


def write_checkpoint(checkpoint: SparkCheckpoint, folder: Path, translate: Translate) -> None:
    """
    Write the same checkpoint for the other cluster; the query goes on there as if it were here.

    Args:
        checkpoint: What to translate. The query must be stopped.
        folder: The new checkpointLocation, which must not exist.
        translate: Gives the other cluster's offsets, exactly.

    Raises:
        CheckpointUnreadable: *folder* exists.
    """
    if folder.exists():
        raise CheckpointUnreadable(f"{folder}: exists already", hint="give a folder that does not")
    new = {number: _translated(entry, translate) for number, entry in checkpoint.batches.items()}
    initial = {number: translate(offsets) for number, offsets in checkpoint.initial.items()}
    building = folder.with_name(f".{folder.name}.new")
    shutil.rmtree(building, ignore_errors=True)
    shutil.copytree(checkpoint.folder, building)
    _replace(building / "offsets", {str(n): each.encode().encode() for n, each in new.items()})
    for number, offsets in initial.items():
        _write(building / "sources" / str(number) / "0", encode_initial_offsets(offsets))
    building.replace(folder)


def _translated(entry: OffsetLogEntry, translate: Translate) -> OffsetLogEntry:
    return entry.with_kafka({number: translate(each) for number, each in entry.kafka.items()})


def _replace(folder: Path, files: Mapping[str, bytes]) -> None:
    """Leave these files alone in a folder: older batches are of no use, and not translated."""
    shutil.rmtree(folder)
    folder.mkdir()
    for name, data in files.items():
        _write(folder / name, data)


def _write(file: Path, data: bytes) -> None:
    # Hadoop would compare the file with a checksum of the old one.
    file.with_name(f".{file.name}.crc").unlink(missing_ok=True)
    file.write_bytes(data)


def _numbers(folder: Path) -> set[int]:
    names: Iterable[str] = (each.name for each in folder.iterdir()) if folder.is_dir() else ()
    return {int(name) for name in names if name.isdigit()}


def _batch(file: Path) -> OffsetLogEntry:
    return decode_offset_log(file.read_text(encoding="utf-8"), str(file))


def _initial(folder: Path) -> dict[int, Offsets]:
    found: dict[int, Offsets] = {}
    for number in sorted(_numbers(folder)):
        file = folder / str(number) / "0"
        if file.is_file():
            offsets = decode_initial_offsets(file.read_bytes(), str(file))
            if offsets is not None:
                found[number] = offsets
    return found
