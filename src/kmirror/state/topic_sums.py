"""The mirrored topics, each with the sums of its partitions, kept as these change; pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from kmirror.model import TopicPartition
from kmirror.state.lags import NO_LAG, LagStatus
from kmirror.state.status import TopicStatus


@dataclass(slots=True)
class TopicSum:
    """The partitions of a topic together; `TopicStatus` says what is what."""

    partitions: int = 0
    lag_records: int = 0
    records: int = 0
    bytes: int = 0
    whole_records: int = 0
    skipped: int = 0
    kept: int = 0
    # Of partitions that have copied records in other batches than they were fetched in.
    unpacked: dict[TopicPartition, str] = field(default_factory=dict)

    def status(self, topic: str, lag: LagStatus) -> TopicStatus:
        """Return what people are shown of it."""
        return TopicStatus(
            topic=topic,
            partitions=self.partitions,
            lag_records=self.lag_records,
            records=self.records,
            bytes=self.bytes,
            whole_records=self.whole_records,
            skipped=self.skipped,
            kept=self.kept,
            unpacked=self.unpacked[min(self.unpacked)] if self.unpacked else "",
            lag=lag,
        )


class TopicSums:
    """The topics of a flow. A look at them costs what has changed since the last one."""

    def __init__(self) -> None:
        self._sums: dict[str, TopicSum] = {}
        self._shown: dict[str, TopicStatus] = {}
        self._stale: set[str] = set()
        self._all: tuple[TopicStatus, ...] = ()

    def changing(self, topic: str) -> TopicSum:
        """Return the sums of a topic, for a change; one without partitions is forgotten."""
        self._stale.add(topic)
        if (found := self._sums.get(topic)) is None:
            found = self._sums[topic] = TopicSum()
        return found

    def lags_changed(self, topics: Iterable[str]) -> None:
        """Note whose lag in time may be another one by now."""
        self._stale.update(topics)

    def shown(self, lags: Mapping[str, LagStatus]) -> tuple[TopicStatus, ...]:
        """
        Return the topics, by name; the same object when none has changed.

        Args:
            lags: Their lags in time.
        """
        if not self._stale:
            return self._all
        is_same = True
        for name in self._stale:
            found = self._sums.get(name)
            is_same &= name in self._shown
            if found is not None and found.partitions:
                self._shown[name] = found.status(name, lags.get(name, NO_LAG))
            else:
                is_same = False
                self._sums.pop(name, None)
                self._shown.pop(name, None)
        self._stale.clear()
        if not is_same:
            self._shown = dict(sorted(self._shown.items()))
        self._all = tuple(self._shown.values())
        return self._all
