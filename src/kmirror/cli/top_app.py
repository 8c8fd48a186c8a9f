"""The screen of `kmirror top`."""

from __future__ import annotations

from functools import partial
from typing import ClassVar, TypeVar

from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import DataTable, Footer, Input, Label, TabbedContent, TabPane

from kmirror.api.flows import FlowView
from kmirror.api.orders import Ordered
from kmirror.cli.top_rows import (
    EVENTS,
    FLOWS,
    PARTITIONS,
    TOPICS,
    Rows,
    event_rows,
    flow_rows,
    partition_key,
    partition_rows,
    topic_rows,
)
from kmirror.cli.top_source import Look, Source, look
from kmirror.errors import MirrorError, one_line
from kmirror.server.console.headline import headline

_EVERY_S = 1.0

Shown = TypeVar("Shown", bound=Widget)


class Reason(ModalScreen[str | None]):
    """
    Asks why.

    Args:
        what: What is going to be ordered.
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "cancel", "Cancel")]
    CSS = """
    Reason { align: center middle; }
    Reason > Vertical {
        width: 70; max-width: 90%; height: auto; padding: 1 2; border: round $accent;
    }
    """

    def __init__(self, what: str) -> None:
        super().__init__()
        self._what = what

    def compose(self) -> ComposeResult:
        """Give the question."""
        with Vertical():
            yield Label(Text(one_line(self._what)))
            yield Input(placeholder="why, for whoever asks later", id="reason")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Answer; without a reason nothing is ordered."""
        self.dismiss(event.value.strip() or None)

    def action_cancel(self) -> None:
        """Order nothing."""
        self.dismiss(None)


