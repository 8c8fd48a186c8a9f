"""What is in the records of a load: made from a seed, or read from rows; pure."""

from __future__ import annotations

import csv
import json
import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain
from typing import Any

from kmirror.load.sizes import Sizes

_LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_POOL_BYTES = 1 << 20
# Of a column of a CSV; Python's own limit is 128 KiB.
_FIELD_CHARS_MAX = 16 << 20


@dataclass(frozen=True, slots=True)
class Content:
    """
    A record but for its stamp.

    Args:
        key, value: Null is not empty.
        headers: In order.
    """

    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """
    Records that are made.

    Args:
        sizes: How large their values are.
        keys: How many different keys they have; 0 for none.
        headers: What each has besides its stamp.
        seed: The same seed makes the same records.
    """

    sizes: Sizes
    keys: int = 0
    headers: tuple[tuple[str, bytes], ...] = ()
    seed: int = 0

    def contents(self) -> Iterator[Content]:
        """Make them, without end."""
        rng = random.Random(self.seed)
        # Capital letters, as `kafka-producer-perf-test` writes: a codec makes 5/8 of them.
        length = max(_POOL_BYTES, 2 * self.sizes.largest)
        pool = bytes(rng.choices(_LETTERS, k=min(length, _POOL_BYTES)))
        pool *= -(-length // len(pool))
        keys = [f"key-{number}".encode() for number in range(self.keys)]
        while True:
            size = self.sizes.draw(rng)
            at = rng.randrange(len(pool) - size + 1)
            yield Content(rng.choice(keys) if keys else None, pool[at : at + size], self.headers)


class RowFormat(StrEnum):
    """How the rows of a file are written."""

    CSV = "csv"
    JSON = "json"


class RowProblem(ValueError):
    """A row that cannot be sent; the message says which line and why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fields:
    """
    Which fields of a row become what.

    Args:
        key: The key; `None` for null keys.
        value: The value; `None` for the whole row, as a JSON object.
        headers: Headers of the same names.
    """

    key: str | None = None
    value: str | None = None
    headers: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """All that are named."""
        return tuple(name for name in (self.key, self.value, *self.headers) if name is not None)


def rows(
    lines: Iterable[str],
    kind: RowFormat,
    fields: Fields,
    *,
    name: str,
    more: tuple[tuple[str, bytes], ...] = (),
) -> Iterator[Content]:
    """
    Read records.

    Args:
        lines: A CSV whose first line names its columns, or a JSON object in each line.
        kind: Which.
        fields: What of a row becomes what.
        name: What the file is called in messages.
        more: Headers that each record has besides.

    Raises:
        RowProblem: A row is none, or has no such field.
    """
    read = _csv_rows if kind is RowFormat.CSV else _json_rows
    for line, row, text in read(lines, name):
        for field in fields.names:
            if field not in row:
                there = ", ".join(map(str, row)) or "nothing"
                raise RowProblem(f"{name}:{line}: there is no field {field}; there is {there}")
        try:
            found = Content(
                None if fields.key is None else _bytes(row[fields.key]),
                text.encode() if fields.value is None else _bytes(row[fields.value]),
                (*((each, _bytes(row[each]) or b"") for each in fields.headers), *more),
            )
        except UnicodeEncodeError as error:
            raise RowProblem(
                f"{name}:{line}: half a character, {error.object[error.start]!r}: "
                "UTF-8 cannot have it"
            ) from error
        yield found


def again_and_again(read: Callable[[], Iterator[Content]]) -> Iterator[Content]:
    """Give the records of a file, from its beginning again at its end; nothing of an empty one."""
    while True:
        found = read()
        first = next(found, None)
        if first is None:
            return
        yield from chain((first,), found)


def _csv_rows(lines: Iterable[str], name: str) -> Iterator[tuple[int, dict[str, Any], str]]:
    csv.field_size_limit(_FIELD_CHARS_MAX)
    reader = csv.reader(lines, strict=True)
    try:
        columns = next(reader, [])
        for row in reader:
            if not row:
                continue
            if len(row) != len(columns):
                raise RowProblem(
                    f"{name}:{reader.line_num}: expected {len(columns)} columns, as the first line "
                    f"has, found {len(row)}"
                )
            found = dict(zip(columns, row, strict=True))
            yield reader.line_num, found, json.dumps(found, ensure_ascii=False)
    except csv.Error as error:
        raise RowProblem(f"{name}:{reader.line_num}: no row of a CSV: {error}") from error


def _json_rows(lines: Iterable[str], name: str) -> Iterator[tuple[int, dict[str, Any], str]]:
    for number, line in enumerate(lines, start=1):
        text = line.strip()
        if not text:
            continue
        try:
            row = json.loads(text)
        except ValueError as error:
            raise RowProblem(f"{name}:{number}: expected a JSON object: {error}") from error
        if not isinstance(row, dict):
            raise RowProblem(f"{name}:{number}: expected a JSON object, one a line")
        yield number, row, text


def _bytes(value: Any) -> bytes | None:
    if value is None:
        return None
    return (value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)).encode()
