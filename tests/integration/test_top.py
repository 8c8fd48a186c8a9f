"""`kmirror top` on a driver that copies."""

from __future__ import annotations

import asyncio
import secrets
from pathlib import Path

import pytest
from kmirror_lab.fixtures import ClusterPair
from textual.widgets import DataTable, Input

from kmirror.api.client import ApiClient
from kmirror.cli.top_app import Reason, TopApp
from kmirror.cli.top_source import ServedSource
from tests.support.driver import DriverFactory
from tests.support.mirror_file import flow_lines, mirror_file
from tests.support.records import numbered, write
from tests.support.top_screen import drawn, rows, until

pytestmark = [pytest.mark.kafka, pytest.mark.spark]


async def _order(app: TopApp, key: str, reason: str) -> None:
    """Have the partition that is chosen paused or resumed."""
    async with app.run_test(size=(140, 40)) as pilot:
        await until(lambda: len(rows(app, "#partitions-table")) == 1, "the partition")
        app.query_one("#partitions-table", DataTable).focus()
        await pilot.press(key)
        await until(lambda: isinstance(app.screen, Reason), "the question")
        app.screen.query_one("#reason", Input).value = reason
        await pilot.press("enter")
        await until(lambda: "in effect after" in drawn(app), "what became of it")


def test_a_partition_is_held_and_goes_on(
    kafka_pair: ClusterPair, warm_driver: DriverFactory, tmp_path: Path
) -> None:
    """What is ordered there is obeyed, and what it shows is what the driver does."""
    name = f"top{secrets.token_hex(3)}"
    clusters = {f"S{name}": kafka_pair.a, f"T{name}": kafka_pair.b}
    flow = f"S{name}->T{name}"
    console = ("kmirror.console = 127.0.0.1:0", "kmirror.console.anonymous.role = operator")
    file = mirror_file(tmp_path, clusters, *flow_lines(flow, name), *console)
    write(kafka_pair.a, kafka_pair.a.create_topic(name), numbered(name, range(10)))
    driver = warm_driver(file)
    api = ApiClient(driver.wait_for_address("the console is at"))
    driver.wait_for_line("plan 1: ")

    def state() -> str:
        (only,) = api.partitions(flow).partitions
        return only.state

    asyncio.run(_order(TopApp(ServedSource(api)), "p", "a test"))
    assert state() == "paused"
    asyncio.run(_order(TopApp(ServedSource(api)), "r", "over"))
    assert state() != "paused"
