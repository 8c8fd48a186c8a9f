"""Why a lane parks a partition, and what the operator can do about it: codes and their texts."""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import Enum

from kmirror.model import ClientError, TopicPartition


class ParkCode(Enum):
    """Why a partition stands still, for programs (`io.kmirror.driver.ParkCode`)."""

    POSITION_MISSING = "position_missing"
    TOPIC_RECREATED = "topic_recreated"
    DATA_GAP = "data_gap"
    LOG_TRUNCATED = "log_truncated"
    TARGET_LOST_RECORDS = "target_lost_records"
    DAMAGED_BATCH = "damaged_batch"
    RECORD_REFUSED = "record_refused"
    NOT_AUTHORIZED = "not_authorized"
    TARGET_REFUSES_PARTITION = "target_refuses_partition"


TEXTS = {
    ParkCode.POSITION_MISSING: "no position in group {group}",
    ParkCode.TOPIC_RECREATED: "its position belongs to a topic that is gone",
    ParkCode.DATA_GAP: "the source has no offset {offset} any more",
    ParkCode.LOG_TRUNCATED: "the source no longer has the offsets {lost} that were copied",
    ParkCode.TARGET_LOST_RECORDS: (
        "target {target} lost offsets {lost}, which it had acknowledged"
    ),
    ParkCode.DAMAGED_BATCH: "offset {offset}: {error.words}",
    ParkCode.RECORD_REFUSED: "offset {offset}: target: {error.words}",
    ParkCode.NOT_AUTHORIZED: "source: {error.words}",
    ParkCode.TARGET_REFUSES_PARTITION: "target: {error.words}",
}
"""For people; in braces stand details of a `ParkCause`."""

CHOICES = {
    ParkCode.DATA_GAP: "set kmirror.data.gap = continue to go on at the first offset that is there",
    ParkCode.LOG_TRUNCATED: "set kmirror.log.truncated = continue to go on where the source's log "
    "has changed; the copy keeps what the source has lost",
    ParkCode.POSITION_MISSING: "set kmirror.position.missing = earliest (copies everything again), "
    "latest (skips what is there) or adopt (finds the place by comparing both tails)",
    ParkCode.TARGET_LOST_RECORDS: "set kmirror.position.missing = adopt (copies what was lost "
    "again, if nothing came behind it), earliest (copies everything again) or latest (skips what "
    "is there)",
    ParkCode.TOPIC_RECREATED: "set kmirror.topic.recreated = continue to append the new topic's "
    "records to the copy",
}
"""What the operator can do, where the file has a key for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParkCause:
    """
    Why a lane does not go on with a partition; it has the details that its text names.

    Args:
        code: The kind of trouble.
        group: The group that has no position.
        target: The target partition that has lost records.
        offset: Where it was found, or where what is lost begins; on the target, for
            `TARGET_LOST_RECORDS`.
        end: What follows what is lost.
        error: What a client of Kafka says of it.
    """

    code: ParkCode
    group: str | None = None
    target: TopicPartition | None = None
    offset: int | None = None
    end: int | None = None
    error: ClientError | None = None

    def reason(self, partition: TopicPartition) -> str:
        """
        Say why a partition stands still, with the choices.

        Args:
            partition: On the source.

        Raises:
            KeyError: A detail that the text names is not there.
        """
        details = {
            each.name: value
            for each in fields(self)
            if (value := getattr(self, each.name)) is not None
        }
        if self.end is not None:
            details["lost"] = _lost(self.offset, self.end)
        choices = CHOICES.get(self.code)
        words = TEXTS[self.code].format(**details)
        return f"{partition}: {words} ({choices})" if choices else f"{partition}: {words}"


def _lost(start: int | None, end: int) -> str:
    return f"before {end}" if start is None else f"{start} to {end - 1}"
