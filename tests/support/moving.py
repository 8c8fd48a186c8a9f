"""Partitions that have to move to another slot, because one slot has what is busy."""

from __future__ import annotations

from kmirror.model import Flow
from tests.support.commands import order
from tests.support.driver import Driver
from tests.support.mirrored import Mirrored
from tests.support.records import record, write

# Far more bytes than what else is written meanwhile.
_RECORDS, _RECORD_BYTES = 50_000, 500


def move_busy(flow: Mirrored, driver: Driver, busy: str, calm: str) -> None:
    """
    Have a partition of each flow move.

    Args:
        flow: Its flows have two slots, and are running.
        driver: Theirs.
        busy: A topic of four partitions, two in each slot; the first one gets so busy that whatever
            else is in its slot has to leave it.
        calm: Another topic. Its pause, and its end, make new plans.
    """
    records = [record(f"busy-{number}".encode().ljust(_RECORD_BYTES)) for number in range(_RECORDS)]
    write(flow.source, busy, records)
    flow.wait_copied(driver, busy, _RECORDS)
    for copy in flow.copies:
        before = _plans(driver, copy.flow)
        _order("pause", flow, copy.flow, calm)
        # The second one gives it to the other slot, when its lane has let go.
        driver.wait_until(
            lambda name=copy.flow, wanted=before + 2: _plans(driver, name) >= wanted,
            f"a partition of {copy.flow} moves",
            timeout_s=30,
        )
        _order("resume", flow, copy.flow, calm)


def _plans(driver: Driver, flow: Flow) -> int:
    return len(driver.lines(rf"{flow}: plan \d+: "))


def _order(verb: str, flow: Mirrored, name: Flow, topic: str) -> None:
    answer = order(verb, flow.file, str(name), topic)
    assert "in effect" in answer.text, answer.text
