"""Kafka's own clients for who runs no JVM."""

from __future__ import annotations

from contextlib import ExitStack

from kmirror.errors import EnvironmentProblem
from kmirror.pipeline.gateway import client_jvm
from kmirror.pipeline.jvm_clients import JvmClients


class OwnJvm:
    """
    A JVM, until `close`. Make it in the main thread.

    Without Java all else goes on: only who asks for what needs it is told.
    """

    def __init__(self) -> None:
        self._opened = ExitStack()
        self._problem = ""
        try:
            self._jvm = self._opened.enter_context(client_jvm())
        except EnvironmentProblem as problem:
            self._problem = str(problem)

    def kafka(self) -> JvmClients:
        """
        Give what opens Kafka's own clients.

        Raises:
            EnvironmentProblem: Java or the jars are missing.
        """
        if self._problem:
            raise EnvironmentProblem(f"Kafka's own clients do not run: {self._problem}")
        return JvmClients(self._jvm)

    def close(self) -> None:
        """End the JVM."""
        self._opened.close()
