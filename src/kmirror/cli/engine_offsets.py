"""`kmirror offsets translate` for engines that keep offsets outside Kafka's groups."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import typer

from kmirror.errors import CheckpointUnreadable
from kmirror.groups.group_survey import GroupSurveyor
from kmirror.groups.spark_checkpoint import SparkCheckpoint, write_checkpoint
from kmirror.model import TopicPartition
from kmirror.wire.spark_offsets import Offsets, kafka_json

_COLUMNS = 3


class EngineOffsets:
    """
    Translates what a stream engine remembers, and notes what cannot be.

    Args:
        surveyor: Knows where offsets are on the other cluster.
        back: Translate from the target to the source.
    """

    def __init__(self, surveyor: GroupSurveyor, *, back: bool) -> None:
        self._surveyor = surveyor
        self._back = back
        # What is not known, and what may be read again: in words, each once.
        self.unknown: dict[str, None] = {}
        self.repeated: dict[str, None] = {}

    def translate(self, offsets: Offsets) -> dict[TopicPartition, int]:
        """Return the other cluster's offsets; what is not known is left out, and noted."""
        found: dict[TopicPartition, int] = {}
        for partition, offset in sorted(offsets.items()):
            place = self._surveyor.find(partition, offset, back=self._back)
            if place is None:
                why = self._surveyor.why_unknown(partition, offset, back=self._back)
                self.unknown[f"{partition}:{offset} = unknown: {why}"] = None
                continue
            found[place[0]] = place[1]
            if not self._back and self._surveyor.repeats(partition, offset):
                self.repeated[f"{partition}:{offset}: records may be read again"] = None
        return found


def translate_checkpoint(
    checkpoint: SparkCheckpoint, engine: EngineOffsets, new_folder: Path | None
) -> None:
    """
    Print `startingOffsets` for each of a query's Kafka sources, and write a new checkpoint.

    Args:
        checkpoint: The query's.
        engine: Translates.
        new_folder: Where the new checkpoint goes; `None` writes none.

    Raises:
        CheckpointUnreadable: A new checkpoint would not be exact, or is there already.
    """
    for _, offsets in sorted(checkpoint.positions.items()):
        print(kafka_json(engine.translate(offsets)))
    if new_folder is None:
        return
    for offsets in checkpoint.all_offsets:
        engine.translate(offsets)
    if inexact := [*engine.unknown, *engine.repeated]:
        raise CheckpointUnreadable(
            f"{new_folder}: not written: {inexact[0]}",
            hint="a new checkpoint has to be exact; a new query can begin at the startingOffsets",
        )
    write_checkpoint(checkpoint, new_folder, engine.translate)


def translate_file(file: Path, engine: EngineOffsets) -> None:
    """
    Print the lines of a file of `topic,partition,offset` with the other cluster's.

    Args:
        file: The file; `-` is standard input.
        engine: Translates.
    """
    writer = csv.writer(sys.stdout, lineterminator="\n")
    for partition, offset in _lines(file):
        for there, at in engine.translate({partition: offset}).items():
            writer.writerow([there.topic, there.partition, at])


def tell(lines: Iterable[str]) -> None:
    """Say what of the answer is not as it should be, beside it."""
    for line in lines:
        print(line, file=sys.stderr)


def _lines(file: Path) -> Iterator[tuple[TopicPartition, int]]:
    text = sys.stdin.read() if str(file) == "-" else file.read_text(encoding="utf-8")
    for number, row in enumerate(csv.reader(text.splitlines()), start=1):
        if row and not row[0].startswith("#"):
            yield _row(row, f"{file}:{number}")


def _row(row: list[str], place: str) -> tuple[TopicPartition, int]:
    cells = [cell.strip() for cell in row]
    numbers = cells[1:]
    if len(cells) != _COLUMNS or not all(each.isascii() and each.isdigit() for each in numbers):
        raise typer.BadParameter(
            f"{place}: {','.join(row)}: expected topic,partition,offset, such as orders,3,1200"
        )
    return TopicPartition(cells[0], int(cells[1])), int(cells[2])
