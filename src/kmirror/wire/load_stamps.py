"""The stamp of a record that was written to be looked for: the header `kmirror-load`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

HEADER = "kmirror-load"
"""Its value is text: `RUN:PARTITION:NUMBER:SENT_US`, and `:aborted` in what nobody shall see."""

_ABORTED = "aborted"


@dataclass(frozen=True, slots=True)
class LoadStamp:
    """
    Where a record stands among those of its run.

    Args:
        run: Whose it is; letters and digits.
        partition: The partition that it was written to.
        number: Which of that partition, from 0.
        sent_us: When it was written, or was to be by the rate, microseconds since the epoch.
        is_aborted: Its transaction is aborted.
    """

    run: str
    partition: int
    number: int
    sent_us: int
    is_aborted: bool = False

    def encode(self) -> bytes:
        """Write it as the header's value."""
        end = f":{_ABORTED}" if self.is_aborted else ""
        return f"{self.run}:{self.partition}:{self.number}:{self.sent_us}{end}".encode()


def stamp_of(headers: Iterable[tuple[str, bytes | None]] | None) -> LoadStamp | None:
    """
    Read the stamp of a record; `None` of one that has none.

    Args:
        headers: The record's.
    """
    for name, value in headers or ():
        if name == HEADER and value is not None:
            return _decoded(value)
    return None


def _decoded(value: bytes) -> LoadStamp | None:
    try:
        run, partition, number, sent_us, *end = value.decode("ascii").split(":")
        if end not in ([], [_ABORTED]):
            return None
        return LoadStamp(run, int(partition), int(number), int(sent_us), bool(end))
    except ValueError:
        return None
