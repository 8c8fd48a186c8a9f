"""The nouns that every other module speaks in."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9._-]")


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

    @property
    def in_names(self) -> str:
        """The part of the names of its own group, topic and transactional ids that tells it."""
        # A target's alias may have characters that a topic's name may not, or librdkafka's group.
        target = _NOT_IN_NAMES.sub(lambda found: f"_{ord(found[0]):x}_", self.target)
        return f"{self.source}-{target}"
