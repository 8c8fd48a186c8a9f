"""Where an application works, as the targets' entries say."""

from __future__ import annotations

from pathlib import Path

import pytest

from kmirror.apps.logical import LogicalTopics
from kmirror.errors import ClusterUnavailable
from tests.support.regions import DRIVER, FAILED_OVER, own, region_a


def test_home_and_away(tmp_path: Path) -> None:
    """Away while the flow is held, and home again afterwards."""
    topics, admins = region_a(tmp_path)
    place = topics.resolve("t")
    assert (place.cluster, place.bootstrap_servers, place.why) == ("A", "a:1", "")
    assert (place.topics, place.write) == (("t",), "t")
    own(admins["B"], FAILED_OVER)
    place = topics.resolve("t")
    assert (place.cluster, place.topics, place.write) == ("B", ("A.t", "t"), "t")
    assert (place.pattern, place.sources) == (r"^((A)\.){0,1}t$", ("A",))
    assert "kmirror failover" in place.why
    # Nobody knows, so what was known last counts.
    admins["B"].is_away = True
    with pytest.raises(ClusterUnavailable):
        topics.resolve("t")
    admins["B"].is_away = False
    own(admins["B"], DRIVER)
    assert topics.resolve("t").cluster == "A"
    admins["B"].is_away = True
    assert topics.resolve("t").cluster == "A"
    topics.close()


def test_names_that_stay(tmp_path: Path) -> None:
    """A migration."""
    policy = "org.apache.kafka.connect.mirror.IdentityReplicationPolicy"
    topics, admins = region_a(tmp_path, f"A->B.replication.policy.class = {policy}")
    own(admins["B"], FAILED_OVER)
    place = topics.resolve("t")
    assert (place.pattern, place.topics, place.sources) == ("^t$", ("t",), ())


def test_no_such_region(tmp_path: Path) -> None:
    """It is said at once."""
    topics, _ = region_a(tmp_path)
    with pytest.raises(ValueError, match="no cluster C"):
        LogicalTopics.of_file(tmp_path / "mm2.properties", region="C")
    topics.close()
