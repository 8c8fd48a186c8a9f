"""
The ledger: what producers did and what the cluster answered, as JSON lines.

A line is flushed before the record it tells of is sent, so that a killed producer leaves at
worst a `send` without an answer: an outcome nobody knows, never a forgotten one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from types import TracebackType
from typing import Self


class Op(StrEnum):
    """What a line of the ledger says; the words are Jepsen's."""

    SEND = "send"
    OK = "ok"
    FAIL = "fail"
    """Surely not written, or written in a transaction that was aborted."""
    INFO = "info"
    """Nobody knows: it may be written or not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """
    One line of the ledger.

    Args:
        op: What happened.
        producer: To whom.
        seq: To which of its records.
        topic: Where the record goes.
        partition: Where the record goes.
        wall_ms: When the line was written.
        digest: `Content.digest()` of the record.
        offset: Where it was written; only with `ok`, -1 otherwise, and where a repeated request was
            answered without it.
        reason: Why not, with `fail` and `info`.
    """

    op: Op
    producer: int
    seq: int
    topic: str
    partition: int
    wall_ms: int
    digest: str
    offset: int = -1
    reason: str = ""


class LedgerWriter:
    """Appends entries to a file, each flushed."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("a", buffering=1, encoding="utf-8")

    def write(self, entry: Entry) -> None:
        """Append one entry."""
        self._file.write(json.dumps(asdict(entry)) + "\n")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()


def read_ledger(path: Path) -> Iterator[Entry]:
    """Read the entries of a ledger; a last line that a kill cut off is left out."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            if line.endswith("\n"):
                fields = json.loads(line)
                yield Entry(**(fields | {"op": Op(fields["op"])}))
