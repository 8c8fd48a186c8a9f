"""Over how many connections a broker of the source is asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.java_program import connector_path, run_java

_PROGRAM = Path(__file__).with_name("FetchConnectionsOf.java")
_ID = 1
# Bytes, how long they took, how long the lane had nothing to do for that.
_SLOW, _FAST = "1000000 1000 1000", "16777216 100 100"


def connections(*answers: str, most: int = 4, broker: int = _ID) -> list[tuple[bool, list[int]]]:
    """Give after each of *answers* whether the number changed, and each partition's broker."""
    printed = run_java(
        _PROGRAM, str(most), str(broker), jars=connector_path(), lines="\n".join(answers)
    )
    lines = [line.split() for line in printed.splitlines()]
    return [(changed == "true", [int(each) for each in ids]) for changed, *ids in lines]


def numbers(*answers: str) -> list[int]:
    """Give how many connections four partitions have after each of *answers*."""
    return [len(set(ids)) for _, ids in connections(*(f"{answer} 4" for answer in answers))]


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
    """A link has been mended."""
    assert numbers(_SLOW, _FAST) == [4, 1]


@pytest.mark.parametrize(
    "tells_nothing",
    [
        pytest.param("65536 20 20", id="a small answer takes a round trip on any link"),
        pytest.param("1000000 1000 0", id="the lane was busy while it came"),
        pytest.param("16777216 300 300", id="neither slow nor so fast that one would do"),
        pytest.param("1000000 20 3600000", id="all was quiet before it came"),
    ],
)
def test_not_each_answer_tells(tells_nothing: str) -> None:
    """One remains one, and four remain four."""
    assert numbers(tells_nothing, _SLOW, tells_nothing) == [1, 4, 4]


def test_answers_side_by_side_count_together() -> None:
    """The lane waits for the first of four; that it need not for the others says nothing."""
    at_once = ["4194304 1300 1300", *["4194304 1300 0"] * 3]
    assert numbers(*at_once * 3) == [4] * 12


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
