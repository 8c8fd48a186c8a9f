"""What only a source knows of its logs: asked for while somebody looks; no page waits for it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import islice

from kmirror.admin.base import ClusterAdmin
from kmirror.api.flows import PartitionView
from kmirror.clock import Clock
from kmirror.config.flows import FlowConfig
from kmirror.console.figures import Offsets
from kmirror.ends.clients import open_source
from kmirror.errors import MirrorError
from kmirror.events.emit import emit
from kmirror.events.table import RUN_CRASHED
from kmirror.model import Flow, TopicPartition

KEEP_S = 20.0
PARTITIONS_MAX = 10_000
"""Of more partitions of a flow those are asked for that come first."""
NOBODY = -1
"""Kafka's number of the leader of a partition that has none."""
_AT_ONCE = 4

OpenSource = Callable[[FlowConfig, Clock], ClusterAdmin]
"""Opens the control plane of a flow's source."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceLogs:
    """
    What a source has told of the logs of a flow.

    Args:
        as_of_ms: When, milliseconds since the epoch; `None` while it has told nothing.
        begins: The first offset of each partition that it told.
        leaders: The broker that leads each; `NOBODY` for none at that time.
        error: Why nothing newer is known; empty when all is well.
    """

    as_of_ms: int | None = None
    begins: Mapping[TopicPartition, int] = field(default_factory=dict)
    leaders: Mapping[TopicPartition, int] = field(default_factory=dict)
    error: str = ""

    def mirrored(
        self, partition: TopicPartition, position: int, end: int
    ) -> tuple[int, int] | None:
        """
        Return how many of the offsets that the source holds are copied, and how many it holds.

        Args:
            partition: On the source.
            position: The next source offset to copy.
            end: Where the source's log ends.
        """
        begin = self.begins.get(partition)
        if begin is None:
            return None
        # Both were looked at before where the log begins now, and may lie before that.
        held = max(0, end - begin)
        return min(max(0, position - begin), held), held


class SourceLooks:
    """
    Asks sources. Who looks gets what is known, and is told more when they look again.

    Args:
        clock: Where time comes from.
        opens: Opens a source.
    """

    def __init__(self, clock: Clock, opens: OpenSource = open_source) -> None:
        self._clock = clock
        self._open = opens
        self._lock = threading.Lock()
        self._known: dict[Flow, SourceLogs] = {}
        self._asked_s: dict[Flow, float] = {}
        self._asking = 0

    def of(
        self, config: FlowConfig, partitions: Callable[[], Iterable[TopicPartition]]
    ) -> SourceLogs:
        """
        Return what is known of a flow's source, and have it asked again where that is old.

        Args:
            config: The flow.
            partitions: Gives those of its source.
        """
        flow = config.flow
        with self._lock:
            is_due = self._clock.monotonic_s() - self._asked_s.get(flow, -KEEP_S) >= KEEP_S
            if is_due and self._asking < _AT_ONCE:
                self._asking += 1
                self._asked_s[flow] = self._clock.monotonic_s()
                threading.Thread(
                    target=self._ask,
                    args=(config, tuple(islice(partitions(), PARTITIONS_MAX))),
                    name=f"console-logs-{flow}",
                    daemon=True,
                ).start()
            return self._known.get(flow, SourceLogs())

    def _ask(self, config: FlowConfig, partitions: Sequence[TopicPartition]) -> None:
        # What was known before is still the best that can be shown, with its age.
        found = self._known.get(config.flow, SourceLogs())
        try:
            found = self._told(config, partitions) if partitions else found
        except MirrorError as error:
            found = replace(found, error=str(error))
        except Exception as error:  # noqa: BLE001 - a page has no other way to know
            emit(RUN_CRASHED, error=error, trace=error)
            found = replace(found, error=f"unexpected: {error!r}")
        with self._lock:
            self._asking -= 1
            self._known[config.flow] = found

    def _told(self, config: FlowConfig, partitions: Sequence[TopicPartition]) -> SourceLogs:
        with closing(self._open(config, self._clock)) as source:
            begins = source.offsets(partitions, "earliest", partial=True)
            leaders = source.leaders()
        asked = set(partitions)
        return SourceLogs(
            as_of_ms=self._clock.wall_ms(),
            begins=begins,
            leaders={tp: leader for tp, leader in leaders.items() if tp in asked},
        )


def with_logs(rows: Sequence[PartitionView], logs: SourceLogs) -> tuple[PartitionView, ...]:
    """
    Say of partitions what the source has told of their logs.

    Args:
        rows: They.
        logs: What it has told.
    """
    places = [TopicPartition(each.topic, each.partition) for each in rows]
    return tuple(
        replace(each, source_begin=logs.begins.get(tp), leader=logs.leaders.get(tp))
        for each, tp in zip(rows, places, strict=True)
    )


def mirrored_shares(places: Iterable[Offsets], logs: SourceLogs) -> Mapping[str, float]:
    """
    Return how much of what the source holds of topics is copied; nothing of those not known.

    Args:
        places: Where partitions are.
        logs: What the source has told of them.
    """
    counts: dict[str, tuple[int, int]] = {}
    unknown: set[str] = set()
    for each in places:
        found = None if each.end is None else logs.mirrored(each.partition, each.position, each.end)
        if found is None:
            unknown.add(each.partition.topic)
            continue
        copied, held = counts.get(each.partition.topic, (0, 0))
        counts[each.partition.topic] = (copied + found[0], held + found[1])
    return {
        topic: copied / held
        for topic, (copied, held) in counts.items()
        if held and topic not in unknown
    }
