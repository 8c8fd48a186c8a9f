"""Files of connectors, as `connect-standalone` takes them."""

from __future__ import annotations

from pathlib import Path

import pytest

from kmirror.config.connector_file import read_connector_file
from kmirror.errors import ConfigError
from tests.support.connect_files import EXAMPLES


def write(folder: Path, text: str, name: str = "connector.properties") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_properties(tmp_path: Path) -> None:
    found = read_connector_file(write(tmp_path, "name = c\nconnector.class=X\ntopics = a, b\n"))
    assert found.name == "c"
    assert found.config == {"name": "c", "connector.class": "X", "topics": "a, b"}
    assert found.initial_state == "RUNNING"


def test_what_is_posted() -> None:
    found = read_connector_file(EXAMPLES / "connect-source.json")
    assert found.name == "public-test"
    assert found.config["refresh.topics.interval.seconds"] == "60", "numbers are texts"
    assert found.config["name"] == "public-test"


def test_settings_alone_and_a_state(tmp_path: Path) -> None:
    alone = read_connector_file(write(tmp_path, '{"name": "c", "connector.class": "X"}'))
    assert alone.config == {"name": "c", "connector.class": "X"}
    text = '{"name": "c", "config": {"connector.class": "X"}, "initial_state": "paused"}'
    assert read_connector_file(write(tmp_path, text)).initial_state == "PAUSED"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("topics = a\n", "expected a connector's settings"),
        ("{", "is no JSON"),
        ('{"name": "c", "connector.class": {"a": 1}}', "connector.class: expected a text"),
        (
            '{"name": "c", "config": {"connector.class": "X"}, "initial_state": "ASLEEP"}',
            "initial_state: expected one of RUNNING, PAUSED, STOPPED",
        ),
        ('{"name": "c"}', "expected a connector's settings"),
    ],
)
def test_what_is_none(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        read_connector_file(write(tmp_path, text))
    with pytest.raises(ConfigError, match="cannot be read"):
        read_connector_file(tmp_path / "nothing")
