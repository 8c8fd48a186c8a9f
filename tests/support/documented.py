"""
Output that pages show, kept true: blocks behind `<!-- output: NAME -->` are what really came out.

`test_documented_output.py` runs what they show and compares, all but what differs from run to run;
`make outputs` writes what came out into the pages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))

_BLOCK = re.compile(r"(?ms)^<!-- output: (?P<name>[\w-]+) -->\n```\n(?P<text>.*?)^```$")
# What is another one each time, the longest first: a number in a time is not a number by itself.
_VARIES = (
    (re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}"), "TIME"),
    (re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"), "UUID"),
    (re.compile(r"\b[0-9a-f]{32}\b"), "HASH"),
    (re.compile(r"\bprocess \d+ on [\w.-]+"), "process N on HOST"),
    (re.compile(r"\d+(,\d{3})*(\.\d+)?"), "N"),
    (re.compile(r"\bN (record|key|offset|group|topic|partition|slot)s?\b"), r"N \1"),
    (re.compile(r"[ \t]+"), " "),
    (re.compile(r" $", re.MULTILINE), ""),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """
    Output that a page shows.

    Args:
        page: The page.
        name: What the block is called there.
        text: The output.
    """

    page: Path
    name: str
    text: str


def blocks(page: Path) -> Iterator[Block]:
    """Give the blocks of a page."""
    for found in _BLOCK.finditer(page.read_text(encoding="utf-8")):
        yield Block(page=page, name=found["name"], text=found["text"].strip("\n"))


def same(one: str, other: str) -> bool:
    """Tell whether two outputs are the same but for what differs from run to run."""
    return _constant(one) == _constant(other)


def rewritten(text: str, outputs: Mapping[str, str]) -> str:
    """
    Put what came out into a page.

    Args:
        text: The page.
        outputs: What came out, by name; what is the same but for numbers leaves a block alone.
    """

    def block(found: re.Match[str]) -> str:
        new = outputs.get(found["name"], found["text"])
        shown = found["text"] if same(new, found["text"]) else f"{new}\n"
        return f"<!-- output: {found['name']} -->\n```\n{shown}```"

    return _BLOCK.sub(block, text)


def _constant(text: str) -> str:
    text = text.strip("\n")
    for pattern, word in _VARIES:
        text = pattern.sub(word, text)
    return text
