"""Opens and closes the library's clients."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Self

from confluent_kafka import KafkaException, Producer

from kmirror.admin._errors import ConnectionCause


class Connected(ABC):
    """Whatever holds connections: the end of a `with` closes it."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    @abstractmethod
    def close(self) -> None:
        """Let go of connections."""


def cluster_name(alias: str, config: Mapping[str, Any]) -> str:
    """
    Name a cluster as messages do.

    Args:
        alias: The cluster's alias.
        config: librdkafka settings, or Java's.
    """
    return f"cluster {alias} ({config.get('bootstrap.servers', 'no address')})"


def connection_settings(config: Mapping[str, Any], cause: ConnectionCause) -> dict[str, Any]:
    """
    Complete librdkafka settings for any client of ours.

    Args:
        config: What the operator's file gave.
        cause: Will be told why connections fail.
    """
    # What librdkafka would print to stderr reaches the operator through *cause*, once.
    quiet = {"log_level": 0, "log.connection.close": False}
    return {**quiet, **config, "error_cb": cause.on_error}


def close_producer(producer: Producer) -> None:
    """Let go of a producer, whatever state it is in."""
    with suppress(KafkaException):  # A fatal state was raised by the call that met it first.
        producer.close()
