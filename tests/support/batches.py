"""Record batches: written with known borders, and read back as they lie on a broker's disk."""

from __future__ import annotations

import random
import secrets
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kmirror_lab.cluster.clients import producer
from kmirror_lab.cluster.cluster import Cluster
from kmirror_lab.oracle.record import Content, Headers

from kmirror.clock import SystemClock
from tests.support.records import produce, record, write
from tests.support.topic_settings import change_settings

CODECS = ("none", "gzip", "snappy", "lz4", "zstd")

# Smaller ones without compression that come together share a batch: MergedBatch.SMALL_BYTES.
SMALL_BYTES = 4096

# KIP-98: base offset, length, leader epoch, magic, checksum, attributes, last offset delta, base
# and largest timestamp, producer id and epoch, base sequence, number of records.
_HEADER = struct.Struct(">qiibIhiqqqhii")
_CODEC_BITS, _APPEND_TIME, _TRANSACTIONAL, _CONTROL, _HORIZON = 0x7, 0x8, 0x10, 0x20, 0x40
# What the checksum covers: from the attributes on, which come right behind it.
_SEALED_FROM = 21
_ANSWER_S_MAX = 60
_HOUR_MS = 3_600_000
_HEADERS: tuple[Headers, ...] = (
    [],
    [("h", b"1"), ("other", None), ("h", b""), ("h", b"1")],
    [("", b"nameless")],
)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredBatch:
    """
    A batch of format v2 as it lies in a segment.

    Args:
        base_offset, last_offset: Of its first and last record, those that were removed included.
        attributes: The 16 bits of the header.
        base_timestamp_ms: What the records' timestamps are relative to.
        records: How many it holds.
        size: With its header, bytes.
        body: The records, compressed or not: what follows the header.
    """

    base_offset: int
    last_offset: int
    attributes: int
    base_timestamp_ms: int
    records: int
    size: int
    body: bytes

    @property
    def codec(self) -> str:
        """Kafka's name of its compression."""
        return CODECS[self.attributes & _CODEC_BITS]

    @property
    def control(self) -> bool:
        """Whether it is a transaction's marker."""
        return bool(self.attributes & _CONTROL)

    @property
    def transactional(self) -> bool:
        """Whether it belongs to a transaction."""
        return bool(self.attributes & _TRANSACTIONAL)

    @property
    def append_time(self) -> bool:
        """Whether its timestamps are the broker's."""
        return bool(self.attributes & _APPEND_TIME)

    @property
    def horizon(self) -> bool:
        """Whether the cleaner noted when its tombstones may go (KIP-534)."""
        return bool(self.attributes & _HORIZON)

    @property
    def gaps(self) -> int:
        """How many records were taken out."""
        return self.last_offset - self.base_offset + 1 - self.records

    @property
    def shape(self) -> tuple[str, int, int, bytes]:
        """What stays the same when a batch is copied as it is."""
        return (self.codec, self.records, self.base_timestamp_ms, self.body)


def stored(cluster: Cluster, topic: str, partition: int = 0) -> list[StoredBatch]:
    """Give a partition's batches as its leader has them, markers and aborted ones included."""
    broker = cluster.leader_of(topic, partition)
    folder = broker.spec.folder / "data" / f"{topic}-{partition}"
    found = [each for path in sorted(folder.glob("*.log")) for each in _parsed(path.read_bytes())]
    assert found, f"{folder} holds nothing"
    return found


def written(cluster: Cluster, topic: str, partition: int = 0) -> list[StoredBatch]:
    """Give the same without the markers of transactions."""
    return [each for each in stored(cluster, topic, partition) if not each.control]


def shapes(batches: Sequence[StoredBatch]) -> list[tuple[str, int, int, bytes]]:
    """Give the shape of each batch that holds data, and is not so small that it may share one."""
    return [
        each.shape
        for each in batches
        if not each.control and (each.codec != "none" or each.size >= SMALL_BYTES)
    ]


