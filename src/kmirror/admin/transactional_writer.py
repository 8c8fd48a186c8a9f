"""Writes records of several topics in one transaction each time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from confluent_kafka import KafkaError, KafkaException, Message, Producer

from kmirror.admin import _errors
from kmirror.admin.connection import Connected, close_producer, open_client, transactional_settings
from kmirror.clock import Clock, SystemClock
from kmirror.errors import MirrorError, ProducerFenced
from kmirror.model import TopicPartition
from kmirror.waits import waiting

# An end that died holds committed readers of its topics back for no longer than this.
_TRANSACTION_TIMEOUT_MS = 10_000
_MESSAGE_BYTES_MAX = 1_000_000_000
_POLL_S = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenRecord:
    """
    A record to write.

    Args:
        topic, partition: Where to.
        key, value: Null is not empty.
        headers: In order; names may repeat.
        timestamp_ms: Its time; `None` is the moment it is written.
    """

    topic: str
    partition: int
    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes | None], ...] = ()
    timestamp_ms: int | None = None


class TransactionalWriter(Connected):
    """
    A producer with a transactional id: opening it ends whatever an earlier one left open.

    Args:
        config: librdkafka settings.
        transactional_id: Its id; whoever had it before can write no more.
        cluster: The cluster as messages shall name it.
        timeout_s: Deadline of each step.
        clock: Where time comes from.

    Raises:
        ClusterError: The cluster refused, or did not answer.
    """

    def __init__(
        self,
        config: Mapping[str, Any],
        *,
        transactional_id: str,
        cluster: str,
        timeout_s: float = 60.0,
        clock: Clock | None = None,
    ) -> None:
        self._cluster = cluster
        self._clock: Clock = clock or SystemClock()
        self._timeout_s = timeout_s
        self._cause = _errors.ConnectionCause()
        settings = transactional_settings(
            config, self._cause, transactional_id, timeout_ms=_TRANSACTION_TIMEOUT_MS
        )
        settings["message.max.bytes"] = _MESSAGE_BYTES_MAX
        doing = f"begin to write as {transactional_id}"
        try:
            self._producer = open_client(Producer, settings, cluster)
            with waiting(f"for {self._cluster}", doing, why=self._cause.words):
                self._producer.init_transactions(timeout_s)
        except KafkaException as error:
            raise self._translated(error, doing) from error

    def write(self, records: Sequence[WrittenRecord]) -> Mapping[TopicPartition, int]:
        """
        Write all of *records*, or none.

        Returns:
            The offsets behind the last of them, by partition.

        Raises:
            RecordRefused: The cluster never takes one of them; nothing was written.
            ProducerFenced: Another process has the transactional id; nothing was written.
            ClusterError: It is not known whether they were written: open a new writer, and look.
        """
        failed: list[tuple[KafkaError, str]] = []
        ends: dict[TopicPartition, int] = {}

        def answered(error: KafkaError | None, message: Message) -> None:
            topic = message.topic() or records[0].topic
            if error is not None:
                failed.append((error, _writing(topic)))
                return
            tp = TopicPartition(topic, message.partition() or 0)
            ends[tp] = max(ends.get(tp, 0), (message.offset() or 0) + 1)

        doing = _writing(records[0].topic)
        try:
            with waiting(f"for {self._cluster}", doing, why=self._cause.words):
                self._producer.begin_transaction()
                for record in records:
                    self._produce(record, answered)
                self._settle()
                if not failed:
                    self._producer.commit_transaction(self._timeout_s)
        except KafkaException as error:
            failed.append((_errors.kafka_error(error), doing))
        except BufferError as error:
            raise self._translated(TimeoutError(), doing) from error
        if failed:
            raise self._gave_up(failed)
        self._cause.clear()
        return ends

    def _settle(self) -> None:
        """
        Wait until all is answered, or until a fatal error is raised: another has the id now.

        `Producer.flush` calls back after such an error, too, while it is pending: a SystemError.
        """
        deadline_s = self._clock.monotonic_s() + self._timeout_s
        while len(self._producer) and self._clock.monotonic_s() < deadline_s:
            self._producer.poll(_POLL_S)

    def _gave_up(self, failed: Sequence[tuple[KafkaError, str]]) -> MirrorError:
        """
        Abort, and say why: of a record that is refused others only say that it was.

        Args:
            failed: What failed, and what was being done.
        """
        try:
            self._producer.abort_transaction(self._timeout_s)
        except KafkaException as error:
            return self._translated(error, failed[0][1])
        for each, _ in failed:
            if (refused := _errors.refused_record(each, self._cluster)) is not None:
                return refused
        denied = (told for told in failed if _errors.is_denied(told[0]))
        return self._translated(*next(denied, failed[0]))

    def _produce(self, record: WrittenRecord, answered: Any) -> None:
        headers: list[tuple[str, str | bytes | None]] = list(record.headers)
        self._producer.produce(
            record.topic,
            record.value,
            record.key,
            partition=record.partition,
            timestamp=record.timestamp_ms or 0,
            headers=headers,
            on_delivery=answered,
        )
        self._producer.poll(0)

    def _translated(self, error: BaseException | KafkaError, doing: str) -> MirrorError:
        if _errors.is_fenced(error) or _errors.is_fenced(self._cause.last() or error):
            return ProducerFenced(f"{self._cluster}: could not {doing}: another process does")
        return _errors.translate(error, cluster=self._cluster, doing=doing, cause=self._cause)

    def close(self) -> None:
        """Let go of connections."""
        close_producer(self._producer)


def _writing(topic: str) -> str:
    return f"write to topic {topic}"
