"""The table of faults in GUARANTEES.md: which tests show what happens, and which take long."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

_PAGE = Path(__file__).parents[2] / "GUARANTEES.md"
_HEADING = "## Faults"
_TEST = re.compile(r"`(tests/[\w/]+\.py::\w+)`")
NOT_YET = "no test yet"


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultRow:
    """
    One fault.

    Args:
        number: Its number.
        fault: What is injected.
        happened: What was seen then.
        proof: The tests, as they stand there.
    """

    number: int
    fault: str
    happened: str
    proof: str

    @property
    def tests(self) -> tuple[str, ...]:
        """The tests, as pytest names them without parameters."""
        return tuple(_TEST.findall(self.proof))


def fault_rows() -> list[FaultRow]:
    """Read the table."""
    section = _PAGE.read_text(encoding="utf-8").partition(f"{_HEADING}\n")[2].partition("\n## ")[0]
    rows = []
    for line in section.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("|") and cells[0].isdigit():
            number, fault, happened, proof = cells
            rows.append(FaultRow(number=int(number), fault=fault, happened=happened, proof=proof))
    return rows


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option of `make faults`."""
    parser.addoption(
        "--faults",
        action="store_true",
        help="Run the tests of the table of faults in GUARANTEES.md, also those that take long.",
    )


def choose(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out tests that take long; with --faults, all others that are not in the table."""
    if config.getoption("--faults"):
        named = {test for row in fault_rows() for test in row.tests}
        wanted = [
            _name(item) in named or not {"fault", "long"}.isdisjoint(item.keywords)
            for item in items
        ]
    elif any("::" in argument for argument in config.args):
        return  # asked for by name
    else:
        wanted = [item.get_closest_marker("long") is None for item in items]
    left_out = [item for item, is_wanted in zip(items, wanted, strict=True) if not is_wanted]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item, is_wanted in zip(items, wanted, strict=True) if is_wanted]


def _name(item: pytest.Item) -> str:
    return item.nodeid.partition("[")[0]
