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


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientError:
    """
    What a Java client of Kafka failed with.

    Args:
        name: The exception's class, without its package.
        message: What it says; empty when it says nothing.
    """

    name: str
    message: str

    @property
    def words(self) -> str:
        """What it says, in any case something."""
        return self.message or self.name

    def __str__(self) -> str:
        return f"{self.name}: {self.message}" if self.message else self.name


@dataclass(frozen=True, slots=True, order=True)
class Flow:
    """One direction of replication, written `source->target`."""

    source: str
    target: str

    def __str__(self) -> str:
        return f"{self.source}->{self.target}"
