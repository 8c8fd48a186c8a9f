"""
The header `kmirror.provenance` of a copied record: where it was written, and its way since then.

It is compact JSON, written by Spark's SQL (`config.provenance_sql`):

    {"cluster":"A","topic":"t","partition":0,"offset":41,"timestamp":1700000000000,"chain":["A"],
     "sum":"1F2E3D4C5B6A7988"}

Readers ignore keys that they do not know.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

PROVENANCE_HEADER = "kmirror.provenance"


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """
    Where a record comes from.

    Args:
        cluster, topic, partition, offset: Where it was written.
        timestamp_ms: Its time there, milliseconds since the epoch.
        chain: The clusters that it has been on before this one, in order.
        copy: The topic in which this header was written; `None` for one named as the origin.
        sum: XXH64 of key and value as they were written together with this header, in hex.
    """

    cluster: str
    topic: str
    partition: int
    offset: int
    timestamp_ms: int
    chain: tuple[str, ...]
    copy: str | None = None
    sum: str = ""


def read_provenance(headers: Iterable[tuple[str, bytes | None]]) -> Provenance | None:
    """
    Return what a record's headers say; `None` if they say nothing that can be read.

    Args:
        headers: Of the record; the last one of the name counts.
    """
    found = [value for name, value in headers if name == PROVENANCE_HEADER]
    if not found or found[-1] is None:
        return None
    try:
        fields = json.loads(found[-1])
        return _provenance(fields)
    except (ValueError, TypeError, KeyError):
        return None


def _provenance(fields: dict[str, Any]) -> Provenance:
    return Provenance(
        cluster=str(fields["cluster"]),
        topic=str(fields["topic"]),
        partition=int(fields["partition"]),
        offset=int(fields["offset"]),
        timestamp_ms=int(fields["timestamp"]),
        chain=tuple(map(str, fields["chain"])),
        copy=None if fields.get("copy") is None else str(fields["copy"]),
        sum=str(fields.get("sum", "")),
    )
