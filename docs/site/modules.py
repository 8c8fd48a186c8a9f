"""Writes docs/design/modules.md from docstrings and Javadoc: `python -m docs.site.modules`."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path

ROOT = Path(__file__).parents[2]
PRODUCT = ROOT / "src" / "kmirror"
LAB = ROOT / "lab" / "src" / "kmirror_lab"
CONNECTOR = ROOT / "connector" / "src" / "main" / "java"

_INTRODUCTION = """\
# Modules

Every file in one line: the first line of a Python module's docstring, and the first sentence of a
Java class's Javadoc. `make docs` writes this page. How the packages depend on each other is in
[ARCHITECTURE.md](../../ARCHITECTURE.md#rooms).
"""
_JAVADOC = re.compile(
    r"/\*\*(?P<text>(?:(?!\*/).)*)\*/\s*(?:@\w+(?:\([^)]*\))?\s*)*"
    r"(?:public |abstract |final |sealed |non-sealed )*(?:class|record|interface|enum|@interface) "
    r"(?P<name>\w+)",
    re.DOTALL,
)
_TAG = re.compile(r"\{@(?:link|code) ([^}]*)\}")
_SENTENCE_END = re.compile(r"(?<=[.?!])\s+(?=[A-Z<*@{])|(?=<p>)|(?:^|\s)(?=@\w+ )")


def modules_page() -> str:
    """
    Give the whole page, in Markdown.

    Raises:
        ValueError: A file says nothing of itself.
    """
    sections = [
        _section("Python: `kmirror`", _python(PRODUCT)),
        _section("Java: the connector", _java(CONNECTOR)),
        _section("Python: `kmirror_lab`", _python(LAB)),
    ]
    return "\n".join([_INTRODUCTION, *sections])


def _section(title: str, files: Iterable[tuple[str, str, str]]) -> str:
    """Give a section: one table for each package."""
    parts = [f"## {title}\n"]
    for package, rows in groupby(files, key=lambda row: row[0]):
        parts += [f"### {package}\n", "| file | holds |", "|---|---|"]
        parts += [f"| `{name}` | {_cell(text)} |" for _, name, text in rows]
        parts.append("")
    return "\n".join(parts)


def _python(root: Path) -> Iterator[tuple[str, str, str]]:
    """Give package, file and first line of every module; a package's own line comes first."""
    for path in sorted(root.rglob("*.py"), key=lambda path: (path.parent, path.stem)):
        parent = path.relative_to(root).parent
        package = root.name if parent == Path() else f"{root.name}.{'.'.join(parent.parts)}"
        docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
        if not docstring:
            raise ValueError(f"{path}: no docstring")
        yield package, path.name, docstring.split("\n\n")[0]


def _java(root: Path) -> Iterator[tuple[str, str, str]]:
    """Give package, file and first sentence of every class that has a file of its own."""
    for path in sorted(root.rglob("*.java"), key=lambda path: (path.parent, path.stem)):
        package = ".".join(path.relative_to(root).parent.parts)
        yield package, path.name, _javadoc(path)


def _javadoc(path: Path) -> str:
    for found in _JAVADOC.finditer(path.read_text(encoding="utf-8")):
        if found["name"] == path.stem:
            text = re.sub(r"\s*\n\s*\*[ ]?", " ", found["text"]).strip()
            return _TAG.sub(lambda tag: f"`{tag[1].removeprefix('#')}`", _first_sentence(text))
    raise ValueError(f"{path}: {path.stem} has no Javadoc")


def _first_sentence(text: str) -> str:
    return _SENTENCE_END.split(text, maxsplit=1)[0].strip()


def _cell(text: str) -> str:
    one_line = " ".join(text.split())
    return one_line.replace("|", "\\|").replace("<", "&lt;") if "`" not in one_line else one_line


if __name__ == "__main__":
    sys.stdout.write(modules_page())
