"""The connector's own tests (connector/src/test), each of them counted here."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from kmirror.pipeline.plan_file import write_plan
from tests.support.flow_plan import PLAN
from tests.support.junit import junit_tests, run_junit

_TESTS = junit_tests()


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, tuple[str, ...]]:
    """Return what came of them."""
    folder = tmp_path_factory.mktemp("junit")
    plan = folder / "plan.json"
    write_plan(PLAN, plan)
    return run_junit(folder, plan)


@pytest.mark.parametrize("name", _TESTS)
def test_of_the_connector(name: str, results: Mapping[str, tuple[str, ...]]) -> None:
    """It ran, with whatever parameters it has, and nothing failed."""
    assert name in results, "JUnit did not find it"
    assert not results[name], "\n".join(results[name])


def test_none_is_left_out(results: Mapping[str, tuple[str, ...]]) -> None:
    """What JUnit finds, and what is counted above."""
    assert set(results) == set(_TESTS)