def varied(
    label: str, count: int, *, value_bytes: int = 200, timestamp_ms: int | None = None
) -> list[Content]:
    """Give different records: null and empty parts, headers, times that go back and forth."""
    rng = random.Random(label)
    begin_ms = SystemClock().wall_ms() - _HOUR_MS if timestamp_ms is None else timestamp_ms
    found = []
    for n in range(count):
        # Half of it can be compressed.
        filling = rng.randbytes(value_bytes // 2) + b"." * (value_bytes - value_bytes // 2)
        value = rng.choices((filling, None, b""), (20, 1, 1))[0]
        found.append(
            record(
                None if value is None else f"{label}-{n}-".encode() * bool(value) + value,
                key=rng.choice((f"{label}-{n}".encode(), b"same", b"", None)),
                headers=_HEADERS[rng.randrange(len(_HEADERS))],
                timestamp_ms=begin_ms + n + rng.randrange(-500, 500),
            )
        )
    return found


def write_batches(
    cluster: Cluster,
    topic: str,
    records: Sequence[Content],
    per_batch: int,
    *,
    partition: int = 0,
    codec: str = "none",
    **settings: str,
) -> None:
    """Write *records* in batches of *per_batch*, the last one may be smaller."""
    write(
        cluster,
        topic,
        records,
        partition=partition,
        compression_type=codec,
        batch_num_messages=str(per_batch),
        batch_size="10000000",
        **settings,
        # Nothing is sent before a batch is full, or all records are there.
        linger_ms=str(_ANSWER_S_MAX * 1000) if per_batch > 1 else "0",
    )


class Transactions:
    """
    A transactional producer whose transactions one begins and ends by hand.

    Args:
        cluster: Where it writes.
        settings: Of librdkafka, with `_` for `.`.
    """

    def __init__(self, cluster: Cluster, **settings: str) -> None:
        self._client = producer(
            cluster.bootstrap,
            transactional_id=f"tests-{secrets.token_hex(4)}",
            # One that stays open does so until the test says otherwise.
            transaction_timeout_ms="600000",
            **settings,
        )
        self._client.init_transactions(_ANSWER_S_MAX)

    def begin(self) -> None:
        """Begin one; records are written into it."""
        self._client.begin_transaction()

    def write(self, topic: str, records: Sequence[Content]) -> None:
        """Write *records* to partition 0 and wait until they are in the log."""
        produce(self._client, topic, records)

    def end(self, *, commit: bool) -> None:
        """Commit or abort."""
        if commit:
            self._client.commit_transaction(_ANSWER_S_MAX)
        else:
            self._client.abort_transaction(_ANSWER_S_MAX)


def set_topic(cluster: Cluster, topic: str, **settings: str) -> None:
    """Change settings of a topic, by Kafka's names with `_` for `.`."""
    change_settings(
        cluster, topic, {name.replace("_", "."): value for name, value in settings.items()}
    )


def damage(
    cluster: Cluster,
    topic: str,
    partition: int,
    byte: int,
    bits: int = 0x04,
    *,
    sealed: bool = False,
) -> None:
    """
    Change one byte of a partition's third batch; the cluster is one broker that is stopped.

    With *sealed*, the batch gets the checksum of what it is now, as from a broken producer.
    """
    folder = cluster.broker(1).spec.folder / "data" / f"{topic}-{partition}"
    (segment,) = folder.glob("*.log")
    data = bytearray(segment.read_bytes())
    third = list(_parsed(bytes(data)))[2]
    begin = data.index(third.body) - _HEADER.size
    data[begin + byte % third.size] ^= bits
    if sealed:
        covered = data[begin + _SEALED_FROM : begin + third.size]
        data[begin + _SEALED_FROM - 4 : begin + _SEALED_FROM] = _crc32c(covered).to_bytes(4)
    segment.write_bytes(data)


def _crc32c(data: bytes) -> int:
    """Give the checksum of Castagnoli's polynomial (RFC 3720), as Kafka's batches have it."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ 0x82F63B78 * (crc & 1)
    return crc ^ 0xFFFFFFFF


def _parsed(data: bytes) -> Iterator[StoredBatch]:
    at = 0
    while at + _HEADER.size <= len(data):
        base, length, _, magic, _, attributes, last, begin_ms, *_, count = _HEADER.unpack_from(
            data, at
        )
        end = at + 12 + length
        if length <= 0 or end > len(data):
            return  # it is being written
        assert magic == 2, f"format {magic}"
        yield StoredBatch(
            base_offset=base,
            last_offset=base + last,
            attributes=attributes,
            base_timestamp_ms=begin_ms,
            records=count,
            size=end - at,
            body=data[at + _HEADER.size : end],
        )
        at = end
