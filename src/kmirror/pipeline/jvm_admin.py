"""Kafka's own admin client in a JVM, for commands that ask what only it asks."""

from __future__ import annotations

from typing import Any

from py4j.protocol import Py4JJavaError

from kmirror.admin.connection import Connected, cluster_name
from kmirror.config.client_properties import ClientProperties
from kmirror.errors import ClusterError
from kmirror.pipeline.jvm_calls import calling_jvm
from kmirror.waits import waiting


class JvmAdmin(Connected):
    """
    Kafka's admin client for a few questions that change nothing.

    Args:
        jvm: A JVM with Kafka's clients on its class path.
        alias: The cluster's alias, for messages.
        properties: Java client properties of an admin client.
        timeout_s: Deadline of every call, seconds.

    Raises:
        ClusterError: The client does not start with these properties.
    """

    def __init__(
        self, jvm: Any, alias: str, properties: ClientProperties, *, timeout_s: float
    ) -> None:
        self._name = cluster_name(alias, properties)
        self._jvm = jvm
        self._timeout_ms = int(timeout_s * 1000)
        settings = jvm.java.util.Properties()
        for name, text in properties.reveal().items():
            settings.setProperty(name, text)
        settings.setProperty("default.api.timeout.ms", str(self._timeout_ms))
        settings.setProperty("request.timeout.ms", str(self._timeout_ms))
        with calling_jvm(), waiting("for Java", "start Kafka's own client"):
            try:
                self._admin = jvm.org.apache.kafka.clients.admin.Admin.create(settings)
            except Py4JJavaError as error:
                words = f"{self._name}: Kafka's admin client does not start"
                raise ClusterError(f"{words}: {error.java_exception}") from error

    def _answer(self, future: Any) -> Any:
        return future.get(self._timeout_ms, self._jvm.java.util.concurrent.TimeUnit.MILLISECONDS)

    def close(self) -> None:
        """Let go of connections."""
        with calling_jvm():
            self._admin.close()
