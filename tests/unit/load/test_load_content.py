"""What a load writes: sizes, keys, and rows of files."""

from __future__ import annotations

import random
from itertools import islice

import pytest

from kmirror.load.content import (
    Content,
    Fields,
    Made,
    RowFormat,
    RowProblem,
    again_and_again,
    rows,
)
from kmirror.load.sizes import parse_sizes
from kmirror.units import UnitProblem


def _drawn(text: str, count: int = 2000) -> list[int]:
    rng, sizes = random.Random(1), parse_sizes(text)
    return [sizes.draw(rng) for _ in range(count)]


def test_a_size_is_one_size() -> None:
    """With units, if wanted."""
    assert set(_drawn("1000", 3)) == {1000}
    assert set(_drawn("16KiB", 3)) == {16384}


def test_a_range_of_sizes() -> None:
    """Both ends come."""
    assert (min(_drawn("1..5")), max(_drawn("1..5"))) == (1, 5)


def test_sizes_about_a_mean() -> None:
    """None is negative, and their mean is the one that was asked for."""
    found = _drawn("1000~200")
    assert 980 < sum(found) / len(found) < 1020
    assert len(set(found)) > 100
    assert min(_drawn("10~100")) == 0


def test_sizes_with_weights() -> None:
    """As often as they weigh."""
    found = _drawn("100:90%,10KB:10%")
    assert set(found) == {100, 10_000}
    assert 0.87 < found.count(100) / len(found) < 0.93


@pytest.mark.parametrize(
    "text", ["", "big", "5..1", "100,200", "100:0", "1~", "100:x", "1GiB", "2000MB", "-5"]
)
def test_what_is_no_size(text: str) -> None:
    """It says what is one."""
    with pytest.raises(UnitProblem, match="expected"):
        parse_sizes(text)


def test_the_same_seed_makes_the_same_records() -> None:
    """And another seed others."""

    def first(seed: int) -> list[Content]:
        return list(islice(Made(sizes=parse_sizes("10..90"), keys=5, seed=seed).contents(), 20))

    assert first(1) == first(1)
    assert first(1) != first(2)
    assert {each.key for each in first(1)} <= {f"key-{number}".encode() for number in range(5)}


def test_rows_of_a_csv() -> None:
    """Columns become key, value and headers; without a value field the row is one JSON object."""
    lines = ["id,name,note\n", '1,"a, b",x\n', "2,c,\n"]
    fields = Fields(key="id", headers=("note",))
    found = list(rows(lines, RowFormat.CSV, fields, name="r.csv"))
    assert found[0] == Content(b"1", b'{"id": "1", "name": "a, b", "note": "x"}', (("note", b"x"),))
    named = list(rows(lines, RowFormat.CSV, Fields(value="name"), name="r.csv"))
    assert [(each.key, each.value) for each in named] == [(None, b"a, b"), (None, b"c")]


def test_rows_of_json() -> None:
    """The line goes as it is; a field that is no text goes as JSON, null as null."""
    lines = ['{"k": 7, "v": {"a": 1}}\n', "\n", '{"k": null, "v": null}']
    found = list(rows(lines, RowFormat.JSON, Fields(key="k"), name="r"))
    assert found[0] == Content(b"7", b'{"k": 7, "v": {"a": 1}}')
    assert found[1].key is None
    values = list(rows(lines, RowFormat.JSON, Fields(value="v"), name="r"))
    assert [each.value for each in values] == [b'{"a": 1}', None]


@pytest.mark.parametrize(
    ("kind", "lines", "words"),
    [
        (RowFormat.CSV, ["a,b\n", "1\n"], "r:2: expected 2 columns"),
        (RowFormat.CSV, ["a,b\n", "1,2\n"], "r:2: there is no field id; there is a, b"),
        (RowFormat.CSV, ["id\n", '"x\n'], "r:2: no row of a CSV"),
        (RowFormat.JSON, ["{}\n"], "r:1: there is no field id; there is nothing"),
        (RowFormat.JSON, ['{"id": 1}\n', "[1]\n"], "r:2: expected a JSON object, one a line"),
        (RowFormat.JSON, ["{"], "r:1: expected a JSON object: "),
    ],
)
def test_a_row_that_is_wrong(kind: RowFormat, lines: list[str], words: str) -> None:
    """File and line, and what was expected."""
    with pytest.raises(RowProblem, match=words):
        list(rows(lines, kind, Fields(key="id"), name="r"))


def test_an_input_that_begins_anew() -> None:
    """It does not end, unless there is nothing in it."""
    two = [Content(None, b"1"), Content(None, b"2")]
    found = again_and_again(lambda: iter(two))
    assert [each.value for each in islice(found, 5)] == [b"1", b"2", b"1", b"2", b"1"]
    assert list(again_and_again(lambda: iter(()))) == []


def test_half_a_character_is_a_wrong_row() -> None:
    """JSON can have it, UTF-8 cannot."""
    lines = ['{"id": "ok"}', '{"id": "\\ud800"}']
    found = rows(lines, RowFormat.JSON, Fields(key="id", value="id"), name="f")
    assert next(found).key == b"ok"
    with pytest.raises(RowProblem, match="f:2: half a character"):
        next(found)
