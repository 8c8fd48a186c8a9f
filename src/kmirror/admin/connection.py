"""Opens and closes the library's clients."""

from __future__ import annotations

import logging
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Self, TypeVar

from confluent_kafka import KafkaException, Producer

from kmirror.admin._errors import ConnectionCause
from kmirror.admin.bounded_call import call_within
from kmirror.config.stored_settings import renewed
from kmirror.errors import EnvironmentProblem

READS_ALONE: Mapping[str, Any] = {
    "group.id": "kmirror-reader",  # required by the library, never joined
    "enable.auto.commit": False,
    "enable.auto.offset.store": False,
    "enable.partition.eof": True,
    "allow.auto.create.topics": False,  # whoever looks makes nothing
}
"""Of consumers that are in no group."""


_CLOSE_S_MAX = 5.0
_NOBODY = logging.Logger("nobody", logging.CRITICAL + 1)


C = TypeVar("C")


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


def open_client(make: Callable[[dict[str, Any]], C], settings: dict[str, Any], whose: str) -> C:
    """
    Open a client of the library.

    Args:
        make: The library's class.
        settings: Complete ones.
        whose: The cluster, or whatever else it is for, as messages shall name it.

    Raises:
        KafkaException: The library refuses the settings.
        EnvironmentProblem: The process has no room for another client.
    """
    try:
        return make(settings)
    except RuntimeError as error:
        # Each client takes one of the C library's thread keys, of which a process has 1,024.
        raise EnvironmentProblem(
            f"{whose}: no room for another client in this process: {error}",
            hint="run fewer flows in one process: several nodes with one file share its flows "
            "where it has dedicated.mode.enable.internal.rest = true; --clusters chooses some",
        ) from error


def connection_settings(
    config: Mapping[str, Any], cause: ConnectionCause, ours: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """
    Complete librdkafka settings for any client of ours.

    Args:
        config: What the operator's file gave; what it has from key stores is read again.
        cause: Will be told why connections fail.
        ours: Settings that go before those.
    """
    # What librdkafka would print to stderr reaches the operator through *cause*, once.
    quiet = {"log_level": 0, "log.connection.close": False}
    return {**quiet, **renewed(config), **(ours or {}), "error_cb": cause.on_error}


def transactional_settings(
    config: Mapping[str, Any], cause: ConnectionCause, transactional_id: str, *, timeout_ms: int
) -> dict[str, Any]:
    """
    Complete librdkafka settings for a producer that others may fence.

    Args:
        config: What the operator's file gave.
        cause: Will be told why connections fail.
        transactional_id: The producer's id.
        timeout_ms: After so long the cluster ends a transaction that nobody ends.
    """
    ours = {"transactional.id": transactional_id, "transaction.timeout.ms": timeout_ms}
    # At log level 0 librdkafka still prints that it was fenced, and the call that meets it raises.
    return connection_settings(config, cause, ours) | {"logger": _NOBODY}


def close_producer(producer: Producer) -> None:
    """Let go of a producer, whatever state it is in, and whether its cluster is there or not."""

    def close() -> None:
        # A fatal state was raised by the call that met it first; the library also warns of it.
        with suppress(KafkaException), warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            producer.close()

    # It would abort an open transaction first, and wait without end for who coordinates it.
    with suppress(TimeoutError):
        call_within(_CLOSE_S_MAX, close)
