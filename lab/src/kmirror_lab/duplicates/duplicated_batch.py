"""One batch that is there twice: what the producer's log and the target's offsets tell of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime

# Kafka's own words; a time is that of the machine's zone.
_LINE = re.compile(
    r"^(?P<at>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d,\d{3}) .*?"
    r"\[Producer clientId=(?P<client>connector-producer-MirrorSourceConnector-\d+\S*)\] "
    r"(?P<said>.*)$"
)
_GAVE_UP = re.compile(
    r"Cancelled in-flight PRODUCE request with correlation id (\d+) .*"
    r"elapsed time since send: (\d+)ms.*request timeout: \d+ms"
)
_TIMED_OUT = re.compile(r"Disconnecting from node \S+ due to request timeout")
_RETRIES = re.compile(
    r"Got error produce response with correlation id (\d+) on topic-partition "
    r"us-east-1\.orders-(\d+), retrying"
)
# A new connection takes at most two requests, versions and metadata, before what is sent again.
_REQUESTS_BETWEEN_MAX = 3


@dataclass(frozen=True, kw_only=True)
class Retry:
    """
    A batch that a producer gave up waiting for, and sent again: what its log tells.

    Args:
        partition: Of the copy.
        sent_s: When it was sent, seconds since the epoch.
        timed_out_s: When the producer gave up, and decided to send it again.
        again_s: When it was sent again; `None` when the log does not tell.
        gave_up_s: When the producer gave up the second time, if it did.
        words: The log's lines, without their times' dates.
    """

    partition: int
    sent_s: float
    timed_out_s: float
    again_s: float | None
    gave_up_s: float | None
    words: tuple[str, ...]

    def since(self, began_s: float) -> Retry:
        """Give it with its times counted from *began_s*, seconds since the epoch."""

        def counted(at_s: float | None) -> float | None:
            return None if at_s is None else round(at_s - began_s, 3)

        return replace(
            self,
            sent_s=round(self.sent_s - began_s, 3),
            timed_out_s=round(self.timed_out_s - began_s, 3),
            again_s=counted(self.again_s),
            gave_up_s=counted(self.gave_up_s),
        )


@dataclass(frozen=True, kw_only=True)
class RepeatedRecords:
    """
    Records that are there twice in a row, without a gap in either copy: what the target tells.

    Args:
        records: How many.
        first: The offsets of the first and of the last record of the first copy.
        second: The same of the second copy.
    """

    records: int
    first: tuple[int, int]
    second: tuple[int, int]


@dataclass(frozen=True, kw_only=True)
class DuplicatedBatch(Retry, RepeatedRecords):
    """
    The course of one batch that is there twice; times are seconds since the first record.

    The log does not tell which batch it speaks of: it is the last one of this partition that was
    sent before its first copy was seen.

    Args:
        first_seen_s: When the end of the partition was first seen behind the first copy.
        second_seen_s: The same of the second copy.
    """

    first_seen_s: float
    second_seen_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cancelled:
    client: str
    request: int
    at_s: float
    sent_s: float
    words: tuple[str, ...]


def retries_in(log: str) -> list[Retry]:
    """
    Read from the log of MirrorMaker 2 which batches its producers sent again, in order.

    Args:
        log: At the level of INFO.
    """
    cancelled: list[_Cancelled] = []
    retried: list[tuple[_Cancelled, int, str]] = []
    disconnecting = ""
    for line in log.splitlines():
        found = _LINE.match(line)
        if found is None:
            continue
        at, client, said = found["at"], found["client"], found["said"]
        text = f"{at.partition('T')[2]} {said}"
        if _TIMED_OUT.match(said):
            disconnecting = text
        elif gave_up := _GAVE_UP.match(said):
            at_s = datetime.fromisoformat(at.replace(",", ".")).timestamp()
            cancelled.append(
                _Cancelled(
                    client=client,
                    request=int(gave_up[1]),
                    at_s=at_s,
                    sent_s=at_s - int(gave_up[2]) / 1000,
                    words=(disconnecting, text) if disconnecting else (text,),
                )
            )
        elif retries := _RETRIES.match(said):
            of = _of(cancelled, client, int(retries[1]))
            if of is not None:
                retried.append((of, int(retries[2]), text))
    return [_retry(of, partition, text, cancelled) for of, partition, text in retried]


def _of(cancelled: Sequence[_Cancelled], client: str, request: int) -> _Cancelled | None:
    """Find a request; a worker that was started again counts from the beginning again."""
    each = reversed(cancelled)
    return next((one for one in each if (one.client, one.request) == (client, request)), None)


def _retry(of: _Cancelled, partition: int, text: str, cancelled: Sequence[_Cancelled]) -> Retry:
    later = (
        one
        for one in cancelled
        if one.client == of.client
        and one.sent_s >= of.at_s
        and 0 < one.request - of.request <= _REQUESTS_BETWEEN_MAX
    )
    second = next(later, None)
    return Retry(
        partition=partition,
        sent_s=of.sent_s,
        timed_out_s=of.at_s,
        again_s=None if second is None else second.sent_s,
        gave_up_s=None if second is None else second.at_s,
        words=(*of.words, text, *(second.words if second else ())),
    )


def first_repeated(copy: Sequence[tuple[int, int]]) -> RepeatedRecords | None:
    """
    Find the first records that are there again.

    Args:
        copy: Offset and sequence number of each record of a partition, in order.
    """
    places: dict[int, int] = {}
    for index, (_, number) in enumerate(copy):
        if number not in places:
            places[number] = index
            continue
        begin, count = places[number], 0
        while (
            index + count < len(copy)
            and begin + count < index
            and copy[begin + count][1] == copy[index + count][1]
        ):
            count += 1
        return RepeatedRecords(
            records=count,
            first=(copy[begin][0], copy[begin + count - 1][0]),
            second=(copy[index][0], copy[index + count - 1][0]),
        )
    return None


def duplicated_batch(
    partition: int,
    repeated: RepeatedRecords,
    retries: Iterable[Retry],
    *,
    seen_s: tuple[float, float],
    began_s: float,
) -> DuplicatedBatch | None:
    """
    Lay the log beside the target: how came what is there twice?

    Args:
        partition: Where.
        repeated: The records.
        retries: The batches that were sent again.
        seen_s: When the end of the partition was seen behind the first copy, and the second,
            seconds since the first record.
        began_s: When that was, seconds since the epoch.

    Returns:
        `None` when none of those batches can be it.
    """
    first_s, second_s = seen_s
    possible = [
        each
        for each in retries
        if each.partition == partition
        and each.sent_s - began_s <= first_s
        and each.timed_out_s - began_s <= second_s
    ]
    if not possible:
        return None
    of = max(possible, key=lambda each: each.sent_s)
    return DuplicatedBatch(
        **asdict(of.since(began_s)),
        **asdict(repeated),
        first_seen_s=round(first_s, 3),
        second_seen_s=round(second_s, 3),
    )
