"""Where kmirror has to have copied everything: where the link can carry it in the time there is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from kmirror_lab.duplicates import find_scenario, names, read_scenario, varied, with_records
from kmirror_lab.duplicates.capacity import carries

_DOCS = Path(__file__).parents[3] / "docs"
# The first ends just behind a cut, the second has 40 s for 36, and the last has a quota.
_TOO_LITTLE = {"answers-cut", "loss-then-healed", "remedy-quota"}


def measured(page: str, columns: str) -> Iterator[tuple[str, int]]:
    """Give the scenarios of a page's table, and how many records kmirror had copied of each."""
    row = re.compile(rf"^\| `?([\w-]+)`? \| kmirror \| {columns} ([\d,]+) \|", re.MULTILINE)
    for name, distinct in row.findall((_DOCS / page).read_text()):
        yield name, int(distinct.replace(",", ""))


def test_where_the_line_carries_everything() -> None:
    """Of the scenarios that come with kmirror all but a few."""
    assert {name for name in names() if not carries(find_scenario(name))} == _TOO_LITTLE


@pytest.mark.parametrize(
    ("page", "columns"),
    [("lab-duplicates.md", r"[\d,]+ \|"), ("duplicates.md", r"[\d,]+ \| [\d,]+ \|")],
)
def test_what_was_measured_is_what_is_demanded(page: str, columns: str) -> None:
    """Wherever the line carries it kmirror has copied everything, in runs that were good."""
    found = list(measured(page, columns))
    assert len(found) > 10
    for name, distinct in found:
        scenario = find_scenario(name)
        assert distinct == scenario.records or not carries(scenario), name
    assert any(distinct < find_scenario(name).records for name, distinct in found)


@pytest.mark.parametrize(
    ("lines", "carried"),
    [
        ("", True),
        ("records = 10000000", False),
        ("at.0s = set rate 1mbit", True),
        ("at.0s = set rate 700kbit", False),
        ("at.0s = set rate 700kbit\nlasts = 90s", True),
        ("at.0s = set rate 1mbit from target", True),
        ("at.0s = set rate 10mbit\nat.0s = traffic 9", True),
        ("at.0s = set rate 10mbit\nat.0s = traffic 19", False),
        ("at.0s = set rate 10mbit\nat.0s = traffic 19\nat.5s = traffic 0", True),
        ("at.0s = set rate 1mbit\nat.5s = cut\nat.15s = heal", False),
        ("at.0s = set rate 1mbit\nat.5s = cut from target\nat.15s = heal", False),
        ("at.0s = cut", False),
        ("at.5s = cut", True),
        ("at.0s = cut\nat.15s = heal", True),
        ("at.0s = set rate 100kbit\nat.9s = clear", True),
        ("at.0s = set rate 100kbit\nat.9s = reset", False),
        ("at.0s = set delay 2s", False),
        ("at.0s = set delay 250ms jitter 250ms\nlasts = 90s", True),
        ("at.0s = set loss 1% from source", False),
        ("at.0s = set loss 30% from target", True),
        ("at.0s = set loss 50% from target", False),
        ("at.0s = quota 200kB", True),
        ("at.0s = quota 60kB", False),
        ("at.0s = kill", False),
        ("at.0s = kill\nat.1s = start", True),
        ("at.0s = kill\nat.30s = start", False),
        ("at.0s = set rate 1mbit\nat.10s = join", False),
    ],
)
def test_what_a_step_takes(lines: str, carried: bool) -> None:
    """Of the time, or of the rate."""
    assert carries(read_scenario("x", f"says = x\n{lines}\n")) == carried


def test_a_scenario_that_is_varied() -> None:
    """It counts as it is played, not as its file has it."""
    slow = find_scenario("slow-link-large-batches")
    assert not carries(varied(slow, "rate", "500kbit"))
    assert carries(varied(varied(slow, "rate", "500kbit"), "lasts", "100s"))
    assert carries(with_records(varied(slow, "rate", "500kbit"), 6_000))
