"""
What a worker of Kafka 4.3.1 wrote into its three topics, and then said over its REST API.

It ran MirrorMaker 2's connectors with `exactly.once.source.support`; its clusters are gone.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

_RECORDED: dict[str, Any] = json.loads(
    Path(__file__).with_name("connect_records.json").read_text(encoding="utf-8")
)


class Recorded(NamedTuple):
    """A record as it lay in its topic."""

    partition: int
    key: bytes
    value: bytes | None


def recorded(topic: str) -> list[Recorded]:
    """Return the records of a topic, those of one key in their order."""
    return [
        Recorded(partition, key.encode(), None if value is None else value.encode())
        for partition, key, value in _RECORDED[topic]
    ]


def said() -> dict[str, Any]:
    """Return the worker's answers: `expand` of all connectors, and `offsets` of one."""
    answers: dict[str, Any] = _RECORDED["rest"]
    return answers
