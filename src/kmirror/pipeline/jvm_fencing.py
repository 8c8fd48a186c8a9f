"""Fencing through Kafka's own admin client (`io.kmirror.Fencing`): it waits no half seconds."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from kmirror.admin.connection import cluster_name
from kmirror.config.client_properties import ClientProperties
from kmirror.pipeline.java_errors import translated
from kmirror.pipeline.jvm_calls import calling_jvm
from kmirror.waits import waiting

PRODUCER_RIGHTS = "DESCRIBE and WRITE on the transactional ids"
# A transaction that was open is aborted within some milliseconds; until then brokers say "later".
BACKOFF = {"retry.backoff.ms": "20"}


def fence_producers(
    jvm: Any, alias: str, properties: ClientProperties, ids: Sequence[str], *, timeout_s: float
) -> None:
    """
    End the producers of transactional ids, and what they have open.

    Args:
        jvm: A JVM with the connector on its class path.
        alias: The cluster's alias, for messages.
        properties: Java client properties of an admin client.
        ids: The transactional ids.
        timeout_s: Deadline, seconds.

    Raises:
        ClusterError: The cluster refused, or did not answer: some of them may be fenced.
    """
    name, doing = cluster_name(alias, properties), "fence earlier drivers' producers"
    settings = json.dumps(properties.with_defaults(BACKOFF).reveal())
    with calling_jvm(), waiting(f"for {name}", doing):
        failure = json.loads(
            jvm.io.kmirror.Fencing.fence(settings, json.dumps(list(ids)), int(timeout_s * 1000))
        )
    if failure:
        raise translated(failure, name, doing, needs=PRODUCER_RIGHTS)
