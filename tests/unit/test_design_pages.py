"""Pages for people who change kmirror: generated ones are new, and names in others are real."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from docs.site.modules import CONNECTOR, LAB, PRODUCT, ROOT, modules_page

ARCHITECTURE = ROOT / "ARCHITECTURE.md"
DESIGN = sorted((ROOT / "docs" / "design").glob("*.md"))
GLOSSARY = ROOT / "docs" / "glossary.md"
GENERATED = {"modules.md", "tuning.md"}
COLUMNS_MAX = 120
WRITTEN = [ARCHITECTURE, *(page for page in DESIGN if page.name not in GENERATED)]
_CODE = re.compile(r"`([^`\n]+)`")
_FILE = re.compile(r"[\w/]+\.py")
_CLASS = re.compile(
    r"(?:[A-Z]+[a-z]+){2,}[A-Z]*(?:\.\w+)?|(?:Pace|Lane|Lanes|Packer|Target)(?:\.\w+)?"
)


def _name(page: Path) -> str:
    return str(page.relative_to(ROOT))


def test_the_table_of_modules_is_new() -> None:
    """`make docs` writes it."""
    page = ROOT / "docs" / "design" / "modules.md"
    assert page.read_text(encoding="utf-8") == modules_page()


@pytest.mark.parametrize("page", WRITTEN, ids=_name)
def test_files_that_pages_name_exist(page: Path) -> None:
    """A file that was renamed is renamed here, too."""
    roots = (ROOT, PRODUCT, LAB)
    for text in _CODE.findall(page.read_text(encoding="utf-8")):
        if _FILE.fullmatch(text):
            assert any((root / text).is_file() for root in roots), text


@pytest.mark.parametrize("page", WRITTEN, ids=_name)
def test_classes_that_pages_name_exist(page: Path) -> None:
    """So is a class, ours or one of Kafka's and Spark's that the code names."""
    files = [*CONNECTOR.rglob("*.java"), *PRODUCT.rglob("*.py")]
    code = "\n".join(path.read_text(encoding="utf-8") for path in files)
    for text in _CODE.findall(page.read_text(encoding="utf-8")):
        if _CLASS.fullmatch(text):
            for part in text.split("."):
                assert re.search(rf"\b{part}\b", code), text


def test_the_glossary_is_in_order() -> None:
    """A reader finds a word where the alphabet has it, once."""
    words = re.findall(r"^## (.+)$", GLOSSARY.read_text(encoding="utf-8"), re.MULTILINE)
    assert words == sorted(set(words), key=str.lower)


@pytest.mark.parametrize("word", ["flow", "slot", "lane", "position", "generation", "seam"])
def test_words_of_our_own_are_linked(word: str) -> None:
    """A reader of ARCHITECTURE.md need not guess what a word means."""
    text = ARCHITECTURE.read_text(encoding="utf-8")
    assert re.search(rf"\[{word}s?\]\(docs/glossary\.md#{word}\)", text)


@pytest.mark.parametrize("page", [*WRITTEN, GLOSSARY], ids=_name)
def test_lines_are_short(page: Path) -> None:
    """A line of prose fits an editor beside another; tables and code may have longer ones."""
    text = re.sub(
        r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL
    )
    long = [line for line in text.splitlines() if len(line) > COLUMNS_MAX and line[0] != "|"]
    assert not long
