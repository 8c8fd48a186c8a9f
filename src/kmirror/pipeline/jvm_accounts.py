"""Quotas and SCRAM users of a cluster: Kafka's own admin client alone knows the first."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from py4j.protocol import Py4JJavaError

from kmirror.errors import ClusterError
from kmirror.pipeline.java_errors import translated
from kmirror.pipeline.jvm_admin import JvmAdmin
from kmirror.pipeline.jvm_calls import calling_jvm
from kmirror.plans.accounts import Entity, entity
from kmirror.waits import waiting

T = TypeVar("T")


class JvmAccounts(JvmAdmin):
    """What a cluster knows of its users; its arguments are `JvmAdmin`'s."""

    def quotas(self) -> Mapping[Entity, Mapping[str, float]]:
        """
        Return all quotas of clients (KIP-546).

        Raises:
            ClusterError: The cluster refused, or is older than Kafka 2.6.
        """
        return self._asked("read client quotas", "DescribeConfigs", self._quotas)

    def scram(self) -> Mapping[str, frozenset[str]]:
        """
        Return the SCRAM mechanisms of every user that has one (KIP-554); never a secret.

        Raises:
            ClusterError: The cluster refused, or is older than Kafka 2.7.
        """
        return self._asked("read SCRAM users", "Describe", self._scram)

    def _quotas(self) -> Mapping[Entity, Mapping[str, float]]:
        every = self._jvm.org.apache.kafka.common.quota.ClientQuotaFilter.all()
        found = self._answer(self._admin.describeClientQuotas(every).entities())
        return {
            entity(dict(each.getKey().entries())): {
                str(name): float(at) for name, at in dict(each.getValue()).items()
            }
            for each in found.entrySet()
        }

    def _scram(self) -> Mapping[str, frozenset[str]]:
        found = self._answer(self._admin.describeUserScramCredentials().all())
        return {
            str(each.getKey()): frozenset(
                str(info.mechanism().mechanismName()) for info in each.getValue().credentialInfos()
            )
            for each in found.entrySet()
        }

    def _asked(self, doing: str, needs: str, ask: Callable[[], T]) -> T:
        with calling_jvm(), waiting(f"for {self._name}", doing):
            try:
                return ask()
            except Py4JJavaError as error:
                raise self._translated(error.java_exception, doing, needs) from error

    def _translated(self, thrown: Any, doing: str, needs: str) -> ClusterError:
        cause = thrown.getCause() or thrown
        failure = {
            "error": str(cause.getClass().getSimpleName()),
            "message": str(cause.getMessage() or ""),
        }
        return translated(failure, self._name, doing, needs=f"{needs} on the cluster")
