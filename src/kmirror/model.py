"""The nouns that every other module speaks in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class TopicPartition(NamedTuple):
    """A topic and one of its partition numbers; a tuple, because it is looked up all the time."""

    topic: str
    partition: int

    def __str__(self) -> str:
        return f"{self.topic}-{self.partition}"


@dataclass(frozen=True, slots=True, order=True)
class Flow:
    """One direction of replication, written `source->target`."""

    source: str
    target: str

    def __str__(self) -> str:
        return f"{self.source}->{self.target}"
