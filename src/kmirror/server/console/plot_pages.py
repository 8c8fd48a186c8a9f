"""The page of how a flow was in the last hours."""

from __future__ import annotations

from starlette.responses import Response

from kmirror.api.plots import PlotPoint, PlotRange
from kmirror.console.console import Console
from kmirror.server.console.page import Page
from kmirror.server.console.plots import drawings
from kmirror.server.console.tables import csv_answer
from kmirror.server.endpoint import Call


class PlotPages:
    """
    Makes the page.

    Args:
        console: Knows how flows were.
    """

    def __init__(self, console: Console) -> None:
        self._console = console

    def show(self, call: Call, _is_part: bool) -> Page:
        """Show a flow and how it was."""
        name = call.path["flow"]
        found = self._console.plots(name, call.text("range"))
        return Page(
            template="flow_plots.html",
            context={
                "flow": self._console.flow(name),
                "tab": "plots",
                "section": "flows",
                "ranges": tuple(PlotRange),
                "found": found,
                "drawings": drawings(found),
                "is_kept": self._console.config().console.history_file is not None,
                # Whether a part of the range was before anybody looked.
                "is_young": found.since_ms is not None and found.since_ms > found.from_ms,
            },
            every_s=2.0 if found.range is PlotRange.QUARTER else 15.0,
        )

    def csv(self, call: Call) -> Response:
        """Give the points as a table for programs."""
        found = self._console.plots(call.path["flow"], call.text("range"))
        return csv_answer(PlotPoint, found.points, f"plots-{found.range.value}.csv")
