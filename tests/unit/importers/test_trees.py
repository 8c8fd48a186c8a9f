"""JSON, YAML and properties of others: where everything stands, and what is refused."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kmirror.config.properties import read, written_line
from kmirror.errors import ConfigError
from kmirror.importers.json_tree import read_json
from kmirror.importers.setting import SourceFile, read_properties
from kmirror.importers.tree import DEPTH_MAX
from kmirror.importers.yaml_tree import read_yaml

_BOMB = "a: &a [x,x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{new}: &{new} [{','.join([f'*{old}'] * 10)}]\n"
    for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)


def _file(text: str) -> SourceFile:
    return SourceFile(name="f", text=text)


def test_json_values_are_texts_with_paths() -> None:
    """Connect takes numbers and words alike, and a path finds each of them again."""
    root = read_json(_file('{"a": {"b.c": 1, "d": true, "e": null}, "f": ["x", 1.50]}'))
    found = root.get("a", "b.c")
    assert found is not None
    assert (found.value, found.where) == ("1", "f $.a['b.c']")
    assert root.text("a", "d") == "true"
    assert root.get("a", "e") is None
    listed = root.get("f")
    assert listed is not None
    assert [(each.value, each.where) for each in listed.items()] == [
        ("x", "f $.f[0]"),
        ("1.50", "f $.f[1]"),
    ]


def test_yaml_values_are_texts_with_lines() -> None:
    """A scalar stays as it is written; `yes` is a word for true, and `~` is nothing."""
    first, second = read_yaml(_file("a:\n  b: 600\n  c: yes\n  d: ~\n---\ne: ['1_0', 0x10]\n"))
    found = first.get("a", "b")
    assert found is not None
    assert (found.value, found.where) == ("600", "f:2")
    assert first.text("a", "c") == "true"
    assert first.get("a", "d") is None
    listed = second.get("e")
    assert listed is not None
    assert [each.value for each in listed.items()] == ["1_0", "0x10"]


def test_an_alias_is_followed() -> None:
    """People share configurations between connectors like this."""
    (root,) = read_yaml(_file("a: &shared {x: 1}\nb: *shared\n"))
    assert root.text("b", "x") == "1"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (_BOMB, "more than 20000 values"),
        ("a: &a [*a]", "levels deep"),
        ("[" * 5000, "levels deep"),
        ("- " * (DEPTH_MAX + 2) + "x", "levels deep"),
        ("a: 1\na: 2\n", "f:2: a: is there twice"),
        ("base: &b {x: 1}\nc:\n  <<: *b\n", "f:3: <<: merged mappings"),
        ("{[1]: 2}", "expected a name before the colon"),
        ("a: [1", "f:1: file: is no YAML"),
        ("\tx: 1", "is no YAML"),
        ("a: *nowhere", "is no YAML"),
        ("\x00", "is no YAML"),
        ("x" * ((1 << 20) + 1), "is larger than"),
    ],
)
def test_yaml_that_is_refused(text: str, words: str) -> None:
    """It is refused soon, with the line and what to do."""
    with pytest.raises(ConfigError) as caught:
        read_yaml(_file(text))
    assert words in str(caught.value)


def test_a_tag_makes_no_object() -> None:
    """What Python would run is a text like any other."""
    (root,) = read_yaml(_file("a: !!python/object/apply:os.system ['true']"))
    found = root.get("a")
    assert found is not None
    assert [each.value for each in found.items()] == ["true"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "f:1: file: is no JSON"),
        ('{"a": 1, "a": 2}', "f $.a: a: is there twice"),
        ("[" * 100_000, "levels deep"),
        ("[" * 50 + "]" * 50, "levels deep"),
        (json.dumps(list(range(20_001))), "more than 20000 values"),
        (" " * ((1 << 20) + 1), "is larger than"),
    ],
)
def test_json_that_is_refused(text: str, words: str) -> None:
    """It is refused soon, with the place."""
    with pytest.raises(ConfigError) as caught:
        read_json(_file(text))
    assert words in str(caught.value)


def test_properties_have_lines() -> None:
    """Of equal keys the last one counts, as for Java; it knows the others."""
    found = read_properties(_file("a = 1\n# no\na = 2\nb: 2\na = 3\n"))
    assert [(each.key, each.text, each.where) for each in found] == [
        ("b", "2", "f:4"),
        ("a", "3", "f:5"),
    ]
    assert [(each.text, each.where) for each in found[1].earlier] == [("1", "f:1"), ("2", "f:3")]
    with pytest.raises(ConfigError, match="f:2"):
        read_properties(_file("a = 1\nb = \\u00"))


@given(st.text(min_size=1), st.text())
def test_a_written_line_is_read_again(key: str, value: str) -> None:
    """Whatever stands in it, the line means the same."""
    text = written_line(key, value)
    assert [(each.key, each.value) for each in read(text)] == [(key, value)]
    assert "\n" not in text
