"""Consumer groups for who runs no JVM of its own."""

from __future__ import annotations

from contextlib import ExitStack

from kmirror.config.client_properties import ClientProperties
from kmirror.errors import EnvironmentProblem
from kmirror.pipeline.gateway import client_jvm
from kmirror.pipeline.jvm_clients import JvmClients
from kmirror.pipeline.jvm_features import JvmFeatures
from kmirror.pipeline.jvm_groups import JvmGroups


class JavaGroups:
    """
    A JVM that opens the consumer groups of clusters, until `close`. Make it in the main thread.

    Without Java all else goes on: only who asks for groups is told.
    """

    def __init__(self) -> None:
        self._opened = ExitStack()
        self._problem = ""
        try:
            self._jvm = self._opened.enter_context(client_jvm())
        except EnvironmentProblem as problem:
            self._problem = str(problem)

    def open(self, alias: str, properties: ClientProperties, timeout_s: float) -> JvmGroups:
        """
        Open those of a cluster; see `OpenGroups`.

        Raises:
            EnvironmentProblem: Java or the jars are missing.
        """
        return self._clients("consumer groups").open_groups(alias, properties, timeout_s)

    def open_features(
        self, alias: str, properties: ClientProperties, timeout_s: float
    ) -> JvmFeatures:
        """
        Open what else only Kafka's own client asks; see `OpenFeatures`.

        Raises:
            EnvironmentProblem: Java or the jars are missing.
        """
        return self._clients("features").open_features(alias, properties, timeout_s)

    def _clients(self, what: str) -> JvmClients:
        if self._problem:
            raise EnvironmentProblem(f"{what} cannot be asked for: {self._problem}")
        return JvmClients(self._jvm)

    def close(self) -> None:
        """End the JVM."""
        self._opened.close()
