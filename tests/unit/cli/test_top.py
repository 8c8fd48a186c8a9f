"""`kmirror top` on a screen that nobody sees."""

from __future__ import annotations

import asyncio
import re
import threading
from pathlib import Path

import pytest
from textual.widgets import DataTable, Input, TabbedContent

from kmirror.api.answers import TopicList
from kmirror.api.client import ApiClient
from kmirror.api.flows import FlowView, Origin, Sample
from kmirror.cli.top_app import Reason, TopApp
from kmirror.cli.top_rows import sparkline
from kmirror.cli.top_source import ClustersSource, ServedSource, served_at
from kmirror.console.console import Console
from kmirror.errors import OrderRefused
from kmirror.events.emit import emit
from kmirror.events.table import FLOW_INCOMPLETE
from kmirror.model import Flow
from kmirror.server.users import token_digest
from tests.support.console_server import file_of, serving_console
from tests.support.fake_flow import unused
from tests.support.top_screen import SEEN_S_MAX, drawn, rows, until
from tests.support.top_snapshots import FOLDER, SIZES, TABS, name_of
from tests.support.top_snapshots import drawn as drawn_still


def test_a_look(tmp_path: Path) -> None:
    """Flows with their verdicts; arrows choose, a slash filters, and what is ill says why."""

    async def look(app: TopApp) -> None:
        async with app.run_test(size=(140, 40)) as pilot:
            await until(lambda: len(rows(app, "#partitions-table")) == 6, "A->B")
            assert [row[:2] for row in rows(app, "#flows")] == [
                ["A->B", "✓ in sync"],
                ["B->A", "▲ broken"],
            ]
            await until(lambda: "1 of 2 flows is broken" in drawn(app), "the headline")
            await pilot.press("down")
            await until(lambda: len(rows(app, "#partitions-table")) == 2, "B->A")
            assert rows(app, "#partitions-table")[0][1] == "▲ parked"
            assert "not authorized" in rows(app, "#partitions-table")[0][-1]
            await pilot.press("up", "slash", *"0001")
            await until(lambda: len(rows(app, "#partitions-table")) == 3, "topic-0001")
            assert [row[0] for row in rows(app, "#topics-table")] == ["topic-0001"]
            await pilot.press("escape")
            await until(lambda: len(rows(app, "#partitions-table")) == 6, "all")
            await pilot.press("q")

    with serving_console(tmp_path) as client:
        asyncio.run(look(TopApp(ServedSource(ApiClient(client.base)))))


def test_an_order(tmp_path: Path) -> None:
    """It asks why; without a reason nothing is ordered, and what is refused is said."""

    async def order(app: TopApp) -> None:
        async with app.run_test(size=(140, 40)) as pilot:
            await until(lambda: len(rows(app, "#partitions-table")) == 6, "A->B")
            await pilot.press("p")
            await until(lambda: isinstance(app.screen, Reason), "the question")
            assert "pause A->B" in drawn(app)
            # What is behind the question goes on.
            looked = app.looks
            await until(lambda: app.looks > looked + 1, "two more looks")
            await pilot.press("escape")
            await until(lambda: not isinstance(app.screen, Reason), "no question")
            app.query_one(TabbedContent).active = "topics"
            await until(lambda: len(rows(app, "#topics-table")) == 2, "topics")
            app.query_one("#topics-table", DataTable).focus()
            await pilot.press("p")
            await until(lambda: isinstance(app.screen, Reason), "the question")
            assert re.search(r"pause topic-000\d of A->B", drawn(app))
            await pilot.press("escape")
            await until(lambda: not isinstance(app.screen, Reason), "no question")
            app.query_one(TabbedContent).active = "partitions"
            app.query_one("#partitions-table", DataTable).focus()
            await pilot.press("down", "r")
            await until(lambda: isinstance(app.screen, Reason), "the question")
            assert "resume topic-0000-1 of A->B" in drawn(app)
            app.screen.query_one("#reason", Input).value = "a test"
            await pilot.press("enter")
            await until(lambda: "needs the role operator" in drawn(app), "the refusal")

    with serving_console(tmp_path, role="viewer") as client:
        source = ServedSource(ApiClient(client.base))
        asyncio.run(order(TopApp(source)))


@pytest.mark.parametrize("tab", TABS)
@pytest.mark.parametrize("size", SIZES)
def test_the_screen(size: tuple[int, int], tab: str) -> None:
    """As it was looked at: `python -m tests.support.top_snapshots` draws it anew."""
    seen = (FOLDER / name_of(size, tab)).read_text("utf-8")
    assert asyncio.run(drawn_still(size, tab)) == seen


class _Slow(ServedSource):
    """Answers about the second flow only when it may."""

    def __init__(self, api: ApiClient) -> None:
        super().__init__(api)
        self.may = threading.Event()
        self.waits = threading.Event()

    def topics(self, flow: str) -> TopicList:
        """Wait first."""
        if flow == "B->A":
            self.waits.set()
            assert self.may.wait(SEEN_S_MAX)
        return super().topics(flow)


