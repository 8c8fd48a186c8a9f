"""What a scenario writes: a CSV, with keys or without, through Kafka's own console producer."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

from kmirror_lab.process import process
from kmirror_lab.process.host import Host, tool
from kmirror_lab.process.jvm_command import kafka_command
from kmirror_lab.process.process import ProcessId

WARM_UP = "warm-up"
"""The value of the first records, which are not counted."""

_DIGITS = 12
_KEYS = 97
_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"


def value_of(number: int, *, size_bytes: int) -> str:
    """Write a value: its number, then letters up to *size_bytes*."""
    # Seeded by the number: the same in every run, and no two alike.
    padding = random.Random(number).choices(_LETTERS, k=size_bytes - _DIGITS)
    return f"{number:0{_DIGITS}d}" + "".join(padding)


def number_of(value: bytes | None) -> int:
    """Read the number of a value back; -1 when it has none."""
    head = (value or b"")[:_DIGITS]
    return int(head) if len(head) == _DIGITS and head.isdigit() else -1


def rows(first: int, count: int, *, size_bytes: int, keys: bool = True) -> Iterator[str]:
    """Write *count* lines `key,value`, or `value` alone, numbered from *first*."""
    for number in range(first, first + count):
        key = f"k{number % _KEYS}," if keys else ""
        yield f"{key}{value_of(number, size_bytes=size_bytes)}\n"


def start_producer(
    bootstrap: str, topic: str, csv: Path, *, keys: bool, folder: Path, host: Host
) -> ProcessId:
    """
    Have the console producer write the lines of a file.

    Args:
        bootstrap: The cluster.
        topic: Where to.
        csv: The file.
        keys: Whether its lines have keys.
        folder: For its log.
        host: Where it runs.
    """
    command = kafka_command(
        "org.apache.kafka.tools.ConsoleProducer",
        *("--bootstrap-server", bootstrap, "--topic", topic),
        *("--reader-property", f"parse.key={str(keys).lower()}"),
        *("--reader-property", "key.separator=,"),
        folder=folder,
    )
    shell = [tool("sh", package="dash"), "-c", 'exec "$@" < "$0"', str(csv), *command]
    return process.start(host.command(shell), log=folder / "console-producer.log")
