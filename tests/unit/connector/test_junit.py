"""The connector's own tests (connector/src/test), each of them counted here."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from kmirror.config.client_properties import ClientProperties
from kmirror.pipeline.plan_file import FlowPlan, Share, SlotWork, write_plan
from tests.support.junit import junit_tests, run_junit

_TESTS = junit_tests()


def _share(until: int | None) -> Share:
    return Share(
        topic="t",
        partition=3,
        target="A.t",
        position="A.t",
        topic_id="id",
        target_id="tid",
        until=until,
        poison="dlq",
    )


def _slot(number: int, *shares: Share) -> SlotWork:
    name = f"kmirror-A-B-{number}"
    return SlotWork(transactional_ids=(name, f"{name}-b"), shares=shares)


_PLAN = FlowPlan(
    flow="A->B",
    generation=7,
    version=2,
    driver="d",
    group="__kmirror-A-B",
    owner_topic="mm2-offsets.A.internal",
    offset_map_topic="__kmirror-offsets-A-B",
    dlq_topic="kmirror-dlq.A",
    whole_batches=True,
    exactly_once=False,
    commit_interval_ms=100,
    commit_bytes_max=1,
    connections_max=4,
    consumer=ClientProperties({"client.id": "c"}),
    producer=ClientProperties({"linger.ms": "5"}),
    admin=ClientProperties({"retries": "1"}),
    slots=(_slot(0, _share(5), _share(None)), _slot(1)),
)


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, tuple[str, ...]]:
    """Return what came of them."""
    folder = tmp_path_factory.mktemp("junit")
    plan = folder / "plan.json"
    write_plan(_PLAN, plan)
    return run_junit(folder, plan)


@pytest.mark.parametrize("name", _TESTS)
def test_of_the_connector(name: str, results: Mapping[str, tuple[str, ...]]) -> None:
    """It ran, with whatever parameters it has, and nothing failed."""
    assert name in results, "JUnit did not find it"
    assert not results[name], "\n".join(results[name])


def test_none_is_left_out(results: Mapping[str, tuple[str, ...]]) -> None:
    """What JUnit finds, and what is counted above."""
    assert set(results) == set(_TESTS)
