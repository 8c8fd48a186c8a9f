"""What is in `deploy/`, for tests that hold it to what kmirror is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

import typer
import yaml

from kmirror.cli.verbs import program
from kmirror.config.load import MirrorConfig, load

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
OVERHEAD_MIB = 768
"""What a driver needs beside its heap (docs/sizing.md#memory)."""
Document: TypeAlias = dict[str, Any]

_UNITS = {"m": 1, "mi": 1, "g": 1024, "gi": 1024}


def documents(file: Path) -> list[Document]:
    """Read a file of YAML documents."""
    return [each for each in yaml.safe_load_all(file.read_text(encoding="utf-8")) if each]


def mib(size: str) -> int:
    """Give a size such as `1792m`, `1792Mi` or `2g` in MiB."""
    found = re.fullmatch(r"(\d+)([mMgG]i?)", size)
    assert found is not None, size
    return int(found[1]) * _UNITS[found[2].lower()]


def parse(words: Sequence[str]) -> dict[str, Any]:
    """
    Have kmirror's own command line take *words*, and do nothing.

    Returns:
        The parameters.
    """
    # Typer's groups have no type of their own.
    group: Any = typer.main.get_command(program())
    parent = group.make_context("kmirror", list(words), resilient_parsing=True)
    name, verb, rest = group.resolve_command(parent, list(words))
    return dict(verb.make_context(name, rest, parent=parent).params)


def loaded(file: Path, place: str, folder: Path, environ: dict[str, str]) -> MirrorConfig:
    """
    Read a properties file as the pod or container does that has passwords at *place*.

    Args:
        file: The properties file.
        place: The folder of its passwords.
        folder: Of the test's own; the passwords lie there as Kubernetes mounts a Secret.
        environ: The environment.
    """
    data = folder / "..2026_01_01"
    data.mkdir()
    (folder / "..data").symlink_to(data.name)
    for name in ("source", "target"):
        (data / name).write_text(f"password of {name}")
        (folder / name).symlink_to(Path("..data") / name)
    text = file.read_text(encoding="utf-8")
    assert place in text
    own = folder / "mm2.properties"
    own.write_text(text.replace(place, str(folder)))
    return load(own, environ=environ)
