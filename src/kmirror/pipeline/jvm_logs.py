"""A cluster's logs through Kafka's own consumer (`io.kmirror.Logs`); librdkafka cannot ask that."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from kmirror.admin.connection import cluster_name
from kmirror.admin.log_admin import PlaceInLog
from kmirror.config.client_properties import ClientProperties
from kmirror.model import TopicPartition
from kmirror.pipeline.java_errors import translated
from kmirror.pipeline.jvm_calls import calling_jvm
from kmirror.pipeline.tuning.source import FETCH
from kmirror.waits import waiting


class JvmLogs:
    """
    A `LogAdmin` in a JVM.

    Args:
        jvm: The JVM, with the connector on its class path.
        alias: The cluster's alias, for messages.
        properties: Java client properties of a consumer.
        timeout_s: Deadline of every call, seconds.
    """

    def __init__(
        self, jvm: Any, alias: str, properties: ClientProperties, *, timeout_s: float
    ) -> None:
        self._name = cluster_name(alias, properties)
        settings = json.dumps(properties.reveal())
        with calling_jvm():
            self._logs = jvm.io.kmirror.Logs(
                settings, int(timeout_s * 1000), json.dumps(FETCH.values)
            )

    def kept(self, places: Mapping[TopicPartition, PlaceInLog]) -> Mapping[TopicPartition, int]:
        """Return the offset up to which logs still hold what they held before a place."""
        if not places:
            return {}
        asked = [
            [tp.topic, tp.partition, place.offset, place.leader_epoch]
            for tp, place in places.items()
        ]
        doing = "compare leader epochs"
        with calling_jvm(), waiting(f"for {self._name}", doing):
            answer = json.loads(self._logs.kept(json.dumps(asked)))
        if isinstance(answer, dict):
            raise translated(answer, self._name, doing)
        return {TopicPartition(topic, partition): kept for topic, partition, kept in answer}
