"""The files that the contestants run."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bench.contestant import (
    CONTESTANTS,
    KMIRROR,
    KMIRROR_2_EXECUTORS,
    KMIRROR_4_SLOTS,
    MM2_DEFAULT,
    MM2_EXACTLY_ONCE,
    Contestant,
    properties,
)
from kmirror.config.load import load
from kmirror.model import Flow

FLOW = Flow(source="A3", target="B3")


def text_of(contestant: Contestant) -> str:
    """Write a contestant's file."""
    return properties(
        contestant, FLOW, source_bootstrap="127.0.0.1:9097", target_bootstrap="127.0.0.1:9098"
    )


def test_kmirror_gets_the_file_of_an_untuned_mm2() -> None:
    """The comparison is with nothing but defaults."""
    assert text_of(KMIRROR) == text_of(MM2_DEFAULT)


def test_exactly_once_has_an_internal_rest_server_of_its_own() -> None:
    """Two of them may run after each other while the first one's port is still in use."""
    first, second = text_of(MM2_EXACTLY_ONCE), text_of(MM2_EXACTLY_ONCE)
    assert "B3.exactly.once.source.support = enabled" in first
    assert "A3.consumer.isolation.level = read_committed" in first
    assert first != second


@pytest.mark.parametrize(
    "contestant",
    [*CONTESTANTS, KMIRROR_4_SLOTS, KMIRROR_2_EXECUTORS],
    ids=lambda each: each.name,
)
def test_every_file_is_valid(contestant: Contestant, tmp_path: Path) -> None:
    """kmirror accepts MM2's files too, and finds one flow in each."""
    file = tmp_path / "mm2.properties"
    file.write_text(text_of(contestant))
    config = load(file, environ=os.environ)
    assert [str(flow.flow) for flow in config.flows] == ["A3->B3"]
    assert not [warning for warning in config.warnings if "unknown key" in warning]
    slots = {KMIRROR_4_SLOTS: 4, KMIRROR_2_EXECUTORS: 2}
    assert config.flows[0].slots == slots.get(contestant)
