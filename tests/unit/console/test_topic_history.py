"""The last 15 minutes of topics."""

from __future__ import annotations

from kmirror.console.topic_history import TOPICS_MAX, TopicHistory, TopicLook
from kmirror.model import Flow

AB = Flow("A", "B")


def look(topic: str, lag: int | None, rate: float | None = None) -> TopicLook:
    """Give a topic at a moment."""
    return TopicLook(topic=topic, lag_records=lag, records_per_s=rate)


def test_a_topic_that_comes_later() -> None:
    """It has no past; what is not known of another one stays so."""
    history = TopicHistory()
    history.add(AB, 15_000, [look("b", 5, 1.5)])
    history.add(AB, 30_000, [look("c", 7), look("b", None), look("a", 1)])
    found = history.plots(AB, "b", 30_000)
    assert [(each.at_ms, each.lag_records, each.records_per_s) for each in found.points] == [
        (15_000, 5, 1.5),
        (30_000, None, None),
    ]
    assert found.since_ms == 15_000
    assert [each.at_ms for each in history.plots(AB, "c", 30_000).points] == [30_000]
    assert history.plots(AB, "none", 30_000).points == ()
    history.forget_others(frozenset())
    assert history.plots(AB, "b", 30_000).since_ms is None


def test_memory() -> None:
    """It does not grow: not with time, and not with topics that do not lag."""
    history = TopicHistory()
    for second in range(0, 3600, 5):
        if history.is_due(AB, 1000 * second):
            looks = [look(f"t{at:04}", at) for at in range(TOPICS_MAX + 10)]
            history.add(AB, 1000 * second, looks)
    points = history.plots(AB, "t0010", 3_600_000).points
    assert 59 <= len(points) <= 61
    assert points[0].at_ms >= 2_700_000
    assert history.plots(AB, "t0009", 3_600_000).points == ()
