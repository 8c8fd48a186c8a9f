"""Rows as tables for programs."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass
from typing import get_type_hints

from starlette.responses import Response


def csv_answer(model: type, rows: Iterable[object], name: str) -> Response:
    """
    Give rows as a file to keep.

    Args:
        model: What they are: its fields are the columns, and those of a part `part_field`.
        rows: They.
        name: Of the file.
    """
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(_names(model))
    for each in rows:
        writer.writerow(map(_cell, _values(each)))
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(out.getvalue(), media_type="text/csv; charset=utf-8", headers=headers)


def _names(model: type) -> Iterator[str]:
    kinds = get_type_hints(model)
    for each in fields(model):
        kind = kinds[each.name]
        if is_dataclass(kind) and isinstance(kind, type):
            yield from (f"{each.name}_{name}" for name in _names(kind))
        else:
            yield each.name


def _values(row: object) -> Iterator[object]:
    for each in fields(row):  # type: ignore[arg-type]  # rows are dataclasses
        value = getattr(row, each.name)
        if is_dataclass(value):
            yield from _values(value)
        else:
            yield value


def _cell(value: object) -> object:
    """Give a cell; a text that a spreadsheet would compute stays a text."""
    if isinstance(value, tuple):
        value = "; ".join(map(str, value))
    if isinstance(value, str) and value[:1] in {"=", "+", "-", "@", "\t", "\r"}:
        return f"'{value}"
    return "" if value is None else value
