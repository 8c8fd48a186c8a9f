"""The recorded answers about settings are those of Kafka's own Connect worker."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from kmirror_lab.fixtures import ClusterPair

from tests.support import connect_answers

pytestmark = pytest.mark.kafka


@pytest.fixture(scope="module")
def connect(kafka_pair: ClusterPair, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Give the address of a worker."""
    folder = tmp_path_factory.mktemp("answers")
    with connect_answers.kafkas_worker(kafka_pair.a.bootstrap, folder) as base:
        yield base


def test_settings_are_judged_as_recorded(connect: str) -> None:
    """Each recorded question is asked again."""
    content = connect_answers.recorded()
    cases = [case for case in content["cases"] if connect_answers.can_be_asked(case)]
    assert len(cases) > 200
    for case in cases:
        now = connect_answers.ask(connect, case, content["base"])
        # Connect keeps some of them in maps without an order.
        for answer in (now, case):
            answer["undefined"] = sorted(answer.get("undefined", ()))
        assert now == case, case["changed"]


def test_plugins_and_their_settings_are_as_recorded(connect: str) -> None:
    """Names, types, defaults, groups, widths and orders."""
    content = connect_answers.recorded()
    assert connect_answers.plugins(connect) == content["plugins"]
    for plugin, expected in content["configs"].items():
        assert connect_answers.definitions(connect, plugin) == expected, plugin
