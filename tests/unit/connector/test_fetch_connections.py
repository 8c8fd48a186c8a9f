"""Over how many connections a broker of the source is asked."""

from __future__ import annotations

from pathlib import Path

from java_program import connector_path, run_java

_PROGRAM = Path(__file__).with_name("FetchConnectionsOf.java")
_ID = 1
_SLOW, _FAST, _SMALL = "1000000 1000", "16000000 100", "65536 20"


def connections(*answers: str, most: int = 4, broker: int = _ID) -> list[tuple[bool, list[int]]]:
    """Give after each of *answers* whether the number changed, and each partition's broker."""
    printed = run_java(
        _PROGRAM, str(most), str(broker), jars=connector_path(), lines="\n".join(answers)
    )
    lines = [line.split() for line in printed.splitlines()]
    return [(changed == "true", [int(each) for each in ids]) for changed, *ids in lines]


def test_several_where_answers_come_slowly() -> None:
    """Each partition of a topic has its own, up to the limit; each has an id for Kafka."""
    (first, one), (second, four), (third, still) = connections(
        f"{_FAST} 8", f"{_SLOW} 8", f"{_SLOW} 8"
    )
    assert (first, second, third) == (False, True, False)
    assert one == [_ID] * 8
    assert len(set(four)) == 4
    assert _ID in four
    assert min(four) >= 0  # a bootstrap server has a negative one
    assert sorted(four[:4]) == sorted(set(four))
    assert still == four


def test_one_again_where_they_come_fast() -> None:
    """A link has been mended, or a machine was busy for a while."""
    assert [len(set(ids)) for _, ids in connections(f"{_SLOW} 4", f"{_FAST} 4")] == [4, 1]


def test_small_answers_tell_nothing() -> None:
    """They take a round trip, whatever the link carries."""
    found = connections(f"{_SMALL} 4", f"{_SLOW} 4", f"{_SMALL} 4")
    assert [len(set(ids)) for _, ids in found] == [1, 4, 4]


def test_no_more_than_partitions() -> None:
    """As topics come and go, too."""
    found = connections(f"{_SLOW} 2", f"{_SLOW} 1", f"{_SLOW} 3", f"{_SLOW} 0")
    assert [(changed, len(set(ids))) for changed, ids in found] == [
        (True, 2), (True, 1), (True, 3), (True, 0),
    ]  # fmt: skip


def test_the_operator_may_want_one() -> None:
    """`kmirror.connections.max = 1`."""
    assert connections(f"{_SLOW} 2", most=1) == [(False, [_ID, _ID])]


def test_sixteen_are_the_most() -> None:
    """All of them have ids that are no other broker's, and no coordinator's."""
    [(_, ids)] = connections(f"{_SLOW} 16", most=16, broker=1_000_000)
    assert len(set(ids)) == 16
    assert min(ids) == 1_000_000


def test_a_broker_whose_id_fills_the_number_has_one() -> None:
    """No bits are left for others."""
    big = 2**31 - 7
    assert connections(f"{_SLOW} 4", broker=big) == [(True, [big] * 4)]
