"""Nodes with one file share its flows: whoever dies, is frozen or ends, others go on, exactly."""

from __future__ import annotations

import logging
import os
import re
import signal
from collections.abc import Callable

import pytest
from kmirror_lab.fixtures import ClusterPair

from tests.support.driver import Driver
from tests.support.mirrored import MirroredFactory
from tests.support.standstill import Standstill

pytestmark = [pytest.mark.kafka, pytest.mark.spark, pytest.mark.fault]

_log = logging.getLogger(__name__)
_SHARED = r"(\d+) of 2 flows are here; (\d+) share them"
_SEVERAL = "kmirror.nodes = several"


def test_flows_survive_their_nodes(
    kafka_pair: ClusterPair, mirrored: MirroredFactory, new_topic: Callable[..., str]
) -> None:
    """One is killed, one is frozen and comes back, one ends; the file changes on the way."""
    a, b = kafka_pair
    topic, probe = new_topic(a, "nodes"), new_topic(a, "probe", partitions=1)
    late = new_topic(a, "late")
    flow = mirrored(a, b, topic, probe, late, extra_lines=[_SEVERAL])
    changed = flow.file.read_text()
    flow.file.write_text(changed.replace(f",{late}", ""))
    nodes = [flow.start(), flow.start()]
    for name in (topic, late):
        flow.write(name, partitions=2, rate=100, abort_every=4)
    _wait_for_a_flow_each(nodes)
    flow.wait_copied(nodes[0], topic)

    def goes_on_without(gone: Driver, end: Callable[[Driver], object]) -> None:
        was_home, began = gone is _home(nodes), _began(gone)
        nodes.remove(gone)
        with Standstill(a, probe, b, f"A.{probe}") as standstill:
            end(gone)
            (left,) = nodes
            left.wait_until(lambda: _share(left) == (2, 1), "both flows", 120.0)
            if was_home:
                left.wait_until(lambda: _began(left) > began, "a new home", 120.0)
            standstill.settle()
            stood_s = standstill.longest_s
        _log.warning("%s: it stood still for %.1f s", end.__name__, stood_s)
        assert standstill.is_exact

    goes_on_without(_home(nodes), Driver.kill)
    (old,) = nodes
    flow.file.write_text(changed)
    fresh = flow.start()
    nodes.append(fresh)
    _wait_for_a_flow_each(nodes)
    frozen = _home(nodes)
    goes_on_without(frozen, Driver.freeze)
    frozen.thaw()
    nodes.append(frozen)
    # Whoever has the older file begins nothing until it has read the newer one.
    os.kill(old.pid, signal.SIGHUP)
    _wait_for_a_flow_each(nodes)
    goes_on_without(old, Driver.stop)
    assert old.exit_code == 0, old.text
    old.check_log()
    # Both flows have the new settings now, and copy what only these name.
    flow.finish(fresh)


def _share(node: Driver) -> tuple[int, int]:
    """How many of two flows a node has, and among how many they are shared, as it heard last."""
    lines = node.lines(_SHARED)
    found = re.search(_SHARED, lines[-1]) if lines else None
    return (int(found[1]), int(found[2])) if found else (0, 0)


def _wait_for_a_flow_each(nodes: list[Driver]) -> None:
    for node in nodes:
        node.wait_until(lambda node=node: _share(node) == (1, 2), "a flow of two", 120.0)


def _home(nodes: list[Driver]) -> Driver:
    """Return the node that began to copy A->B last."""
    return max(nodes, key=_began)


def _began(node: Driver) -> str:
    lines = node.lines(r" A->B: plan \d+: ")
    return lines[-1][:23] if lines else ""
