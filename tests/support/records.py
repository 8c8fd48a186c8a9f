"""Records on a lab cluster, written and read one by one: what tests say about contents."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from contextlib import closing

from confluent_kafka import KafkaError, KafkaException, Producer
from confluent_kafka import TopicPartition as Place
from kmirror_lab.cluster.clients import Refusals, consumer, drain, producer
from kmirror_lab.cluster.cluster import Cluster
from kmirror_lab.oracle.record import Content, Headers
from kmirror_lab.oracle.stream import Stream
from kmirror_lab.process.waiting import wait_until

from kmirror.clock import SystemClock
from kmirror.model import TopicPartition

_ANSWER_S_MAX = 30
# An hour ago: retention would delete records of long ago, and brokers refuse those of tomorrow.
_TIMESTAMP_MS = SystemClock().wall_ms() - 3_600_000


def record(
    value: bytes | None,
    *,
    key: bytes | None = None,
    headers: Headers | None = None,
    timestamp_ms: int = _TIMESTAMP_MS,
) -> Content:
    """Give a record."""
    return Content(key=key, value=value, headers=headers or [], timestamp_ms=timestamp_ms)


def numbered(label: str, numbers: Iterable[int]) -> list[Content]:
    """Give small records, one per number, each different from all others."""
    return [
        record(
            f"{label}-{n}".encode(), key=f"{n % 5}".encode(), timestamp_ms=_TIMESTAMP_MS + n * 1000
        )
        for n in numbers
    ]


def write(
    cluster: Cluster,
    topic: str,
    records: Sequence[Content],
    *,
    partition: int = 0,
    **settings: str,
) -> None:
    """Write *records* to one partition and wait until they are safe."""
    # On a slow machine requests are tried again: nothing may be there twice or in another order.
    ours = {
        "enable_idempotence": "true",
        "message_max_bytes": "10000000",
        "queue_buffering_max_messages": "1000000",
    }
    client = producer(cluster.bootstrap, **ours | settings)
    produce(client, topic, records, partition=partition)


def write_transactions(
    cluster: Cluster, topic: str, transactions: Iterable[tuple[Sequence[Content], bool]]
) -> None:
    """Write transactions, each committed (True) or aborted."""
    client = producer(cluster.bootstrap, transactional_id=f"tests-{secrets.token_hex(4)}")
    client.init_transactions(_ANSWER_S_MAX)
    for records, committed in transactions:
        client.begin_transaction()
        # An aborted record counts only when it has reached the log before.
        produce(client, topic, records)
        if committed:
            client.commit_transaction(_ANSWER_S_MAX)
        else:
            client.abort_transaction(_ANSWER_S_MAX)


def read(cluster: Cluster, topic: str, partition: int = 0) -> list[Content]:
    """Give what a partition holds for a reader of committed records."""
    return [content for _, content in read_with_offsets(cluster, topic, partition)]


def read_with_offsets(
    cluster: Cluster, topic: str, partition: int = 0
) -> list[tuple[int, Content]]:
    """Give the same with each record's offset."""
    place = TopicPartition(topic, partition)
    with closing(Stream(cluster.bootstrap, place, end_offset(cluster, topic, partition))) as stream:
        found: list[tuple[int, Content]] = []
        while stream.more():
            for offset, row in zip(stream.offsets, stream.rows, strict=True):
                timestamp_ms, key, value, headers = row
                content = record(value, key=key, headers=headers, timestamp_ms=timestamp_ms)
                found.append((offset, content))
            stream.take(stream.left)
        return found


def end_offset(cluster: Cluster, topic: str, partition: int = 0) -> int:
    """Give the last stable offset of a partition."""
    found: list[int] = []

    def known() -> bool:
        try:
            found.append(client.get_watermark_offsets(place, timeout=_ANSWER_S_MAX)[1])
        except KafkaException as error:
            # A partition that was made this moment.
            if error.args[0].code() != KafkaError.NOT_LEADER_FOR_PARTITION:
                raise
        return bool(found)

    place = Place(topic, partition)
    with closing(consumer(cluster.bootstrap, isolation_level="read_committed")) as client:
        wait_until(known, f"{place} has a leader", timeout_s=_ANSWER_S_MAX)
    return found[0]


def delete_before(cluster: Cluster, topic: str, *begins: int) -> None:
    """Delete what lies before these offsets, of partition 0 and those after it."""
    places = [Place(topic, partition, begin) for partition, begin in enumerate(begins)]
    admin = cluster.admin()  # answers die with the client that asked
    for answer in admin.delete_records(places).values():
        answer.result(_ANSWER_S_MAX)


def topics_of(cluster: Cluster) -> set[str]:
    """Name the topics of a cluster."""
    return set(cluster.admin().list_topics(timeout=_ANSWER_S_MAX).topics)


def produce(
    client: Producer, topic: str, records: Sequence[Content], *, partition: int = 0
) -> None:
    """Write *records* to one partition, and wait until they are in the log, each of them."""
    refusals = Refusals()
    for content in records:
        client.produce(
            topic,
            content.value,
            content.key,
            partition=partition,
            headers=[*content.headers],
            timestamp=content.timestamp_ms,
            on_delivery=refusals,
        )
        client.poll(0)
    drain(client, timeout_s=_ANSWER_S_MAX, refused=refusals.errors)
