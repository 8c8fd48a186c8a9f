"""The options of `kmirror load`, and what they mean."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain
from pathlib import Path
from typing import Annotated

import typer

from kmirror.cli.exits import Exit
from kmirror.cli.terminal import refuse
from kmirror.load.content import Content, Fields, Made, RowFormat, again_and_again, rows
from kmirror.load.sizes import parse_sizes
from kmirror.units import UnitProblem


class CodecName(StrEnum):
    """How batches are compressed."""

    NONE = "none"
    GZIP = "gzip"
    SNAPPY = "snappy"
    LZ4 = "lz4"
    ZSTD = "zstd"


Topic = Annotated[str, typer.Option(help="The topic.")]
Records = Annotated[int | None, typer.Option(min=1, help="End after so many records.")]
Seconds = Annotated[float | None, typer.Option(min=0.1, help="End after so many seconds.")]
Rate = Annotated[float, typer.Option(min=0, help="Records a second; 0 is as fast as it goes.")]
Size = Annotated[
    str,
    typer.Option(
        help="Bytes of a value: 1000, a range 100..2000, a mean and a deviation 1000~200, or "
        "several with weights 100:90,10KB:10."
    ),
]
Keys = Annotated[
    int, typer.Option(min=0, max=10_000_000, help="How many different keys; 0 is none.")
]
Headers = Annotated[
    list[str] | None, typer.Option(metavar="NAME=VALUE", help="A header of each record.")
]
Seed = Annotated[int, typer.Option(help="The same seed makes the same records.")]
Input = Annotated[
    Path | None,
    typer.Option(
        "--input",
        help="Send the rows of this file instead: a CSV whose first line names its columns, or a "
        "JSON object in each line; - for standard input.",
    ),
]
InputFormat = Annotated[
    RowFormat | None,
    typer.Option(help="What the input is. Default: by the end of its name, .csv or .json*."),
]
KeyField = Annotated[str | None, typer.Option(help="The field of a row that is the key.")]
ValueField = Annotated[
    str | None,
    typer.Option(help="The field that is the value. Default: the row, as a JSON object."),
]
HeaderFields = Annotated[
    list[str] | None, typer.Option("--header-field", help="A field that becomes a header.")
]
Loop = Annotated[
    bool, typer.Option("--loop", help="Begin the input anew when it has come to its end.")
]
Codec = Annotated[CodecName | None, typer.Option(help="How batches are compressed.")]
TransactionRecords = Annotated[
    int, typer.Option(min=0, max=1_000_000, help="Records in a transaction; 0 is none.")
]
AbortEvery = Annotated[
    int,
    typer.Option(
        min=0,
        help="After each so manieth transaction, write its records once more in one that is "
        "aborted: a read_committed reader must not see them.",
    ),
]
Property = Annotated[
    list[str] | None,
    typer.Option(
        "--property", metavar="NAME=VALUE", help="A setting of the client, as librdkafka has it."
    ),
]
CreatePartitions = Annotated[
    int | None,
    typer.Option(min=1, max=100_000, help="Create the topic with so many, if it is not there."),
]
Html = Annotated[
    Path | None,
    typer.Option(help="Write what came of it as one self-contained HTML file, with plots."),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What the command line says; see the options."""

    records: int | None = None
    seconds: float | None = None
    rate: float = 0.0
    size: str = "100"
    keys: int = 0
    headers: tuple[str, ...] = ()
    seed: int = 0
    input_file: Path | None = None
    input_format: RowFormat | None = None
    key_field: str | None = None
    value_field: str | None = None
    header_fields: tuple[str, ...] = ()
    loop: bool = False
    codec: CodecName | None = None
    transaction_records: int = 0
    abort_every: int = 0
    properties: tuple[str, ...] = ()
    html: Path | None = None
    as_json: bool = False
    run: str = ""


def run_name() -> str:
    """Give a run a name that no other one has."""
    return secrets.token_hex(4)


def properties_of(options: Options) -> dict[str, str]:
    """
    Return the client's settings that were given.

    Raises:
        typer.BadParameter: One is none.
    """
    found = dict(_pair("--property", text) for text in options.properties)
    if options.codec is not None:
        found["compression.type"] = options.codec.value
    return found


def source_of(options: Options) -> tuple[Iterator[Content], bool]:
    """
    Return what is sent, and whether it comes to an end by itself; exit if that makes no sense.

    Raises:
        typer.BadParameter: An option is wrong, or does not go with another.
    """
    if options.abort_every and not options.transaction_records:
        raise typer.BadParameter("--abort-every goes with --transaction-records")
    headers = tuple((name, value.encode()) for name, value in _headers(options))
    if options.input_file is None:
        if options.key_field or options.value_field or options.header_fields or options.loop:
            raise typer.BadParameter("fields and --loop go with --input")
        try:
            sizes = parse_sizes(options.size)
        except UnitProblem as problem:
            raise typer.BadParameter(f"--size {options.size}: {problem}") from problem
        made = Made(sizes=sizes, keys=options.keys, headers=headers, seed=options.seed)
        return made.contents(), False
    fields = Fields(key=options.key_field, value=options.value_field, headers=options.header_fields)
    return _rows_of(options, options.input_file, fields, headers), not options.loop


def _headers(options: Options) -> list[tuple[str, str]]:
    return [_pair("--header", text) for text in options.headers]


def _pair(option: str, text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise typer.BadParameter(f"{option} {text}: expected NAME=VALUE")
    return name, value


def _rows_of(
    options: Options, file: Path, fields: Fields, headers: tuple[tuple[str, bytes], ...]
) -> Iterator[Content]:
    kind = options.input_format or _format_of(file)
    is_standard = str(file) == "-"
    if is_standard and options.loop:
        raise typer.BadParameter("--loop: standard input comes once")

    def read() -> Iterator[Content]:
        if is_standard:
            yield from rows(sys.stdin, kind, fields, name="standard input", more=headers)
            return
        with file.open(encoding="utf-8", newline="") as lines:
            yield from rows(lines, kind, fields, name=str(file), more=headers)

    # A file that is not there, or whose first row is wrong, is known before anything is sent.
    found = again_and_again(read) if options.loop else read()
    try:
        first = next(found, None)
    except (OSError, ValueError) as error:
        refuse(str(error), Exit.CONFIG)
    if first is None:
        refuse(f"{file}: there is no row in it", Exit.CONFIG)
    return chain((first,), found)


def _format_of(file: Path) -> RowFormat:
    suffix = file.suffix.lower()
    if suffix == ".csv":
        return RowFormat.CSV
    if suffix.startswith(".json") or suffix == ".ndjson":
        return RowFormat.JSON
    raise typer.BadParameter(f"--input {file}: say --input-format csv or json")
