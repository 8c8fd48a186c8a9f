"""What `kmirror dlq` shows: nothing that lies in a record reaches the terminal unescaped."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from kmirror.cli.rows import Rows
from kmirror.errors import one_line
from kmirror.units import moment, size
from kmirror.wire.dead_letters import DeadLetter, Replayed

_DUMPED_MAX = 4096
_ROW_BYTES = 16
_HEADERS_MAX = 100
_COLUMNS = (">number", "partition", ">offset", "when", "reason", ">size", "replayed")


def letters_table(letters: Sequence[DeadLetter], replayed: Mapping[int, Replayed]) -> Rows:
    """
    Return dead letters as a table.

    Args:
        letters: What is shown.
        replayed: What of it was replayed, by number.
    """
    return Rows(_COLUMNS, [_row(letter, replayed.get(letter.number)) for letter in letters])


def _row(letter: DeadLetter, replayed: Replayed | None) -> Sequence[str]:
    return (
        str(letter.number),
        str(letter.source),
        str(letter.offset),
        moment(letter.at_ms),
        letter.reason,
        size(letter.size_bytes),
        "" if replayed is None else moment(replayed.at_ms),
    )


def letter_lines(letter: DeadLetter, replayed: Replayed | None) -> Iterator[str]:
    """
    Yield one dead letter for people.

    Args:
        letter: Which.
        replayed: When and by whom it was replayed, if it was.
    """
    last = "" if letter.end == letter.offset + 1 else f" to {letter.end - 1}"
    yield one_line(f"{letter.source} offset {letter.offset}{last}, left out by {letter.flow}")
    yield one_line(f"  written  {moment(letter.at_ms)}")
    if letter.timestamp_ms is not None:
        yield f"  its time {moment(letter.timestamp_ms)} ({letter.timestamp_ms})"
    yield one_line(f"  target   {letter.target}")
    yield one_line(f"  reason   {letter.reason}: {letter.words}")
    if letter.is_truncated:
        yield f"  kept     only a part of {size(letter.size_bytes)}"
    if replayed is not None:
        yield one_line(f"  replayed {moment(replayed.at_ms)} by {replayed.by}")
    for name, value in letter.headers[:_HEADERS_MAX]:
        yield one_line(f"  header   {name}: {_short(value)}")
    if letter.header_count > _HEADERS_MAX:
        yield f"  header   {letter.header_count} in all"
    yield from _dumped("key", letter.key, letter.key_bytes)
    yield from _dumped("value", letter.value, letter.value_bytes)


def _short(value: bytes | None) -> str:
    if value is None:
        return "null"
    try:
        return value[:_DUMPED_MAX].decode()
    except UnicodeDecodeError:
        return value[:_DUMPED_MAX].hex(" ")


def _dumped(name: str, part: bytes | None, whole_bytes: int) -> Iterator[str]:
    """Yield a text as it is, and bytes as numbers with the letters that they would be."""
    if part is None:
        yield f"{name}: null"
        return
    yield f"{name}: {whole_bytes:,} bytes"
    shown = part[:_DUMPED_MAX]
    if shown.isascii() and shown.decode().isprintable():
        yield f"  {shown.decode()}"
    else:
        for at in range(0, len(shown), _ROW_BYTES):
            row = shown[at : at + _ROW_BYTES]
            letters = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in row)
            yield f"  {at:08x}  {row.hex(' '):<{3 * _ROW_BYTES}} {letters}"
    if len(part) > _DUMPED_MAX:
        yield "  ... (--raw FILE writes all of it)"
