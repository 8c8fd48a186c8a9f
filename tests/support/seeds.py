"""Where random tests have their seed from; a plugin of pytest by itself, too."""

from __future__ import annotations

import secrets

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that runs a random test as it ran before."""
    parser.addoption("--seed", type=int, help="The seed that a random test has printed.")


@pytest.fixture
def seed(request: pytest.FixtureRequest) -> int:
    """Give the seed of a random test: of --seed, or another each time; a failure shows it."""
    given: int | None = request.config.getoption("--seed")
    seed = secrets.randbits(32) if given is None else given
    request.node.add_report_section("setup", "seed", f"the same again: pytest --seed {seed}")
    return seed
