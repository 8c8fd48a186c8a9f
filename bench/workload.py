"""What is there to copy."""

from __future__ import annotations

from dataclasses import dataclass, replace

from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition
from kmirror_lab.cluster.clients import consumer
from kmirror_lab.cluster.cluster import Cluster
from kmirror_lab.oracle.fill import fill

from kmirror.errors import ClusterUnavailable

_BATCH_RECORDS = 10_000
_SILENT_READS_MAX = 60
_PARTITION_EOF = KafkaError._PARTITION_EOF  # noqa: SLF001 - its only name
_RECORDS_MIN = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """
    Records that lie in the source before anybody mirrors them.

    Args:
        topic: Where; also its name in the results.
        records: How many.
        size_bytes: The length of each value.
        partitions: How many partitions they are spread over.
        batch_bytes: The largest record batch, before compression.
        compression: The batches' codec.
    """

    topic: str
    records: int
    size_bytes: int
    partitions: int = 4
    batch_bytes: int = 262_144
    compression: str = "none"

    @property
    def label(self) -> str:
        """What it is, for people."""
        codec = "" if self.compression == "none" else f", {self.compression}"
        return (
            f"{self.records:,} x {self.size_bytes} B in batches of "
            f"{self.batch_bytes // 1024} KiB{codec}"
        )

    @property
    def bytes(self) -> int:
        """The length of all values."""
        return self.records * self.size_bytes

    def scaled(self, scale: float) -> Workload:
        """Give a smaller one of the same kind."""
        return replace(self, records=max(_RECORDS_MIN, int(self.records * scale)))

    def write(self, cluster: Cluster) -> None:
        """Put the records into *cluster*."""
        cluster.create_topic(self.topic, partitions=self.partitions)
        fill(
            cluster.bootstrap,
            self.topic,
            records=self.records,
            size_bytes=self.size_bytes,
            partitions=self.partitions,
            batch_bytes=self.batch_bytes,
            compression=self.compression,
        )


LONG_WORKLOADS = (
    Workload(topic="bench-long-100", records=20_000_000, size_bytes=100),
    Workload(topic="bench-long-1000", records=4_000_000, size_bytes=1000),
)
"""Take so long that the first seconds, in which a new JVM compiles, are a small part."""

WORKLOADS = (
    Workload(topic="bench-100", records=3_000_000, size_bytes=100),
    Workload(topic="bench-1000", records=1_000_000, size_bytes=1000),
    Workload(topic="bench-small", records=3_000_000, size_bytes=100, batch_bytes=16_384),
    Workload(topic="bench-lz4", records=3_000_000, size_bytes=100, compression="lz4"),
    *LONG_WORKLOADS,
)

BACKLOG = Workload(topic="bench-backlog", records=3_000_000, size_bytes=1000)
"""Takes long enough, also as fast as it goes, to tell a rate."""

LONG_BACKLOG = Workload(topic="bench-long", records=10_000_000, size_bytes=1000)
"""Takes so long that what two new JVMs compile at first does not count."""


def count_records(cluster: Cluster, topic: str, partitions: int) -> int:
    """
    Read a topic to its end, read_committed, and count.

    Offsets cannot tell: a transaction leaves a marker in every partition that it wrote to.

    Raises:
        ClusterUnavailable: A partition never ended.
    """
    reader = consumer(
        cluster.bootstrap,
        isolation_level="read_committed",
        enable_partition_eof="true",
        fetch_queue_backoff_ms="5",
    )
    try:
        reader.assign([TopicPartition(topic, number, 0) for number in range(partitions)])
        return _count(reader, partitions)
    finally:
        reader.close()


def _count(reader: Consumer, partitions: int) -> int:
    ended: set[int | None] = set()
    total = silent = 0
    while len(ended) < partitions:
        messages = reader.consume(_BATCH_RECORDS, timeout=0.5)
        silent = 0 if messages else silent + 1
        if silent > _SILENT_READS_MAX:
            raise ClusterUnavailable(f"only {len(ended)} of {partitions} partitions have an end")
        for message in messages:
            error = message.error()
            if error is None:
                total += 1
            elif error.code() == _PARTITION_EOF:
                ended.add(message.partition())
            else:
                raise KafkaException(error)
    return total
