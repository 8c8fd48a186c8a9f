"""Put many records into a topic, fast: for benchmarks and long tests."""

from __future__ import annotations

import json
import random
from collections.abc import Callable

from kmirror_lab.cluster.clients import Refusals, drain, producer

_CHUNK_RECORDS = 2_000
_FLUSH_S_MAX = 300
# Random bytes are cut out of so much; neighbours overlap, so a codec finds something.
_RANDOM_BYTES, _RANDOM_STEP = 0x10000, 31
# Lines of JSON are repeated after so much, which is more than any codec looks back.
_WORDS_BYTES = 8 * 1024 * 1024


def fill(
    bootstrap: str,
    topic: str,
    *,
    records: int,
    size_bytes: int,
    partitions: int = 1,
    compression: str = "none",
    batch_bytes: int = 1_000_000,
    seed: int = 0,
    log_lines: bool = False,
) -> None:
    """
    Write *records* values of *size_bytes* each, in turn to the partitions.

    No two values are the same: the first 12 bytes count, the rest is cut out of random bytes, or
    out of lines of JSON.

    Args:
        bootstrap: The cluster.
        topic: A topic with at least *partitions* partitions.
        records: How many.
        size_bytes: The length of each value, 12 at least.
        partitions: How many partitions get records, from 0.
        compression: `none`, `lz4`, `zstd`, `snappy` or `gzip`.
        batch_bytes: The largest record batch, before compression.
        seed: What is random comes from it.
        log_lines: Lines of JSON, as web servers log them.

    Raises:
        KafkaException: A record was refused.
        ClusterUnavailable: Records were not acknowledged in time.
    """
    assert size_bytes >= 12, "a value begins with its number of 12 digits"
    value = _values(random.Random(seed), size_bytes, log_lines=log_lines)
    refusals = Refusals()
    client = producer(
        bootstrap,
        acks="all",
        enable_idempotence="true",
        linger_ms="20",
        batch_size=str(batch_bytes),
        message_max_bytes="2000000",
        queue_buffering_max_messages="500000",
        compression_type=compression,
    )
    chunk_records = max(1, min(_CHUNK_RECORDS, records // partitions))
    for begin in range(0, records, chunk_records):
        numbers = range(begin, min(begin + chunk_records, records))
        chunk: list[dict[str, object]] = [{"value": value(number)} for number in numbers]
        place = begin // chunk_records % partitions
        while chunk:
            client.produce_batch(topic, chunk, partition=place, on_delivery=refusals)
            # What found the queue full is marked, and waits for the next try.
            chunk = [message for message in chunk if message.pop("_error", None) is not None]
            client.poll(0.05 if chunk else 0)
    drain(client, timeout_s=_FLUSH_S_MAX, refused=refusals.errors)


def _values(rng: random.Random, size_bytes: int, *, log_lines: bool) -> Callable[[int], bytes]:
    """Return what makes the value of a number."""
    if log_lines:
        places, step = _WORDS_BYTES, size_bytes
        padding = _json_lines(rng, places + size_bytes)
    else:
        places, step = _RANDOM_BYTES, _RANDOM_STEP
        padding = rng.randbytes(places + size_bytes)

    def value(number: int) -> bytes:
        at = number * step % places
        return b"%012d" % number + padding[at : at + size_bytes - 12]

    return value


def _json_lines(rng: random.Random, length: int) -> bytes:
    """Return that many bytes that web servers could have logged."""
    lines = bytearray()
    while len(lines) < length:
        entry = {
            "id": rng.getrandbits(48),
            "user": f"user-{rng.randrange(10_000)}",
            "path": f"/api/v1/{rng.choice(('orders', 'items', 'carts', 'payments'))}",
            "status": rng.choice((200, 200, 200, 201, 404, 500)),
            "took_ms": round(rng.expovariate(0.02), 2),
        }
        lines += json.dumps(entry).encode() + b"\n"
    return bytes(lines[:length])
