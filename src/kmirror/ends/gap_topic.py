"""The topic `kmirror-events` on a target: what is missing in copies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import closing
from typing import Any

from kmirror.admin.base import ClusterAdmin
from kmirror.admin.internal_topics import InternalTopic
from kmirror.admin.internal_writer import InternalRecord, InternalWriter
from kmirror.admin.reader import RecordReader
from kmirror.clock import Clock
from kmirror.config.flows import FlowConfig
from kmirror.errors import MirrorError
from kmirror.events.emit import emit
from kmirror.events.gaps import GAPS_UNWRITTEN
from kmirror.model import TopicPartition
from kmirror.policy.selection import EVENTS_TOPIC
from kmirror.wire.gap_events import GapEvent, decode_gap

_CONFIGS = (("segment.bytes", str(16 * 1024 * 1024)),)


class GapTopic:
    """
    The gaps of one flow, as the topic has them.

    Args:
        config: The flow.
        admin: The target's control plane.
        rdkafka: librdkafka settings for the target.
        clock: Where time comes from.
    """

    def __init__(
        self, config: FlowConfig, admin: ClusterAdmin, rdkafka: Mapping[str, Any], clock: Clock
    ) -> None:
        self._config = config
        self._admin = admin
        self._rdkafka = rdkafka
        self._clock = clock
        self._cluster = f"cluster {config.flow.target}"
        self._is_refused = False

    def read(self) -> tuple[GapEvent, ...]:
        """
        Return what was found so far, by topic, partition, kind and offset.

        Raises:
            ClusterError: The topic could not be read.
        """
        if self._admin.topic(EVENTS_TOPIC) is None:
            return ()
        newest: dict[bytes, GapEvent] = {}
        flow = str(self._config.flow)

        def take(key: bytes | None, value: bytes | None, _at_ms: int) -> None:
            event = decode_gap(value)
            if event is None:
                newest.pop(key or b"", None)
            elif event.flow == flow:
                newest[key or b""] = event

        with RecordReader(
            self._rdkafka,
            cluster=self._cluster,
            timeout_s=self._config.admin_timeout_s,
            clock=self._clock,
        ) as reader:
            reader.read_on(self._admin, TopicPartition(EVENTS_TOPIC, 0), take)
        return tuple(sorted(newest.values(), key=_place))

    def write(self, events: Iterable[GapEvent]) -> None:
        """
        Write them, and wait until they are safe. Without the right to, it is said once that the
        log alone has them.

        Raises:
            MirrorError: The target did not answer; writing all of them again does no harm.
        """
        config = self._config
        writer = InternalWriter(
            self._rdkafka,
            cluster=self._cluster,
            timeout_s=config.admin_timeout_s,
            clock=self._clock,
        )
        with closing(writer):
            topic = InternalTopic(
                EVENTS_TOPIC,
                self._admin,
                writer,
                replication_factor=config.offset_storage_replication_factor,
                configs=_CONFIGS,
            )
            encoded = (event.encode() for event in events)
            try:
                topic.write(InternalRecord(key=key, value=value) for key, value in encoded)
            except MirrorError as error:
                if error.retriable:
                    raise
                if not self._is_refused:
                    emit(GAPS_UNWRITTEN, flow=config.flow, error=error)
                self._is_refused = True


def _place(event: GapEvent) -> tuple[str, int, str, int]:
    return (event.topic, event.partition, event.kind, event.start or 0)