class TopApp(App[None]):
    """
    Shows what a source says, every second.

    Args:
        source: Who is asked.
    """

    TITLE = "kmirror top"
    CSS = """
    #flows { height: auto; max-height: 40%; }
    #head, #said { height: auto; padding: 0 1; }
    #head { color: $text-muted; }
    #filter { display: none; }
    #filter.shown { display: block; }
    TabbedContent, TabPane, TabPane > DataTable { height: 1fr; padding: 0; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q", "quit", "Quit"),
        Binding("slash", "filter", "Filter"),
        Binding("p", "order('pause')", "Pause"),
        Binding("r", "order('resume')", "Resume"),
        Binding("escape", "no_filter", "All", show=False),
    ]
    ENABLE_COMMAND_PALETTE = False

    def __init__(self, source: Source) -> None:
        super().__init__()
        self._source = source
        self._flows: tuple[FlowView, ...] = ()
        self._text = ""
        # How often there was an answer.
        self.looks = 0
        # The rows of partitions that are on the screen, and the flow that they are of.
        self._places: dict[str, tuple[str, int]] = {}
        self._places_of = ""
        self._is_asking = self._asks_again = False

    def compose(self) -> ComposeResult:
        """Give the widgets."""
        yield DataTable(id="flows", cursor_type="row", zebra_stripes=True)
        yield Label("asking…", id="head")
        yield Label("", id="said")
        yield Input(placeholder="filter by topic or reason", id="filter")
        with TabbedContent():
            for name in ("Partitions", "Topics", "Events"):
                with TabPane(name, id=name.lower()):
                    yield DataTable(id=f"{name.lower()}-table", cursor_type="row")
        yield Footer()

    def on_mount(self) -> None:
        """Begin to ask."""
        for name, columns in (
            ("#flows", FLOWS),
            ("#partitions-table", PARTITIONS),
            ("#topics-table", TOPICS),
            ("#events-table", EVENTS),
        ):
            self.query_one(name, DataTable).add_columns(*columns)
        self.query_one("#flows", DataTable).focus()
        self.set_interval(_EVERY_S, self._ask)
        self._ask()

    @property
    def chosen(self) -> str | None:
        """The flow that is marked."""
        rows = [each.cursor_row for each in self._found("#flows", DataTable)]
        return next((self._flows[row].name for row in rows if 0 <= row < len(self._flows)), None)

    def action_filter(self) -> None:
        """Let the operator type a text."""
        self.query_one("#filter", Input).add_class("shown").focus()

    def action_no_filter(self) -> None:
        """Show all again."""
        field = self.query_one("#filter", Input)
        field.value = ""
        field.remove_class("shown")
        self.query_one("#flows", DataTable).focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Filter while somebody types."""
        if event.input.id == "filter":
            self._text = event.value
            self._ask()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Go to what was found."""
        if event.input.id == "filter":
            self.query_one("#partitions-table", DataTable).focus()

    def on_data_table_row_highlighted(self, event: DataTable.RowHighlighted) -> None:
        """Show the flow that is marked now."""
        if event.data_table.id == "flows":
            self._ask()

    def action_order(self, verb: str) -> None:
        """Pause or resume what is marked: a flow, one of its topics, or a partition."""
        marked = self._marked()
        if marked is None:
            return
        flow, topic, partition = marked
        place = topic if partition is None else f"{topic}-{partition}"
        what = flow if place is None else f"{place} of {flow}"
        order = getattr(self._source, verb)

        def answer(reason: str | None) -> None:
            if reason is not None:
                self._say(f"{verb} {what}: looking whether a driver obeys…")
                work = partial(self._order, partial(order, flow, topic, partition, reason))
                self.run_worker(work, thread=True, group="orders")

        self.push_screen(Reason(f"{verb} {what}"), answer)

    def _marked(self) -> tuple[str, str | None, int | None] | None:
        """Return what an order would be for; nothing where no table has it, or that of events."""
        if self.focused is self.query_one("#flows", DataTable):
            return None if self.chosen is None else (self.chosen, None, None)
        topics = self.query_one("#topics-table", DataTable)
        if self.focused is topics:
            topic = _marked_key(topics)
            return None if topic is None else (self._places_of, topic, None)
        table = self.query_one("#partitions-table", DataTable)
        place = self._places.get(_marked_key(table) or "") if self.focused is table else None
        # These rows may still be of the flow that was marked before.
        return None if place is None else (self._places_of, *place)

    def _order(self, order: partial[Ordered]) -> None:
        try:
            done = order()
            said = f"{done.order}: {done.words}"
        except (MirrorError, OSError, ValueError) as error:
            said = f"not done: {error}"
        self.call_from_thread(self._say, said)

    def _say(self, text: str) -> None:
        for label in self._found("#said", Label):
            label.update(Text(one_line(text)))

    def _tell(self, text: str) -> None:
        for label in self._found("#head", Label):
            label.update(Text(one_line(text)))

    def _ask(self) -> None:
        # One question at a time: a slow console is not asked more often, and answers stay in order.
        if self._is_asking:
            self._asks_again = True
            return
        self._is_asking = True
        self.run_worker(partial(self._look, self.chosen, self._text), thread=True, group="look")

    def _look(self, flow: str | None, text: str) -> None:
        """Ask for everything, in a thread."""
        try:
            answer = look(self._source, flow, text)
        except (MirrorError, OSError, ValueError) as error:
            self.call_from_thread(self._tell, f"no answer: {error}")
        else:
            self.call_from_thread(self._show, answer)
        self.call_from_thread(self._answered)

    def _answered(self) -> None:
        self._is_asking = False
        if self._asks_again:
            self._asks_again = False
            self._ask()

    def _show(self, answer: Look) -> None:
        """Write all tables at once: what is marked and what is ordered are of one answer."""
        self._flows, self._places_of = answer.flows, answer.flow
        self._places = {
            partition_key(each): (each.topic, each.partition) for each in answer.partitions
        }
        self.looks += 1
        self._fill("#flows", flow_rows(answer.flows))
        self._fill("#partitions-table", partition_rows(answer.partitions))
        self._fill("#topics-table", topic_rows(answer.topics))
        self._fill("#events-table", event_rows(answer.events))
        worst = headline(answer.flows) if answer.flows else None
        of = "" if worst is None or worst.flow is None else f"{worst.flow.name}: "
        self._tell("no flow yet" if worst is None else f"{worst.title}. {of}{worst.words}")

    def _fill(self, name: str, rows: Rows) -> None:
        """Write a table anew; what is marked stays so."""
        for table in self._found(name, DataTable):
            self._refill(table, rows)

    def _refill(self, table: DataTable[str | Text], rows: Rows) -> None:
        marked = _marked_key(table)
        with self.prevent(DataTable.RowHighlighted):
            table.clear()
            for key, cells in rows:
                table.add_row(*cells, key=key)
            keys = [key for key, _ in rows]
            if marked in keys:
                table.move_cursor(row=keys.index(marked), scroll=False)

    def _found(self, name: str, kind: type[Shown]) -> list[Shown]:
        """Return a widget of the screen below all questions; none when the screen is over."""
        return list(self.screen_stack[0].query(name).results(kind)) if self.screen_stack else []


def _marked_key(table: DataTable[str | Text]) -> str | None:
    if not (table.row_count and 0 <= table.cursor_row < table.row_count):
        return None
    return table.coordinate_to_cell_key(table.cursor_coordinate).row_key.value
