"""The audit by sequence numbers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kmirror_lab.duplicates.audit import Audit, Sample, arrived_s, audit, last_new
from kmirror_lab.duplicates.files import consumer_file, mirror_file, producer_file
from kmirror_lab.duplicates.input import number_of, rows, value_of
from kmirror_lab.duplicates.result import Conditions, Effect, Peer, Run, effects_of
from kmirror_lab.duplicates.runs_file import to_json

_NUMBERS = st.lists(st.integers(0, 200), unique=True, max_size=40)


def found(text: str) -> tuple[int, ...]:
    """Audit a copy of `abcdef`: duplicated, reordered, lost, outstanding, invented."""
    made = audit([ord(letter) for letter in "abcdef"], [ord(letter) for letter in text])
    return made.duplicated, made.reordered, made.lost, made.outstanding, made.invented


@pytest.mark.parametrize(
    ("copy", "expected"),
    [
        ("abcdef", (0, 0, 0, 0, 0)),
        ("abc", (0, 0, 0, 3, 0)),
        ("", (0, 0, 0, 6, 0)),
        ("abcabcdef", (3, 0, 0, 0, 0)),
        ("abdef", (0, 0, 1, 0, 0)),
        ("acbdef", (0, 1, 0, 0, 0)),
        ("abdc", (0, 1, 0, 2, 0)),
        ("abcxdef", (0, 0, 0, 0, 1)),
        # Sent again behind the next one: the copy is a copy, and not out of order, too.
        ("abcda", (1, 0, 0, 2, 0)),
        # The first try arrives behind the next request: out of order.
        ("cdabef", (0, 2, 0, 0, 0)),
    ],
)
def test_what_is_counted(copy: str, expected: tuple[int, ...]) -> None:
    """Each harm by itself."""
    assert found(copy) == expected


@given(source=_NUMBERS)
def test_the_beginning_of_the_source_is_exact(source: list[int]) -> None:
    """Whatever part of it has arrived."""
    for end in range(len(source) + 1):
        made = audit(source, source[:end])
        assert made.exact
        assert (made.distinct, made.outstanding) == (end, len(source) - end)


@given(source=_NUMBERS, target=st.lists(st.integers(0, 200), max_size=80))
def test_every_record_is_counted_once(source: list[int], target: list[int]) -> None:
    """The sums are right for any copy."""
    made = audit(source, target)
    assert made.mirrored == len(target)
    assert made.distinct + made.duplicated + made.invented == made.mirrored
    assert made.distinct + made.lost + made.outstanding == made.produced == len(source)
    assert made.distinct == len(set(source) & set(target))
    assert made.exact == (list(source[: len(target)]) == target)


@given(source=_NUMBERS, data=st.data())
def test_copies_change_nothing_else(source: list[int], data: st.DataObject) -> None:
    """A copy behind the first of a record is a duplicate, wherever it stands."""
    target = list(source)
    for _ in range(data.draw(st.integers(0, 10)) if source else 0):
        origin = data.draw(st.integers(0, len(target) - 1))
        target.insert(data.draw(st.integers(origin + 1, len(target))), target[origin])
    made = audit(source, target)
    assert made.duplicated == len(target) - len(source)
    assert (made.reordered, made.lost, made.outstanding, made.invented) == (0, 0, 0, 0)


def test_partitions_are_added() -> None:
    """Counts are sums, and the most copies of one record the greatest."""
    both = audit([1, 2], [1, 1, 1]) + audit([3, 4], [4, 3])
    assert both == Audit(
        produced=4,
        mirrored=5,
        distinct=3,
        duplicated=2,
        copies_max=3,
        reordered=1,
        lost=0,
        outstanding=1,
        invented=0,
    )


def test_time_ends_with_the_last_new_record() -> None:
    """Copies that come later do not count."""
    assert last_new([(0, 7), (2, 8), (3, 7), (5, 8)]) == 2
    assert last_new([]) == -1
    samples = [Sample(1, {0: 1}), Sample(2, {0: 3}), Sample(3, {0: 3, 1: 1}), Sample(9, {0: 8})]
    assert arrived_s(samples, {0: 2}) == 2
    assert arrived_s(samples, {0: 2, 1: 0}) == 3
    assert arrived_s(samples, {0: 2, 1: -1}) == 2
    assert arrived_s(samples, {0: 99}) == 9
    assert arrived_s([], {}) == 0


def test_values_carry_their_numbers() -> None:
    """In as many bytes as were asked for, and no two the same."""
    assert len(value_of(5, size_bytes=188)) == 188
    assert number_of(value_of(5, size_bytes=12).encode()) == 5
    assert number_of(b"other") == number_of(None) == number_of(b"no number here") == -1
    lines = list(rows(10, 300, size_bytes=30))
    assert len(set(lines)) == 300
    assert all(line.count(",") == 1 and line.endswith("\n") for line in lines)


def run_of(
    made: Audit,
    *,
    peer: Peer,
    wanted: set[Effect] | None,
    died: bool = False,
    carried: bool = False,
) -> Run:
    """Give a run with what was found."""
    return Run(
        scenario="x",
        peer=peer,
        audit=made,
        died=died,
        seconds=1,
        records_per_s=1,
        timeouts=None,
        retries=None,
        effects=effects_of(made, died=died),
        wanted=None if wanted is None else frozenset(wanted),
        conditions=Conditions(asked="x"),
        carried=carried,
    )


def test_what_was_expected() -> None:
    """Harm that is foretold must be there, harm that is not must not; lag is no harm."""
    doubled, right = audit([1, 2], [1, 1, 2]), audit([1, 2], [1])
    mm2 = Peer.MIRROR_MAKER
    assert run_of(doubled, peer=mm2, wanted={Effect.DUPLICATED}).as_expected
    assert not run_of(right, peer=mm2, wanted={Effect.DUPLICATED}).as_expected
    assert not run_of(doubled, peer=mm2, wanted={Effect.DIES}, died=True).as_expected
    assert run_of(right, peer=mm2, wanted={Effect.DIES}, died=True).as_expected
    assert run_of(right, peer=Peer.KMIRROR, wanted=set()).as_expected
    assert not run_of(doubled, peer=Peer.KMIRROR, wanted=set()).as_expected
    assert not run_of(right, peer=Peer.KMIRROR, wanted=set(), died=True).as_expected
    assert run_of(doubled, peer=Peer.MIRROR_MAKER_1, wanted=None).as_expected
    assert Effect.STANDS_STILL in effects_of(audit(range(20), [0]), died=False)


def test_kmirror_copies_what_the_link_carries() -> None:
    """One that stops is not as expected; of MirrorMaker the scenario demands what it says."""
    part, whole = audit(range(20), range(15)), audit(range(20), range(20))
    assert not run_of(part, peer=Peer.KMIRROR, wanted=set(), carried=True).as_expected
    assert run_of(whole, peer=Peer.KMIRROR, wanted=set(), carried=True).as_expected
    assert run_of(part, peer=Peer.KMIRROR, wanted=set()).as_expected
    for peer in (Peer.MIRROR_MAKER, Peer.MIRROR_MAKER_1):
        assert run_of(part, peer=peer, wanted=set(), carried=True).as_expected
        assert run_of(part, peer=peer, wanted=None, carried=True).as_expected


def test_results_as_json() -> None:
    """Names and numbers, for programs."""
    text = to_json([run_of(audit([1], [1, 1]), peer=Peer.MIRROR_MAKER, wanted=set())])
    assert '"duplicated": 1' in text
    assert '"as_expected": false' in text
    assert '"peer": "mm2"' in text


def test_the_mirrors_file() -> None:
    """The scenario's lines are the last, so that they count."""
    text = mirror_file("a:1", "b:2", [("us-east-2.producer.retries", "1")])
    assert text.startswith("clusters = us-east-1, us-east-2\nus-east-1.bootstrap.servers = a:1\n")
    assert text.endswith("us-east-2.producer.retries = 1\n")


def test_the_files_of_mirror_maker_1() -> None:
    """Each client's own lines, without the prefix; a line for both is for neither."""
    lines = [("us-east-2.producer.retries", "1"), ("producer.acks", "1")]
    assert producer_file("b:2", lines) == "bootstrap.servers = b:2\nretries = 1\n"
    assert "retries" not in consumer_file("a:1", lines)
