"""Writes records of internal topics, and waits until they are safe."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from confluent_kafka import KafkaError, KafkaException, Message, Producer

from kmirror.admin import _errors
from kmirror.admin.connection import Connected, close_producer
from kmirror.admin.renewal import Renewal
from kmirror.clock import Clock, SystemClock
from kmirror.errors import ClusterError
from kmirror.waits import waiting

_POLL_S = 0.1
_SILENT = logging.Logger("librdkafka", logging.CRITICAL + 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class InternalRecord:
    """
    One record to write.

    Args:
        key: Its key.
        value: Its value; `None` takes the key out of a compacted topic.
        partition: Where to.
        timestamp_ms: Its time; 0 is the moment it is written.
        headers: Its headers.
    """

    key: bytes
    value: bytes | None
    partition: int = 0
    timestamp_ms: int = 0
    headers: tuple[tuple[str, bytes], ...] = ()


class InternalWriter(Connected):
    """
    A producer for a few records at a time.

    Args:
        config: librdkafka settings.
        cluster: The cluster as messages shall name it.
        timeout_s: Deadline of one `write`.
        clock: Where time comes from.
    """

    def __init__(
        self,
        config: Mapping[str, Any],
        *,
        cluster: str,
        timeout_s: float = 60.0,
        clock: Clock | None = None,
    ) -> None:
        self._cluster = cluster
        self._timeout_s = timeout_s
        self._clock: Clock = clock or SystemClock()
        self._cause = _errors.ConnectionCause()
        settings = {
            "enable.idempotence": True,
            "delivery.timeout.ms": int(timeout_s * 1000),
            "delivery.report.only.error": True,
            # Of a fatal error the library also tells standard error; it is raised anyway.
            "logger": _SILENT,
        }
        self._renewal = Renewal(
            config,
            settings,
            cause=self._cause,
            cluster=cluster,
            doing="connect",
            clock=self._clock,
        )
        self._dead: ClusterError | None = None
        self._producer = self._renewal.open(Producer)

    def write(self, topic: str, records: Iterable[InternalRecord]) -> None:
        """
        Write records and wait until they are safe.

        Args:
            topic: Where to.
            records: What.

        Raises:
            ClusterError: At least one was not written; writing all of them again does no harm.
        """
        failed: list[KafkaError] = []
        self._renew()

        def refused(error: KafkaError | None, _message: Message) -> None:
            assert error is not None, "others are not reported"
            failed.append(error)

        doing = f"write to topic {topic}"
        deadline_s = self._clock.monotonic_s() + self._timeout_s
        try:
            with waiting(f"for {self._cluster}", doing, why=self._cause.words):
                for record in records:
                    self._send(topic, record, refused, deadline_s)
                left = self._producer.flush(max(0.0, deadline_s - self._clock.monotonic_s()))
        except KafkaException as error:
            denied = next(filter(_errors.is_denied, failed), None)
            self._dead = self._translated(denied or self._fatal(error), doing)
            raise self._dead from error
        if failed:
            raise self._translated(failed[0], doing)
        if left:
            raise self._translated(TimeoutError(), doing)
        self._cause.clear()

    def _renew(self) -> None:
        """
        Open another producer: one that met a fatal error, such as a missing right, is dead.

        Raises:
            ClusterError: What it met, if that was a moment ago.
        """
        if self._dead is None and not self._renewal.is_due:
            return
        if self._dead is not None and self._renewal.is_recent:
            raise self._dead
        before, self._producer, self._dead = self._producer, self._renewal.open(Producer), None
        close_producer(before)

    def _fatal(self, error: KafkaException) -> KafkaException:
        """Return why a producer is dead, where it only says that it is."""
        try:
            self._producer.poll(0)
        except KafkaException as cause:
            return cause
        return error

    def _send(self, topic: str, record: InternalRecord, refused: Any, deadline_s: float) -> None:
        headers: list[tuple[str, str | bytes | None]] = list(record.headers)
        while True:
            try:
                self._producer.produce(
                    topic,
                    record.value,
                    record.key,
                    partition=record.partition,
                    timestamp=record.timestamp_ms,
                    headers=headers,
                    on_delivery=refused,
                )
            except BufferError as error:
                if self._clock.monotonic_s() >= deadline_s:
                    raise self._translated(TimeoutError(), f"write to topic {topic}") from error
                self._producer.poll(_POLL_S)
            else:
                self._producer.poll(0)
                return

    def _translated(self, error: BaseException | KafkaError, doing: str) -> ClusterError:
        return _errors.translate(error, cluster=self._cluster, doing=doing, cause=self._cause)

    def close(self) -> None:
        """Let go of connections."""
        close_producer(self._producer)
