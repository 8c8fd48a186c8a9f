"""Imports, as tests make and read them."""

from __future__ import annotations

from pathlib import Path

from kmirror.config.load import examine_text
from kmirror.importers.options import ImportOptions
from kmirror.importers.outcome import Fate, Imported, Outcome
from kmirror.importers.properties_text import properties_text
from kmirror.importers.read_again import settle
from kmirror.importers.setting import SourceFile
from kmirror.importers.systems import IMPORTERS

DATA = Path(__file__).parents[1] / "data" / "importers"


def data_files(*names: str) -> tuple[SourceFile, ...]:
    """Return files of `tests/data/importers`; they are called by the last part of their names."""
    paths = [DATA / name for name in names]
    return tuple(
        SourceFile(name=path.name, text=path.read_text(encoding="utf-8")) for path in paths
    )


def text_files(*texts: str) -> tuple[SourceFile, ...]:
    """Return files with these texts, called `file0`, `file1`, …"""
    return tuple(SourceFile(name=f"file{at}", text=text) for at, text in enumerate(texts))


def import_of(
    system: str, files: tuple[SourceFile, ...], options: ImportOptions | None = None
) -> Imported:
    """Import files; what is written is one that kmirror reads, or its problems are told."""
    options = options or ImportOptions()
    imported = settle(IMPORTERS[system](files, options), Path("mm2.properties"), options.secrets)
    _, problems = examine_text(text_of(imported), Path("mm2.properties"), environ={})
    # What is left lies where a reference leads to, which is on another machine.
    elsewhere = {line.key for line in imported.lines if "${" in line.text}
    assert {each.key for each in problems} - elsewhere == {each.key for each in imported.problems}
    return imported


def text_of(imported: Imported) -> str:
    """Return the properties file."""
    return properties_text(imported.lines, imported.aliases)


def lines_of(imported: Imported) -> dict[str, str]:
    """Return the lines that count, by key."""
    return {line.key: line.text for line in imported.lines if not line.refused}


def fates_of(imported: Imported) -> dict[str, Fate]:
    """Return what became of each setting, by its key; the worst where a key is there twice."""
    order = list(Fate)
    found: dict[str, Fate] = {}
    for each in imported.outcomes:
        found[each.setting.key] = max(
            found.get(each.setting.key, Fate.EQUAL), each.fate, key=order.index
        )
    return found


def outcome_of(imported: Imported, key: str) -> Outcome:
    """Return what became of the first setting of that key."""
    return next(each for each in imported.outcomes if each.setting.key == key)
