"""The records a workload makes: seeded, awkward on purpose, and recognisable again."""

from __future__ import annotations

import hashlib
import random
import struct
import zlib
from dataclasses import dataclass

Headers = list[tuple[str, bytes | None]]

_STAMP = struct.Struct(">IQI")
_LARGE_BYTES = 900 * 1024
_HEADERS: tuple[Headers, ...] = (
    [],
    [("trace", b"1")],
    [("twice", b"1"), ("other", b""), ("twice", None)],
    [("", b"nameless"), ("null", None)],
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """
    What of a record must reach the target unchanged.

    Args:
        timestamp_ms: Its timestamp.
        key: Its key; None is not empty.
        value: Its value; None is not empty.
        headers: Its headers: order, repeated names and None values count.
    """

    timestamp_ms: int
    key: bytes | None
    value: bytes | None
    headers: Headers

    def digest(self) -> str:
        """Return a short fingerprint that a ledger keeps instead of the record."""
        fingerprint = hashlib.blake2b(digest_size=8)
        parts = [b"%d" % self.timestamp_ms, self.key, self.value]
        for name, value in self.headers:
            parts += [name.encode(), value]
        for part in parts:
            # None and empty must differ, and no part may run into the next one.
            fingerprint.update(struct.pack(">q", -1 if part is None else len(part)) + (part or b""))
        return fingerprint.hexdigest()


def make_content(rng: random.Random, *, producer: int, seq: int, now_ms: int) -> Content:
    """
    Make the next record of a producer.

    Values carry (producer, seq, CRC of the padding) unless they are null or empty. About one
    in 500 is near 1 MB.

    Args:
        rng: The only source of chance.
        producer: Who sends it.
        seq: Its number at that producer.
        now_ms: Timestamps lie in the minute before.
    """
    return Content(
        timestamp_ms=now_ms - rng.randrange(60_000),
        key=rng.choice((None, b"", b"same", b"%d" % seq, b"%d" % (seq % 17))),
        value=_value(rng, producer, seq),
        headers=rng.choice(_HEADERS),
    )


def _value(rng: random.Random, producer: int, seq: int) -> bytes | None:
    lot = rng.random()
    if lot < 0.04:
        return None
    if lot < 0.08:
        return b""
    if lot < 0.082:
        size = _LARGE_BYTES
    elif lot < 0.12:
        size = rng.randrange(1_000, 20_000)
    else:
        size = rng.randrange(400)
    padding = rng.randbytes(size)
    return _STAMP.pack(producer, seq, zlib.crc32(padding)) + padding
