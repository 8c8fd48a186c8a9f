"""Runs as a file: what `kmirror lab duplicates --json` writes, and what reads it again."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass

from pydantic import TypeAdapter, ValidationError

from kmirror.errors import ConfigError, Problem
from kmirror_lab.duplicates.result import Run

VERSION = 2
_HINT = "a file that this version's `kmirror lab duplicates --json` wrote is needed"
_DERIVED = "as_expected"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Document:
    version: int
    runs: tuple[Run, ...]


def to_json(runs: Iterable[Run]) -> str:
    """Write runs as one JSON document."""
    told = [asdict(run) | {_DERIVED: run.as_expected} for run in runs]
    return json.dumps({"version": VERSION, "runs": told}, indent=2, default=sorted) + "\n"


def runs_from_json(text: str, where: str) -> list[Run]:
    """
    Read what `to_json` wrote.

    Args:
        text: The document.
        where: The name of its file, for messages.

    Raises:
        ConfigError: It is something else, or of another version.
    """
    try:
        found = json.loads(text, parse_constant=_no_number)
    except ValueError as error:
        raise _problem(where, "", f"this is no JSON ({error})") from None
    if not isinstance(found, dict) or not isinstance(found.get("runs"), list):
        raise _problem(where, "runs", "these are no runs")
    version = found.get("version", 1)
    if version != VERSION:
        raise _problem(where, "version", f"it is {version!r}, and must be {VERSION}")
    # As text, because only in JSON is a list as good as a tuple.
    plain = json.dumps(found | {"runs": [_undecorated(run) for run in found["runs"]]})
    try:
        document = TypeAdapter(_Document).validate_json(plain, strict=True, extra="forbid")
    except ValidationError as error:
        first = error.errors()[0]
        raise _problem(where, _place(first["loc"]), first["msg"]) from None
    return list(document.runs)


def _no_number(name: str) -> object:
    raise ValueError(f"{name} is no number")


def _undecorated(run: object) -> object:
    if not isinstance(run, dict):
        return run
    return {name: value for name, value in run.items() if name != _DERIVED}


def _place(way: Iterable[int | str]) -> str:
    steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in way)
    return "".join(steps).removeprefix(".")


def _problem(where: str, key: str, expected: str) -> ConfigError:
    return ConfigError(
        (Problem(where=where, key=key, value=None, expected=f"{expected}: {_HINT}"),)
    )
