"""Partitions that have to move to another slot, because one slot has what is busy."""

from __future__ import annotations

from kmirror.model import Flow
from tests.support.commands import order
from tests.support.driver import Driver
from tests.support.mirrored import Mirrored
from tests.support.records import record, write
from tests.support.scrapes import scraped

_RECORDS = 100_000


def slot_sizes(driver: Driver, flow: Flow) -> list[float]:
    """Tell how many partitions each slot of a flow has, in the order of these numbers."""
    url = driver.wait_for_address("serving metrics at")
    return sorted(
        each.value
        for each in scraped(url)
        if each.name == "kmirror_slot_partitions" and each.labels["flow"] == str(flow)
    )


def move_busy(flow: Mirrored, driver: Driver, busy: str, calm: str) -> None:
    """
    Have a partition of each flow move.

    Args:
        flow: Its flows have two slots, and are running.
        driver: It serves metrics.
        busy: A topic of four partitions, two in each slot; the first one gets busier, so that the
            other one of its slot moves.
        calm: The only other topic, of two partitions. Its pause, and its end, make new plans.
    """
    records = [record(f"busy-{number}".encode()) for number in range(_RECORDS)]
    write(flow.source, busy, records)
    flow.wait_copied(driver, busy, _RECORDS)
    for copy in flow.copies:
        _order("pause", flow, copy.flow, calm)
        _wait_until_moved(driver, copy.flow)
        _order("resume", flow, copy.flow, calm)


def _order(verb: str, flow: Mirrored, name: Flow, topic: str) -> None:
    answer = order(verb, flow.file, str(name), topic)
    assert "in effect" in answer.text, answer.text


def _wait_until_moved(driver: Driver, flow: Flow) -> None:
    driver.wait_until(
        lambda: slot_sizes(driver, flow) == [1, 3], f"a partition of {flow} moves", timeout_s=30
    )
