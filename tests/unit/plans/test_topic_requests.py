"""Topics are made in requests that a controller takes, whatever their number and size."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kmirror.plans.topic_requests import (
    PARTITIONS_MAX,
    TOPICS_MAX,
    creations,
    growths,
    left_by_creations,
)
from kmirror.plans.topics import GrowTopic, NewTopic

sizes = st.lists(st.integers(1, 3 * PARTITIONS_MAX) | st.integers(1, 50), max_size=1200)


@given(sizes)
def test_every_topic_gets_its_partitions(sizes: list[int]) -> None:
    """First those that are made with it, then those that it grows by, in order."""
    wanted = {f"t{n}": size for n, size in enumerate(sizes)}
    topics = [NewTopic(name=n, partitions=size, replication_factor=1) for n, size in wanted.items()]
    found: dict[str, int] = {}
    for made in creations(topics):
        assert len(made) <= TOPICS_MAX
        assert sum(new.partitions for new in made) <= PARTITIONS_MAX
        found |= {new.name: new.partitions for new in made}
    for grown in growths(left_by_creations(topics)):
        assert len(grown) <= TOPICS_MAX
        assert len({grow.name for grow in grown}) == len(grown)
        assert sum(grow.to_partitions - grow.from_partitions for grow in grown) <= PARTITIONS_MAX
        for grow in grown:
            assert found[grow.name] == grow.from_partitions
            found[grow.name] = grow.to_partitions
    assert found == wanted


def test_what_fits_is_one_request() -> None:
    """Also when it grows."""
    topics = [NewTopic(name=f"t{n}", partitions=50, replication_factor=3) for n in range(100)]
    assert list(creations(topics)) == [topics]
    assert list(left_by_creations(topics)) == []
    grow = GrowTopic(name="t", from_partitions=10, to_partitions=PARTITIONS_MAX)
    assert list(growths([grow])) == [[grow]]
    assert list(creations([])) == list(growths([])) == []
