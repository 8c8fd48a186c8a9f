"""
Reads and writes the committed offsets of one group.

This is a consumer that never subscribes, and not the library's admin client: that one crashes the
process when a coordinator answers "not me" to `ListConsumerGroupOffsets` (librdkafka asks for the
consumer group's own state there, which an admin client does not have: librdkafka issue 5040).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from confluent_kafka import Consumer, KafkaError, KafkaException
from confluent_kafka import TopicPartition as KafkaPartition

from kmirror.admin._errors import kafka_error
from kmirror.admin.connection import open_client
from kmirror.clock import Clock

_POLL_S = 0.1
_LOOK_S = 2.0
# The library asks again and again, and tells in the end only that it took too long.
_PENDING = KafkaError(
    KafkaError.UNSTABLE_OFFSET_COMMIT,
    "a transaction that has not ended holds them back; if it never ends, "
    "kafka-transactions.sh find-hanging tells which",
)


class GroupClient:
    """
    One group's offsets.

    Args:
        config: Complete librdkafka settings, without those of the group.
        group: The group's name.
        timeout_s: Deadline of every call, seconds.
        clock: Where time comes from.
    """

    def __init__(
        self, config: Mapping[str, Any], group: str, *, timeout_s: float, clock: Clock
    ) -> None:
        self._timeout_s = timeout_s
        self._clock = clock
        self._refusal: KafkaError | None = None
        self._answers: list[tuple[KafkaError | None, Sequence[KafkaPartition]]] = []
        self._settings = {
            **config,
            "group.id": group,
            "enable.auto.commit": False,
            # Makes the library ask for stable offsets (KIP-447).
            "isolation.level": "read_committed",
            "on_commit": lambda error, offsets: self._answers.append((error, offsets)),
        }
        self._consumer = open_client(Consumer, self._settings, f"group {group}")

    def read(self, partitions: Sequence[KafkaPartition]) -> list[KafkaPartition]:
        """
        Return the committed offsets of *partitions*, negative where there is none.

        Raises:
            KafkaException: There was no answer for at least one of them.
        """
        try:
            answer = self._consumer.committed(list(partitions), timeout=self._timeout_s)
        except KafkaException as error:
            raise self._why(error, partitions) from error
        self._refusal = None
        _raise_first(answer)
        return answer

    def write(self, offsets: Sequence[KafkaPartition]) -> None:
        """
        Commit *offsets*.

        Raises:
            KafkaException: At least one of them was not committed.
            TimeoutError: Nobody knows whether they were.
        """
        self._answers.clear()
        # The library's blocking commit has no deadline.
        self._consumer.commit(offsets=list(offsets), asynchronous=True)
        deadline_s = self._clock.monotonic_s() + self._timeout_s
        while not self._answers:
            if self._clock.monotonic_s() >= deadline_s:
                raise TimeoutError
            self._consumer.poll(_POLL_S)
        error, answer = self._answers.pop()
        _raise_first(answer)  # which says of what it is
        if error is not None:
            raise KafkaException(error)

    def _why(self, error: KafkaException, partitions: Sequence[KafkaPartition]) -> KafkaException:
        """
        Return what a time-out is about, where it is an ACL, or a transaction.

        Who may not ask for the coordinator waits in vain: why is told once, where messages come.
        """
        message = self._consumer.poll(0)
        told = None if message is None else message.error()
        if told is not None and told.code() == KafkaError.GROUP_AUTHORIZATION_FAILED:
            self._refusal = told
        if self._refusal is not None:
            return KafkaException(self._refusal)
        is_late = kafka_error(error).code() == KafkaError._TIMED_OUT  # noqa: SLF001  # a public code
        return KafkaException(_PENDING) if is_late and self._are_pending(partitions) else error

    def _are_pending(self, partitions: Sequence[KafkaPartition]) -> bool:
        """Whether there is an answer as soon as open transactions do not count."""
        settings = {**self._settings, "isolation.level": "read_uncommitted"}
        asks = open_client(Consumer, settings, f"group {self._settings['group.id']}")
        try:
            answer = asks.committed(list(partitions), timeout=min(_LOOK_S, self._timeout_s))
        except KafkaException:
            return False
        finally:
            asks.close()
        return all(place.error is None for place in answer)

    def close(self) -> None:
        """Let go of connections."""
        self._consumer.close()


def _raise_first(answer: Sequence[KafkaPartition]) -> None:
    for tp in answer:
        if tp.error is None:
            continue
        if tp.error.code() == KafkaError.TOPIC_AUTHORIZATION_FAILED:
            raise KafkaException(KafkaError(tp.error.code(), f"{tp.topic}: {tp.error.str()}"))
        raise KafkaException(tp.error)
