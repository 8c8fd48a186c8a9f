"""Positions through Kafka's own producer (`io.kmirror.PositionWriter`)."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from py4j.protocol import Py4JJavaError

from kmirror.admin.connection import cluster_name
from kmirror.admin.requests import PER_REQUEST_MAX
from kmirror.config.client_properties import ClientProperties
from kmirror.errors import ClusterError, ProducerFenced
from kmirror.model import TopicPartition
from kmirror.pieces import pieces
from kmirror.pipeline.java_errors import client_error, translated
from kmirror.pipeline.jvm_calls import CallThread, calling_jvm
from kmirror.pipeline.jvm_fencing import BACKOFF, PRODUCER_RIGHTS
from kmirror.plans.snapshot import GroupPosition
from kmirror.waits import waiting

# Long enough for a slow link, short enough that a killed owner's open transaction ends soon.
_TRANSACTION_TIMEOUT_MS = 30_000
_FENCED = frozenset({"ProducerFencedException", "InvalidProducerEpochException"})
# librdkafka, which reads them, takes metadata for a C string, and would read past the end of it.
_END = "\0"


class JvmPositionWriter:
    """
    A `PositionWriter` in a JVM.

    librdkafka has no such: its `send_offsets_to_transaction` waits without end for a coordinator
    that has left (its issues 5456, 5511).

    Args:
        jvm: The JVM, with the connector on its class path.
        alias: The cluster's alias, for messages.
        properties: Java client properties of an admin client.
        group: Whose offsets are written.
        transactional_id: Whoever opens one with the same fences this one.
        timeout_s: Deadline of each step, seconds.
    """

    def __init__(
        self,
        jvm: Any,
        alias: str,
        properties: ClientProperties,
        *,
        group: str,
        transactional_id: str,
        timeout_s: float,
    ) -> None:
        self._name = cluster_name(alias, properties)
        ours = {
            "transactional.id": transactional_id,
            "transaction.timeout.ms": str(_TRANSACTION_TIMEOUT_MS),
            "max.block.ms": str(int(timeout_s * 1000)),
            # No record is ever sent; but it has to be longer than a request's.
            "delivery.timeout.ms": str(2**31 - 1),
        }
        settings = json.dumps(properties.with_defaults(BACKOFF).overridden_by(ours).reveal())
        self._thread = CallThread(
            "kmirror-positions", lambda: jvm.io.kmirror.PositionWriter(settings, group)
        )
        self._is_usable = True

    @property
    def is_usable(self) -> bool:
        """Whether everything so far has an answer, and nobody has the transactional id since."""
        return self._is_usable

    def fence(self, doing: str) -> None:
        """End earlier producers of the same transactional id; see `PositionWriter`."""
        failure = self._call(lambda writer: writer.fence(), doing)
        if failure:
            self._is_usable = False
            raise self._translated(failure, doing, PRODUCER_RIGHTS)

    def write(self, positions: Mapping[TopicPartition, GroupPosition], doing: str) -> None:
        """Commit positions in one transaction; see `PositionWriter`."""
        rows = [
            (tp.topic, tp.partition, at.offset, at.metadata + _END)
            for tp, at in sorted(positions.items())
        ]
        requests = json.dumps(list(pieces(rows, PER_REQUEST_MAX)))
        failure = self._call(lambda writer: writer.write(requests), doing)
        if failure:
            self._is_usable = failure["aborted"]
            raise self._translated(failure, doing, "READ on the topic and on the group")

    def close(self) -> None:
        """Let go of connections."""
        self._is_usable = False
        self._thread.close()

    def _call(self, call: Callable[[Any], str], doing: str) -> dict[str, Any]:
        with calling_jvm(), waiting(f"for {self._name}", doing):
            try:
                answer = self._thread.call(call)
            except Py4JJavaError as error:
                self._is_usable = False
                thrown = error.java_exception
                cause = (thrown.getCause() or thrown).getMessage()
                raise ClusterError(
                    f"{self._name}: Kafka's producer does not start: {cause}"
                ) from error
        failure: dict[str, Any] = json.loads(answer)
        return failure

    def _translated(self, failure: Mapping[str, Any], doing: str, needs: str) -> ClusterError:
        if client_error(failure).name in _FENCED:
            return ProducerFenced(f"{self._name}: could not {doing}: another process does")
        return translated(failure, self._name, doing, needs=needs)