def test_an_order_is_for_what_is_seen(tmp_path: Path) -> None:
    """Rows of the flow that was marked before are ordered as that flow's, and no other's."""

    async def order(source: _Slow) -> None:
        app = TopApp(source)
        async with app.run_test(size=(140, 40)) as pilot:
            await until(lambda: len(rows(app, "#partitions-table")) == 6, "A->B")
            await pilot.press("down")
            await until(source.waits.is_set, "asked for B->A")
            assert app.chosen == "B->A"
            app.query_one("#partitions-table", DataTable).focus()
            await pilot.press("p")
            await until(lambda: isinstance(app.screen, Reason), "the question")
            assert "pause topic-0000-0 of A->B" in drawn(app)
            await pilot.press("escape")
            await until(lambda: not isinstance(app.screen, Reason), "no question")
            source.may.set()
            await until(lambda: len(rows(app, "#partitions-table")) == 2, "B->A")
            # Where no row is, no order is for the whole flow by mistake.
            app.query_one("#filter", Input).value = "nothing like that"
            await until(lambda: not rows(app, "#partitions-table"), "no row")
            app.query_one("#partitions-table", DataTable).focus()
            await pilot.press("p")
            await pilot.pause()
            assert not isinstance(app.screen, Reason)

    with serving_console(tmp_path) as client:
        asyncio.run(order(_Slow(ApiClient(client.base))))


def test_nothing_controls_the_terminal(tmp_path: Path) -> None:
    """Whoever may make a consumer group of the source writes words into events."""

    async def see(app: TopApp) -> None:
        async with app.run_test(size=(140, 40)):
            emit(FLOW_INCOMPLETE, flow=Flow("A", "B"), reason="\x1b]52;c;evil\x07\nforged")
            await until(lambda: "forged" in str(rows(app, "#events-table")), "the event")
            said = next(row[-1] for row in rows(app, "#events-table") if "forged" in row[-1])
            assert said.isprintable()
            assert "\\x1b]52;c;evil\\x07\\nforged" in said

    with serving_console(tmp_path) as client:
        asyncio.run(see(TopApp(ServedSource(ApiClient(client.base)))))


def test_nobody_answers() -> None:
    """That is said, and what was known stays."""

    async def look(app: TopApp) -> None:
        async with app.run_test(size=(140, 40)):
            await until(lambda: "no answer" in drawn(app), "the trouble")

    asyncio.run(look(TopApp(ServedSource(ApiClient("http://127.0.0.1:1", timeout_s=1.0)))))


def test_without_a_driver_nothing_is_ordered() -> None:
    source = ClustersSource(unused(Console))
    with pytest.raises(OrderRefused, match="kmirror pause FILE 'A->B' t:1"):
        source.pause("A->B", "t", 1, "x")


def test_where_it_asks(tmp_path: Path) -> None:
    """The driver's console, if the file has one and it answers."""
    assert served_at(file_of(tmp_path)) is None
    assert served_at(file_of(tmp_path, _FILE + "kmirror.console = 127.0.0.1:1\n")) is None
    with serving_console(tmp_path) as client:
        address = client.base.removeprefix("http://")
        assert served_at(file_of(tmp_path, _FILE + f"kmirror.console = {address}\n")) is not None


def test_it_logs_in(tmp_path: Path) -> None:
    """With the token of the environment, also where the file says the address."""
    users, secret = tmp_path / "users", "Oa7vX0hWm3Jq9cT5rLz1yBd8"
    users.write_text(f"ops:operator:{token_digest(secret)}\n", encoding="utf-8")
    users.chmod(0o600)
    with serving_console(tmp_path, role="none", users=users) as client:
        address = client.base.removeprefix("http://")
        config = file_of(tmp_path, _FILE + f"kmirror.console = {address}\n")
        assert served_at(config) is None
        found = served_at(config, secret)
        assert found is not None
        assert found.server().you == "ops"


_FILE = """\
clusters = A, B
A.bootstrap.servers = 127.0.0.1:1
B.bootstrap.servers = 127.0.0.1:1
A->B.enabled = true
A->B.topics = t
"""


@pytest.mark.parametrize(
    ("lags", "expected"),
    [([], ""), ([1], ""), ([0, 0], "▁▁"), ([0, 5, 10], "▁▅█"), ([None, 1, 1], "██")],
)
def test_sparklines(lags: list[int | None], expected: str) -> None:
    samples = tuple(
        Sample(at_ms=at, lag_records=lag, lag_seconds=None, records_per_s=None, bytes_per_s=None)
        for at, lag in enumerate(lags)
    )
    flow = FlowView(name="A->B", source="A", target="B", origin=Origin.DRIVER, samples=samples)
    assert sparkline(flow) == expected
