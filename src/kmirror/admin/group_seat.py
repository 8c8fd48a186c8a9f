"""A seat in a group of another kind of members: as long as it is taken, that kind cannot join."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from confluent_kafka import Consumer, KafkaError, KafkaException
from confluent_kafka import TopicPartition as KafkaPartition

from kmirror.admin import _errors
from kmirror.admin.connection import Connected
from kmirror.admin.renewal import Renewal
from kmirror.clock import Clock
from kmirror.errors import ClusterError, MirrorError

_POLL_S = 0.25
_SESSION_MS = 10_000
_JOIN_S_MAX = 2.0


class GroupSeat(Connected):
    """
    A consumer that reads nothing. Brokers let only members of one protocol into a group.

    Args:
        config: librdkafka settings for the cluster.
        group: The group.
        topic: One that is there; nothing of it is read.
        refused: Is told once why the seat cannot be had, such as members of the other kind.
        clock: Where time comes from.
    """

    def __init__(
        self,
        config: Mapping[str, Any],
        group: str,
        topic: str,
        *,
        refused: Callable[[MirrorError], object],
        clock: Clock,
    ) -> None:
        self._topic = topic
        self._refused = refused
        self._clock = clock
        self._cluster = "the workers' cluster"
        self._doing = f"be in group {group}"
        self._cause = _errors.ConnectionCause()
        settings = {
            "group.id": group,
            "enable.auto.commit": False,
            "session.timeout.ms": _SESSION_MS,
            "queued.min.messages": 1,
            "queued.max.messages.kbytes": 1,
        }
        self._renewal = Renewal(
            config,
            settings,
            cause=self._cause,
            cluster=self._cluster,
            doing=self._doing,
            clock=clock,
        )
        self._consumer = self._renewal.open(Consumer)
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, name="kmirror-seat", daemon=True)

    def start(self) -> None:
        """Take the seat, and keep it."""
        self._take()
        self._thread.start()

    def _take(self) -> None:
        self._consumer.subscribe([self._topic], on_assign=_paused)

    def _run(self) -> None:
        is_told = False
        while not self._closed.is_set():
            try:
                if self._renewal.is_due:
                    self._renew()
                got = self._consumer.poll(_POLL_S)
                error = None if got is None else got.error()
            except KafkaException as raised:
                error = _errors.kafka_error(raised)
            if error is not None and not is_told and not _errors.is_passing(error):
                is_told = True
                self._refused(self._translated(error))

    def _renew(self) -> None:
        before = self._consumer
        with suppress(ClusterError):  # its files are being replaced: it is tried again
            self._consumer = self._renewal.open(Consumer)
            self._take()
            before.close()

    def _translated(self, error: KafkaException | KafkaError) -> ClusterError:
        return _errors.translate(error, cluster=self._cluster, doing=self._doing, cause=self._cause)

    def close(self) -> None:
        """Leave."""
        self._closed.set()
        if self._thread.is_alive():
            self._thread.join(_JOIN_S_MAX)
        self._consumer.close()


def _paused(consumer: Consumer, partitions: list[KafkaPartition]) -> None:
    consumer.assign(partitions)
    consumer.pause(partitions)
