"""What the loss of a rack does."""

from __future__ import annotations

import pytest

from kmirror.plans.stretch import (
    BrokerPlace,
    ClusterLayout,
    Finding,
    Severity,
    TopicLayout,
    check_stretch,
)

SELECTOR = {"replica.selector.class": "org.apache.kafka.common.replica.RackAwareReplicaSelector"}


def layout(
    racks: str,
    *replicas: tuple[int, ...],
    min_isr: int = 2,
    unclean: bool = False,
    reader: str = "",
) -> ClusterLayout:
    """Give a cluster with one broker for each letter, and one topic."""
    return ClusterLayout(
        brokers=tuple(
            BrokerPlace(id=at, rack=rack.strip(), settings=SELECTOR)
            for at, rack in enumerate(racks, start=1)
        ),
        topics=(
            TopicLayout(
                name="t",
                replicas=replicas,
                settings={
                    "min.insync.replicas": str(min_isr),
                    "unclean.leader.election.enable": str(unclean).lower(),
                },
            ),
        ),
        readers={"flow A->B": reader} if reader else {},
    )


def worst(findings: tuple[Finding, ...]) -> dict[Severity, str]:
    """Give the words by severity."""
    return {
        severity: " | ".join(f.words for f in findings if f.severity is severity)
        for severity in Severity
    }


def test_a_good_cluster() -> None:
    """Three racks, a replica in each, two of them always in sync."""
    said = worst(check_stretch(layout("xyz", (1, 2, 3), (2, 3, 1), reader="y")))
    assert not said[Severity.ERROR]
    assert not said[Severity.WARNING]
    assert "keep every acknowledged record" in said[Severity.FINE]
    assert "reads in its own rack, y" in said[Severity.FINE]


@pytest.mark.parametrize(
    ("cluster", "severity", "words"),
    [
        (layout("x z", (1, 2, 3)), Severity.ERROR, "brokers 2 name no rack"),
        (layout("xxx", (1, 2, 3)), Severity.ERROR, "the cluster is not stretched"),
        (layout("xyxy", (1, 2, 3)), Severity.WARNING, "a majority of the controllers"),
        (layout("xxyz", (1, 2)), Severity.ERROR, "all replicas of a partition are in one rack"),
        # Two of three in one rack, and two in sync are enough: those two may be it.
        (layout("xxyz", (1, 2, 3)), Severity.ERROR, "one rack holds 2 replicas"),
        (layout("xxyz", (1, 2, 3), min_isr=3), Severity.WARNING, "writing stops"),
        (layout("xyz", (1, 2, 3), min_isr=1), Severity.ERROR, "may be in that rack alone"),
        (layout("xyz", (1, 2, 3), min_isr=3), Severity.WARNING, "nothing is lost, but writing"),
        (layout("xyz", (1, 2, 3), unclean=True), Severity.ERROR, "lost without a word"),
        (layout("xyz", (1, 2, 3), reader="w"), Severity.WARNING, "which no broker has"),
    ],
)
def test_findings(cluster: ClusterLayout, severity: Severity, words: str) -> None:
    """Each with what it means and what to do."""
    findings = check_stretch(cluster)
    assert words in worst(findings)[severity]
    assert all(finding.advice for finding in findings if finding.severity is not Severity.FINE)


def test_topics_alike_are_told_together() -> None:
    """A cluster has thousands of them."""
    one = layout("xyz", (1, 2, 3), min_isr=1)
    many = ClusterLayout(
        brokers=one.brokers,
        topics=tuple(
            TopicLayout(name=f"t{n:02}", replicas=((1, 2, 3),), settings={}) for n in range(20)
        ),
        readers={},
    )
    (told,) = [f for f in check_stretch(many) if f.severity is Severity.ERROR]
    assert told.subject == "20 topics: t00, t01, t02, t03, t04 and 15 more"


def test_reading_from_leaders() -> None:
    """Kafka's default."""
    cluster = ClusterLayout(
        brokers=(BrokerPlace(id=1, rack="x", settings={}),), topics=(), readers={}
    )
    assert "from leaders only" in worst(check_stretch(cluster))[Severity.WARNING]
