"""When a client is opened anew because brokers refuse it, or it refuses them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from confluent_kafka import KafkaException

from kmirror.admin._errors import ConnectionCause, translate
from kmirror.admin.connection import connection_settings, open_client
from kmirror.clock import Clock

_INTERVAL_S_MIN = 10.0

C = TypeVar("C")


class Renewal:
    """
    The library reads certificates, keys and authorities only when it opens a client.

    One that lives as long as its process is opened anew when it is refused: with what its files
    say by then.

    Args:
        config: librdkafka settings as the operator's file gives them.
        ours: Settings that go before those.
        cause: Why connections fail.
        cluster: The cluster as messages shall name it.
        doing: What the client is for, as in "could not <doing>".
        clock: Where time comes from.
    """

    def __init__(
        self,
        config: Mapping[str, Any],
        ours: Mapping[str, Any],
        *,
        cause: ConnectionCause,
        cluster: str,
        doing: str,
        clock: Clock,
    ) -> None:
        self._config = config
        self._ours = ours
        self._cause = cause
        self._cluster = cluster
        self._doing = doing
        self._clock = clock
        self._opened_s = clock.monotonic_s()

    @property
    def is_recent(self) -> bool:
        """Whether the client was opened a moment ago: another one would fare no better."""
        return self._clock.monotonic_s() - self._opened_s < _INTERVAL_S_MIN

    @property
    def is_due(self) -> bool:
        """Whether another client is to be opened."""
        return self._cause.is_refusal and not self.is_recent

    def open(self, make: Callable[[dict[str, Any]], C]) -> C:
        """
        Open a client.

        Args:
            make: The library's class.

        Raises:
            ClusterError: The library refuses the settings, such as a file that is not there.
            EnvironmentProblem: The process has no room for another client.
        """
        try:
            return open_client(make, self.settings(), self._cluster)
        except KafkaException as error:
            raise translate(error, cluster=self._cluster, doing=self._doing) from error

    def settings(self) -> dict[str, Any]:
        """Return what to open a client with, now."""
        self._opened_s = self._clock.monotonic_s()
        self._cause.clear()
        return connection_settings(self._config, self._cause, self._ours)
