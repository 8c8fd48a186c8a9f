"""What a file says of provenance, and what follows for flows that go round."""

from __future__ import annotations

import pytest

from kmirror.config.provenance_sql import provenance_sql
from kmirror.errors import ConfigError
from kmirror.flows.transform import flow_transform
from kmirror.model import Flow
from kmirror.policy.provenance import ProvenanceRules
from tests.support.mirror_files import Load

BOTH = "A->B.enabled = true\nB->A.enabled = true\n"
IDENTITY = "replication.policy.class = IdentityReplicationPolicy\n"
ON = "kmirror.provenance = true\n"


def test_one_name_both_ways(load_text: Load) -> None:
    """Nothing goes round, so nothing is refused; records are looked into, and some are left."""
    config = load_text(BOTH + IDENTITY + ON)
    for flow in config.flows:
        assert flow.provenance == ProvenanceRules()
        assert flow.shares_copies
        assert flow.drops_records
        assert not flow.whole_batches
        assert flow.changed_columns == ("headers",)
        assert flow.granularity_text == "record by record (kmirror.provenance looks inside)"


def test_names_that_carry_their_source(load_text: Load) -> None:
    """Copies have a topic of their own, so all records are copied, and can be compared."""
    (flow,) = load_text("A->B.enabled = true\n" + ON).flows
    assert not flow.shares_copies
    assert not flow.drops_records
    (flow,) = load_text("A->B.enabled = true\nkmirror.provenance.hops.max = 2\n" + ON).flows
    assert flow.drops_records
    (flow,) = load_text("A->B.enabled = true\n").flows
    assert flow.provenance is None
    assert flow.whole_batches
    assert flow_transform(flow).provenance is None


@pytest.mark.parametrize("silent", ["A->B", "B->A"])
def test_one_silent_flow_is_enough_to_go_round(load_text: Load, silent: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_text(BOTH + IDENTITY + ON + f"{silent}.kmirror.provenance = false\n")
    (problem,) = caught.value.problems
    assert "kmirror.provenance = true for all of them" in problem.expected


def test_what_does_not_go_with_it(load_text: Load) -> None:
    """Records of others are never deleted."""
    with pytest.raises(ConfigError) as caught:
        load_text(BOTH + IDENTITY + ON + "kmirror.sync.log.start = true\n")
    assert {each.key for each in caught.value.problems} == {"kmirror.sync.log.start"}
    load_text("A->B.enabled = true\n" + ON + "kmirror.sync.log.start = true\n")


def test_settings_that_would_change_for_ever(load_text: Load) -> None:
    """Said once, and not where one side alone keeps them."""

    def doubts(more: str) -> list[str]:
        found = load_text(BOTH + IDENTITY + ON + more).warnings
        return [each.expected for each in found if "change for ever" in each.expected]

    (doubt,) = doubts("")
    assert "B->A.sync.topic.configs.enabled = false" in doubt
    assert doubts("B->A.sync.topic.configs.enabled = false\n") == []
    assert doubts("A->B.topics = a\nB->A.topics = b\n") == []


def test_a_limit_without_a_header(load_text: Load) -> None:
    config = load_text("A->B.enabled = true\nkmirror.provenance.hops.max = 1\n")
    (doubt,) = (each for each in config.warnings if each.key == "kmirror.provenance.hops.max")
    assert "has no effect" in doubt.expected


def test_a_canary_beside_it(load_text: Load) -> None:
    """Copies differ from their records, the canary's among them: there is none, and it is said."""
    canary = "kmirror.canary.enabled = true\n"
    config = load_text(canary)
    assert config.flows[0].canary.enabled
    assert config.warnings == ()
    config = load_text(canary + ON)
    assert not config.flows[0].canary.enabled
    (doubt,) = config.warnings
    assert (doubt.key, "has no effect" in doubt.expected) == ("kmirror.canary.enabled", True)


def test_names_are_quoted_in_its_sql() -> None:
    """An alias may have any characters."""
    sql = provenance_sql(Flow("it's", r"b\c"), ProvenanceRules(hops_max=2), "topic")
    assert r"array_contains(p.chain, 'b\\c')" in sql.keep
    assert "size(p.chain) >= 2" in sql.keep
    assert r"array('it\'s')" in sql.headers
