"""A run in a file: what `produce` wrote, for a `consume` elsewhere."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from kmirror.load.result import WrittenPartition, WrittenRun


def save_run(run: WrittenRun, path: Path) -> None:
    """
    Write a run down.

    Raises:
        OSError: The file cannot be written.
    """
    path.write_text(json.dumps(asdict(run)) + "\n", encoding="utf-8")


def read_run(path: Path) -> WrittenRun:
    """
    Read a run.

    Raises:
        OSError: The file cannot be read.
        ValueError: It has no run.
    """
    try:
        fields = json.loads(path.read_text(encoding="utf-8"))
        return WrittenRun(
            run=str(fields["run"]),
            topic=str(fields["topic"]),
            partitions=tuple(
                WrittenPartition(
                    partition=int(each["partition"]),
                    sent=int(each["sent"]),
                    failed=tuple(map(int, each["failed"])),
                )
                for each in fields["partitions"]
            ),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path}: expected what `kmirror load produce --save` wrote") from error
