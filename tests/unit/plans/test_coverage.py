"""What of a selection is not copied."""

from __future__ import annotations

from kmirror.model import Flow, TopicPartition
from kmirror.plans.coverage import Coverage, cover
from kmirror.plans.snapshot import TopicState
from kmirror.plans.topics import TopicProblem
from kmirror.policy.filters import NameFilter
from kmirror.policy.replication import DefaultReplicationPolicy
from kmirror.policy.selection import TopicSelection


def topics(**sizes: int) -> dict[str, TopicState]:
    names = {name.replace("A_", "A."): size for name, size in sizes.items()}
    return {name: TopicState(name=name, partitions=size) for name, size in names.items()}


def covered(
    items: tuple[str, ...],
    source: dict[str, TopicState],
    target: dict[str, TopicState],
    *,
    exclude: tuple[str, ...] = (),
    **causes: str,
) -> Coverage:
    selection = TopicSelection(
        flow=Flow("A", "B"), filter=NameFilter(items, exclude), policy=DefaultReplicationPolicy()
    )
    known = {
        f"A.{name}": TopicProblem(source_topic=name, reason=reason, hint="do it")
        for name, reason in causes.items()
    }
    return cover(selection, items, source, target, known)


def test_everything_is_there() -> None:
    found = covered(("t",), topics(t=2, other=1), topics(A_t=2))
    assert (found, found.words) == (Coverage(selected=1), ())
    assert found.is_complete


def test_a_copy_that_could_not_be_made_is_named_with_the_cause() -> None:
    found = covered((".*",), topics(t=2, u=1), topics(A_u=1), t="too many replicas")
    assert found.words == ("not mirrored: t: too many replicas (do it)",)
    assert found.waiting == (TopicPartition("t", 0), TopicPartition("t", 1))
    assert not found.is_complete


def test_a_copy_that_could_not_be_grown_lacks_partitions() -> None:
    found = covered(("t",), topics(t=3), topics(A_t=1), t="refused")
    assert found.words == ("not mirrored: t: only 1 of 3 partitions: refused (do it)",)
    assert found.waiting == (TopicPartition("t", 1), TopicPartition("t", 2))


def test_a_copy_that_is_simply_not_there() -> None:
    assert covered(("t",), topics(t=1), {}).words == ("not mirrored: t: A.t is not there",)


def test_a_name_that_is_not_there_is_missing_and_a_pattern_is_not() -> None:
    by_name = covered(("t", "nobody"), topics(t=1), topics(A_t=1))
    assert by_name.words == ("topics: nothing matches nobody: there is no topic of that name",)
    assert not by_name.is_complete
    by_pattern = covered(("t", "no.+y"), topics(t=1), topics(A_t=1))
    assert len(by_pattern.words) == 1
    assert by_pattern.is_complete


def test_nothing_selected_is_not_complete_and_says_why() -> None:
    nobody = covered(("nobody",), topics(t=1), {})
    assert nobody.words[-1] == "no topic is selected: topics names none that is there"
    excluded = covered((".*",), topics(t=1, __x=1), {}, exclude=("t",))
    assert excluded.words == (
        "no topic is selected: __x: it is an internal topic, t: topics.exclude names it",
    )
    empty = covered((".*",), {}, {})
    assert empty.words == ("no topic is selected: the source has none, or shows us none",)
    assert not any(each.is_complete for each in (nobody, excluded, empty))


def test_partitions_that_cannot_be_planned_are_not_mirrored_either() -> None:
    found = Coverage(selected=1).without([TopicPartition("t", 0), TopicPartition("t", 4)], "why")
    assert found.words == ("not mirrored: t: partition 0, 4: why",)
    assert found.waiting == (TopicPartition("t", 0), TopicPartition("t", 4))
    assert not found.is_complete


def test_partitions_without_a_leader_are_told() -> None:
    led = Coverage(selected=1).without([TopicPartition("t", 0)], "why")
    found = led.with_silent([TopicPartition("t", 1)])
    assert found.words[-1].startswith("not mirrored: t: partition 1: no broker tells where it ends")
    assert found.silent == (TopicPartition("t", 1),)
    assert found.waiting == (TopicPartition("t", 0), TopicPartition("t", 1))
    assert Coverage(selected=1).with_silent([]).is_complete
