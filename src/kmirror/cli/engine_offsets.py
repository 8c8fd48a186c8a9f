"""`kmirror offsets translate` for engines that keep offsets outside Kafka's groups."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable
from pathlib import Path

import typer

from kmirror.cli.exits import Exit
from kmirror.cli.terminal import refuse
from kmirror.errors import CheckpointUnreadable
from kmirror.groups.group_survey import GroupSurveyor
from kmirror.groups.spark_checkpoint import SparkCheckpoint, write_checkpoint
from kmirror.model import TopicPartition
from kmirror.wire.spark_offsets import Offsets, kafka_json

_COLUMNS = 3

OffsetsLine = tuple[TopicPartition, int]


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


def translate_lines(lines: Iterable[OffsetsLine], engine: EngineOffsets) -> None:
    """
    Print lines of `topic,partition,offset` with the other cluster's.

    Args:
        lines: As `read_offsets_file` gives them.
        engine: Translates.
    """
    writer = csv.writer(sys.stdout, lineterminator="\n")
    for partition, offset in lines:
        for there, at in engine.translate({partition: offset}).items():
            writer.writerow([there.topic, there.partition, at])


def tell(lines: Iterable[str]) -> None:
    """Say what of the answer is not as it should be, beside it."""
    for line in lines:
        print(line, file=sys.stderr)


def read_offsets_file(file: Path) -> tuple[OffsetsLine, ...]:
    """
    Read a file of `topic,partition,offset`; exit if that is not possible.

    Args:
        file: The file; `-` is standard input.

    Raises:
        BadParameter: One of its lines is something else.
    """
    try:
        text = sys.stdin.read() if str(file) == "-" else file.read_text(encoding="utf-8")
        rows = list(enumerate(csv.reader(text.splitlines()), start=1))
    except OSError as error:
        refuse(f"{file} cannot be read: {error.strerror}", Exit.CONFIG)
    except (ValueError, csv.Error) as error:
        refuse(f"{file}: expected lines of topic,partition,offset: {error}", Exit.CONFIG)
    return tuple(
        _row(row, f"{file}:{number}") for number, row in rows if row and not row[0].startswith("#")
    )


def _row(row: list[str], place: str) -> OffsetsLine:
    cells = [cell.strip() for cell in row]
    numbers = cells[1:]
    if len(cells) != _COLUMNS or not all(each.isascii() and each.isdigit() for each in numbers):
        raise typer.BadParameter(
            f"{place}: {','.join(row)}: expected topic,partition,offset, such as orders,3,1200"
        )
    return TopicPartition(cells[0], int(cells[1])), int(cells[2])
