"""Whether a file is for one node or for several, and where these meet."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kmirror.config.changes import changes
from kmirror.config.load import MirrorConfig, load
from kmirror.config.nodes import NodesConfig
from kmirror.errors import ConfigError

_TWO_WAYS = (
    "clusters = A, B",
    "A.bootstrap.servers = a:1",
    "B.bootstrap.servers = b:1",
    "A->B.enabled = true",
    "B->A.enabled = true",
    "A.offset.storage.replication.factor = 2",
)


def loaded(folder: Path, *lines: str, clusters: tuple[str, ...] = ()) -> MirrorConfig:
    file = folder / "mm2.properties"
    file.write_text("\n".join((*_TWO_WAYS, *lines)))
    return load(file, clusters=clusters, environ=os.environ)


@pytest.mark.parametrize(
    ("lines", "several"),
    [
        ((), False),
        (("kmirror.nodes = several",), True),
        (("dedicated.mode.enable.internal.rest = true",), True),
        (("dedicated.mode.enable.internal.rest = true", "kmirror.nodes = one"), False),
    ],
)
def test_which_rule_holds(tmp_path: Path, lines: tuple[str, ...], several: bool) -> None:
    assert (loaded(tmp_path, *lines).nodes is not None) is several


def test_where_they_meet(tmp_path: Path) -> None:
    """On the first cluster that flows of the node go to, unless the file says where."""
    several = "kmirror.nodes = several"
    found = loaded(tmp_path, several)
    assert found.nodes == NodesConfig(group_id="kmirror", cluster="A", replication_factor=2)
    assert loaded(tmp_path, several, clusters=("B",)).nodes == NodesConfig(
        group_id="kmirror", cluster="B", replication_factor=3
    )
    lines = ("kmirror.nodes.cluster = B", "kmirror.nodes.group.id = g")
    assert loaded(tmp_path, several, *lines).nodes == NodesConfig(
        group_id="g", cluster="B", replication_factor=3
    )
    with pytest.raises(ConfigError, match="expected one of A, B") as refused:
        loaded(tmp_path, several, "kmirror.nodes.cluster = C")
    assert refused.value.problems[0].where.endswith(":8")
    with pytest.raises(ConfigError, match="one, several"):
        loaded(tmp_path, "kmirror.nodes = many")


def test_files_are_the_same_that_say_the_same(tmp_path: Path) -> None:
    """Whatever their comments, their order, and their passwords."""
    password = "B.sasl.jaas.config"
    one = loaded(tmp_path, "tasks.max = 1", f"{password} = secret")
    other = loaded(tmp_path, "# a comment", f"{password} = another", "", "tasks.max=1")
    assert one.digest == other.digest
    assert one.digest != loaded(tmp_path, "tasks.max = 2", f"{password} = secret").digest


def test_a_running_node_stays_in_its_group(tmp_path: Path) -> None:
    before = loaded(tmp_path, "kmirror.nodes = several")
    after = loaded(tmp_path, "kmirror.nodes = several", "kmirror.nodes.group.id = g")
    assert changes(before, after).refused == ("kmirror.nodes needs a restart of the driver",)


def test_half_a_character_counts_for_the_digest(tmp_path: Path) -> None:
    """Java's escapes can write one, in any line."""
    one, other = (loaded(tmp_path, f"x = \\u{digits}") for digits in ("d800", "d801"))
    assert one.digest != other.digest
