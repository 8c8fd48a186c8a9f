"""Defaults of the lanes' Kafka clients, where Kafka's own would not do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kmirror.config.secret import Secret, revealed

_SYSTEM_DECIDES = "-1"
_BUFFER_WHY = "a fixed buffer limits a connection to that many bytes per round trip"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientDefault:
    """
    A client default of kmirror.

    Args:
        name: The setting, as in Kafka's Java clients.
        kafka: Kafka's own default, which MirrorMaker 2 keeps.
        value: Ours.
        why: Why it differs.
    """

    name: str
    kafka: str
    value: str
    why: str


CONSUMER_DEFAULTS = (
    ClientDefault(
        name="max.partition.fetch.bytes",
        kafka="1048576",
        value=str(4 * 1024 * 1024),
        why="a busy partition is read in few large responses",
    ),
    ClientDefault(
        name="fetch.max.bytes",
        kafka="52428800",
        value=str(16 * 1024 * 1024),
        why="memory holds two responses: the one being copied and the one being fetched",
    ),
    ClientDefault(
        name="receive.buffer.bytes", kafka="65536", value=_SYSTEM_DECIDES, why=_BUFFER_WHY
    ),
    ClientDefault(
        name="allow.auto.create.topics",
        kafka="true",
        value="false",
        why="a topic that is deleted while it is read would be made anew by whoever reads it",
    ),
)
PRODUCER_DEFAULTS = (
    ClientDefault(
        name="batch.size",
        kafka="16384",
        value=str(512 * 1024),
        why="fewer, larger batches; lanes send what they have, so none waits to be filled",
    ),
    ClientDefault(
        name="max.request.size",
        kafka="1048576",
        value=str(32 * 1024 * 1024),
        why="the producer must not refuse a record that the source has accepted",
    ),
    ClientDefault(
        name="retry.backoff.ms",
        kafka="100",
        value="5",
        why="the broker refuses a batch until it has written the markers of the previous commit",
    ),
    ClientDefault(name="send.buffer.bytes", kafka="131072", value=_SYSTEM_DECIDES, why=_BUFFER_WHY),
)


def producer_values(given: Mapping[str, str | Secret]) -> dict[str, str]:
    """
    Return our producer defaults beside what a file gives.

    A producer asks its buffer for a whole batch at a time, so a small buffer makes small batches.
    """
    found = values(PRODUCER_DEFAULTS)
    memory = given.get("buffer.memory")
    if memory is not None:
        found["batch.size"] = str(min(int(found["batch.size"]), int(revealed(memory))))
    return found


def values(defaults: tuple[ClientDefault, ...]) -> dict[str, str]:
    """Return settings and values."""
    return {default.name: default.value for default in defaults}
