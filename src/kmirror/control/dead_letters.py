"""Reads the topic for dead letters, and what of it was replayed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kmirror.admin.base import ClusterAdmin
from kmirror.admin.log_bounds import log_end, log_start
from kmirror.admin.reader import RecordReader, StoredRecord, headers_of
from kmirror.config.flows import FlowConfig
from kmirror.model import TopicPartition
from kmirror.policy.poison import dlq_topic
from kmirror.wire.dead_letters import (
    DeadLetter,
    Replayed,
    decode_letter,
    decode_replayed,
    numbers_of,
    replays_topic,
)


class DeadLetters:
    """
    What copies of a flow have gone on without, and keep.

    Args:
        config: The flow.
        admin: The target's control plane.
        reader: Reads the target.
    """

    def __init__(self, config: FlowConfig, admin: ClusterAdmin, reader: RecordReader) -> None:
        self._config = config
        self._admin = admin
        self._reader = reader
        self.topic = dlq_topic(config.flow.source)
        self._place = TopicPartition(self.topic, 0)
        self._known: tuple[int, int] | None = None

    @property
    def topic_id(self) -> str:
        """The id of the topic; empty if there is none, or the cluster has no ids."""
        return self._admin.topic_ids([self.topic]).get(self.topic, "")

    def letters(self, topic: str | None = None) -> Iterator[DeadLetter]:
        """
        Yield the flow's dead letters, the oldest first.

        Args:
            topic: Only those of this topic of the source.

        Raises:
            ClusterError: They cannot be read.
        """
        for letter in self._read(*self._bounds()):
            if topic in {None, letter.source.topic}:
                yield letter

    def letter(self, number: int) -> DeadLetter | None:
        """
        Return one of them; `None` if it is not there.

        Args:
            number: Its offset in the topic.

        Raises:
            ClusterError: It cannot be read.
        """
        start, end = self._bounds()
        if not start <= number < end:
            return None
        return next(self._read(number, number + 1), None)

    def _bounds(self) -> tuple[int, int]:
        """Ask once for where the topic begins and ends."""
        if self._known is None:
            start, end = 0, 0
            if self._admin.topic(self.topic) is not None:
                place = self._place
                start, end = log_start(self._admin, place), log_end(self._admin, place)
            self._known = (start, end)
        return self._known

    def _read(self, start: int, end: int) -> Iterator[DeadLetter]:
        # Some are very large: one alone, until it is known how large they are.
        for batch in self._reader.batches(self._place, start, end, first_records=1):
            for message in batch:
                letter = decode_letter(
                    message.offset() or 0,
                    message.timestamp()[1],
                    message.key(),
                    message.value(),
                    headers_of(message),
                )
                if letter is not None and letter.flow == str(self._config.flow):
                    yield letter

    def replayed(self) -> Mapping[int, Replayed]:
        """
        Return which of them were replayed, by their numbers.

        Raises:
            ClusterError: That cannot be read.
        """
        topic = replays_topic(self._config.flow)
        if self._admin.topic(topic) is None:
            return {}
        found: list[Replayed] = []

        def take(stored: StoredRecord) -> None:
            replayed = decode_replayed(stored.key, stored.value)
            if replayed is not None:
                found.append(replayed)

        self._reader.read_records_on(self._admin, TopicPartition(topic, 0), take)
        return numbers_of(found, self.topic_id)
