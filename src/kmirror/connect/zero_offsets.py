"""
Offsets of checkpoint and heartbeat connectors: 0, for everything that they have written of.

They do not say where these connectors are: MirrorMaker 2 reads none of them. Connect keeps them and
tells them like all others, so that is what tools show.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from kmirror.clock import Clock
from kmirror.connect.model import ConnectorOffset, JsonValue
from kmirror.connect.offset_requests import checkpoint_partition, heartbeat_partition
from kmirror.connect.offset_state import OffsetFold
from kmirror.model import Flow
from kmirror.state.meter import CheckpointKey
from kmirror.wire.source_offsets import SourceOffset

Subject = CheckpointKey | Flow
"""What a checkpoint is about, or a heartbeat."""

_ZERO = {"offset": 0}
# As Connect does by default (`offset.flush.interval.ms`).
_AGAIN_S = 60.0


class OffsetStore(Protocol):
    """Where Connect keeps offsets: `ConnectStore` does."""

    def offsets(self, connector: str) -> tuple[SourceOffset, ...]:
        """Read where a source connector is."""
        ...

    def put_offsets(self, offsets: Sequence[SourceOffset]) -> None:
        """Say where source connectors are."""
        ...


class MemoryOffsets:
    """Offsets of a worker that has no topics; any thread may ask."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._fold = OffsetFold()

    def offsets(self, connector: str) -> tuple[SourceOffset, ...]:
        """Return where a source connector is."""
        with self._lock:
            return self._fold.offsets(connector)

    def put_offsets(self, offsets: Sequence[SourceOffset]) -> None:
        """Say where source connectors are."""
        with self._lock:
            for each in offsets:
                self._fold.take(each)


class ZeroOffsets:
    """
    Writes these offsets, and reads them; any thread may.

    Args:
        store: Where they are.
        clock: Where time comes from.
    """

    def __init__(self, store: OffsetStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._lock = threading.Lock()
        self._put: dict[str, frozenset[Subject]] = {}
        self._began_s = clock.monotonic_s()

    def track(self, written: Mapping[str, Collection[Subject]]) -> None:
        """
        Say of which subjects connectors have written: at once when it is the first time, and again
        every minute, since another worker may have had them forgotten.

        Args:
            written: What connectors have written of since they began, by connector.

        Raises:
            ClusterError: It is not known whether it was written; the next time says it again.
        """
        with self._lock:
            now_s = self._clock.monotonic_s()
            if now_s - self._began_s >= _AGAIN_S:
                self._put, self._began_s = {}, now_s
            news = [
                SourceOffset(connector=name, partition=_partition(subject), offset=_ZERO)
                for name, subjects in written.items()
                for subject in frozenset(subjects) - self._put.get(name, frozenset())
            ]
            if news:
                self._store.put_offsets(news)
            self._put = {name: frozenset(subjects) for name, subjects in written.items()}

    def read(self, connector: str) -> tuple[ConnectorOffset, ...]:
        """
        Return the offsets of a connector.

        Raises:
            ClusterError: They could not be read.
        """
        return tuple(
            ConnectorOffset(partition=each.partition, offset=each.offset)
            for each in self._store.offsets(connector)
        )

    def alter(self, connector: str, offsets: Sequence[ConnectorOffset]) -> None:
        """
        Write offsets that were checked.

        Raises:
            ClusterError: It is not known whether they were written; writing them again does no
                harm.
        """
        with self._lock:
            self._put.pop(connector, None)
            self._store.put_offsets(
                [
                    SourceOffset(connector=connector, partition=each.partition, offset=each.offset)
                    for each in offsets
                ]
            )

    def reset(self, connector: str) -> None:
        """
        Forget all offsets of a connector.

        Raises:
            ClusterError: As `alter`.
        """
        self.alter(connector, [replace(each, offset=None) for each in self.read(connector)])


def _partition(subject: Subject) -> Mapping[str, JsonValue]:
    if isinstance(subject, Flow):
        return heartbeat_partition(subject)
    group, partition = subject
    return checkpoint_partition(group, partition)
