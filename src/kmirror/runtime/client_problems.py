"""What the clients of flows do not take of settings that are right otherwise."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kmirror.admin.settings import admin_problem
from kmirror.config.flows import FlowConfig
from kmirror.ends.clients import lane_consumer, lane_producer
from kmirror.errors import Problem
from kmirror.jvm.key_stores import librdkafka_settings
from kmirror.pipeline.client_check import client_problems


def flow_problems(
    jvm: Any, flows: Iterable[FlowConfig], *, lanes_are_here: bool
) -> tuple[Problem, ...]:
    """
    Check clients' settings that need classes and files of the JVM, but not Spark.

    Args:
        jvm: Py4J's view of it.
        flows: Whose.
        lanes_are_here: Lanes run in this JVM; executors elsewhere may have other classes and files.
    """
    found: dict[Problem, None] = {}
    for flow in flows:
        if lanes_are_here:
            found.update(dict.fromkeys(client_problems(jvm, "consumer", lane_consumer(flow))))
            found.update(dict.fromkeys(client_problems(jvm, "producer", lane_producer(flow))))
        for admin in (flow.source_admin, flow.target_admin):
            found.update(dict.fromkeys(client_problems(jvm, "admin", admin)))
            second = admin_problem(admin, librdkafka_settings(admin))
            if second is not None and second.where not in {problem.where for problem in found}:
                found[second] = None
    return tuple(found)
