"""Log lines that docs/troubleshooting.md quotes are lines that the code writes."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from kmirror.plans.parking import TEXTS, ParkCode

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "troubleshooting.md").read_text(encoding="utf-8")
# Lines whose words stand in two places of the code: what is waited for, and for whom.
COMPOSED = {"waiting for cluster", "was killed by SIGKILL"}


def _quoted() -> list[str]:
    """Give what the first column of the tables quotes, without settings and names."""
    cells = re.findall(r"^\| (.*?) \|", PAGE, re.MULTILINE)
    spans = [span for cell in cells for span in re.findall(r"`([^`]+)`", cell)]
    return [span for span in spans if " " in span and " = " not in span and "|" not in span]


def _written() -> str:
    """Give every text of the code, literals that are written over several lines as one."""
    java = [path.read_text(encoding="utf-8") for path in (ROOT / "connector").rglob("*.java")]
    python = [text for path in (ROOT / "src").rglob("*.py") for text in _constants(path)]
    return "\n".join([*java, *python])


def _constants(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


WRITTEN = _written()


@pytest.mark.parametrize("quoted", _quoted())
def test_the_code_writes_what_the_page_quotes(quoted: str) -> None:
    """`…` stands for what differs from case to case."""
    for part in quoted.removeprefix("A->B").split("…"):
        words = part.strip(" ,.:()")
        if len(words) > 2 and words not in COMPOSED:
            assert words in WRITTEN, words


@pytest.mark.parametrize("code", ParkCode)
def test_every_cause_of_a_parked_partition_is_explained(code: ParkCode) -> None:
    """An operator finds the line of the log, and the word of `status --json`."""
    assert re.sub(r"\{[^}]+\}", "…", TEXTS[code]) in _quoted()
    assert f"| `{code.value}` |" in (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
