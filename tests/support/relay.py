"""A topic that several programs copy in turn."""

from __future__ import annotations

import secrets

from kmirror_lab.fixtures import ClusterPair
from kmirror_lab.oracle.check import check

from tests.support.records import numbered, read, topics_of, write


class RelayTopic:
    """
    A topic of cluster A, and its copy in cluster B.

    Args:
        pair: The clusters.
        alias: What the programs call cluster A.
        partitions: How many it has.
        records: How many each partition gets in a round.
    """

    def __init__(self, pair: ClusterPair, alias: str, *, partitions: int, records: int) -> None:
        self.pair = pair
        self.topic = pair.a.create_topic(f"relay-{secrets.token_hex(4)}", partitions=partitions)
        self.copy = f"{alias}.{self.topic}"
        self.written = 0
        self._partitions = range(partitions)
        self._records = records

    def write(self) -> None:
        """Write one round more to each partition."""
        numbers = range(self.written, self.written + self._records)
        for partition in self._partitions:
            write(self.pair.a, self.topic, numbered("relay", numbers), partition=partition)
        self.written += self._records

    def has_copied(self) -> bool:
        """Tell whether each partition of the copy has as much as was written."""
        there = self.copy in topics_of(self.pair.b)
        return there and all(
            len(read(self.pair.b, self.copy, partition)) >= self.written
            for partition in self._partitions
        )

    def check(self) -> None:
        """Compare both sides: each record once."""
        verdict = check(self.pair.a.bootstrap, self.pair.b.bootstrap, {self.topic: self.copy})
        assert verdict.ok, str(verdict)
        assert verdict.records == self.written * len(self._partitions)
