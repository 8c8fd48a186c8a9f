"""`A.kmirror.alias.NAME`: flows from a cluster to itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from kmirror.config.load import MirrorConfig, load
from kmirror.errors import ConfigError
from kmirror.policy.filters import NameFilter

HEAD = "clusters = A, B\nA.bootstrap.servers = a:1\nB.bootstrap.servers = b:1\n"


def loaded(tmp_path: Path, *lines: str, clusters: tuple[str, ...] = ()) -> MirrorConfig:
    """Load a file with these lines."""
    file = tmp_path / "mm2.properties"
    file.write_text(HEAD + "".join(f"{line}\n" for line in lines))
    return load(file, clusters=clusters, environ={})


def test_a_flow_to_itself(tmp_path: Path) -> None:
    """With names and groups of its own, and nothing for consumers to move."""
    config = loaded(tmp_path, r"A.kmirror.alias.all.pay = pay, B\\.pay", "kmirror.where = true")
    (flow,) = config.flows
    assert str(flow.flow) == "A->A.all.pay"
    assert flow.policy.merges
    selection = flow.topic_selection()
    assert [t for t in ("pay", "B.pay", "Bxpay", "all.pay") if selection.selects(t)] == [
        "pay",
        "B.pay",
    ]
    assert {selection.remote_topic(topic) for topic in ("pay", "B.pay")} == {"all.pay"}
    assert not flow.consumers.follows_groups
    assert not flow.consumers.emit_offset_syncs
    assert flow.where is None
    assert flow.offset_storage_topic == "mm2-offsets.A.all.pay.internal"
    assert not config.warnings


def test_it_goes_nowhere(tmp_path: Path) -> None:
    """Neither to another cluster nor into another alias topic."""
    config = loaded(
        tmp_path,
        "A->B.enabled = true",
        "A.kmirror.alias.all-pay = pay.*",
        "A.kmirror.alias.all = .*",
    )
    selections = {str(flow.flow): flow.topic_selection() for flow in config.flows}
    assert set(selections) == {"A->B", "A->A.all-pay", "A->A.all"}
    for selection in selections.values():
        assert selection.selects("payments")
        assert not selection.selects("all-pay")
        assert not selection.selects("all")


def test_it_has_no_canary(tmp_path: Path) -> None:
    """Its topic would be a part of the alias topic; the flow beside it has one."""
    canary = "kmirror.canary.enabled = true"
    config = loaded(tmp_path, "A->B.enabled = true", "A.kmirror.alias.all = pay.*", canary)
    assert {str(each.flow): each.canary.enabled for each in config.flows} == {
        "A->B": True,
        "A->A.all": False,
    }
    assert not config.warnings


def test_with_the_clusters_asked_for(tmp_path: Path) -> None:
    """Like flows into them."""
    lines = ("A->B.enabled = true", "A.kmirror.alias.all = pay")
    names = [str(flow.flow) for flow in loaded(tmp_path, *lines, clusters=("B",)).flows]
    assert names == ["A->B"]
    names = [str(flow.flow) for flow in loaded(tmp_path, *lines, clusters=("A",)).flows]
    assert names == ["A->A.all"]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("A.kmirror.alias.all = [", "expected regexes"),
        ("A.kmirror.alias.__all = pay", "a topic of its own"),
        ("A.kmirror.alias.heartbeats = pay", "a topic of its own"),
        ("A.kmirror.alias. = pay", "a topic of its own"),
    ],
)
def test_what_is_wrong(tmp_path: Path, line: str, words: str) -> None:
    """With the line."""
    with pytest.raises(ConfigError) as error:
        loaded(tmp_path, line)
    assert words in str(error.value)
    assert "mm2.properties:4" in str(error.value)


def test_a_cluster_of_that_name(tmp_path: Path) -> None:
    """Both flows would be called `A->A.all`."""
    alias = "A.kmirror.alias.all = pay"
    cluster = ("clusters = A, A.all", "A.all.bootstrap.servers = c:1")
    assert len(loaded(tmp_path, alias, *cluster).flows) == 1
    with pytest.raises(ConfigError, match=r":4: A\.kmirror\.alias\.all = pay: .* another name"):
        loaded(tmp_path, alias, *cluster, "A->A.all.enabled = true")


def test_at_top_level(tmp_path: Path) -> None:
    """Which cluster is meant, nobody can tell."""
    config = loaded(tmp_path, "A->B.enabled = true", "kmirror.alias.all = pay")
    assert "write A or B.kmirror.alias.all" in str(config.warnings[0])


def test_names_are_no_patterns() -> None:
    """A dot is a dot."""
    assert not NameFilter((".*",), (r"a\.b",)).allows("a.b")
    assert NameFilter((".*",), (r"a\.b",)).allows("axb")
