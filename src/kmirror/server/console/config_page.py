"""What the page of the properties file shows."""

from __future__ import annotations

from functools import partial
from itertools import groupby

from kmirror.api.config import SettingView
from kmirror.config.effective import Rank
from kmirror.console.console import Console
from kmirror.errors import EnvironmentProblem
from kmirror.server.console.page import Page, flow_names, tried
from kmirror.server.endpoint import Call

SHOWS = {
    "": "set by the file or kmirror",
    "all": "all, defaults included",
    "lost": "with lines that lost",
}
"""Which settings a view has, by what its address says."""


class ConfigPage:
    """
    Makes the page.

    Args:
        console: Knows the file.
    """

    def __init__(self, console: Console) -> None:
        self._console = console

    def show(self, call: Call, is_part: bool) -> Page:
        """Show a flow's settings; what lies on disk is read when its part is asked for."""
        names = flow_names(self._console)
        flow = call.text("flow") or next(iter(names), "")
        disk = is_part and call.flag("disk")
        asked = {"flow": flow, "q": call.text("q") or "", "show": call.text("show") or ""}
        settings = self._settings(flow)
        found = [each for each in settings if _is_wanted(each, asked["q"], asked["show"])]
        return Page(
            template="config.html",
            context={
                "view": self._console.file.file(),
                "names": names,
                "asked": asked,
                "shows": SHOWS,
                "total": len(settings),
                "count": len(found),
                "sections": [
                    (name, list(each)) for name, each in groupby(found, lambda one: one.section)
                ],
                "asks_disk": not is_part or disk,
                "changes": tried(self._console.file.changes, (EnvironmentProblem,))
                if disk
                else None,
                "advice": tried(partial(self._console.advice, flow), (EnvironmentProblem,))
                if disk and flow
                else None,
                "section": "config",
            },
        )

    def _settings(self, flow: str) -> list[SettingView]:
        """Return those of a flow and of the process, by section in the order of the table."""
        found = list(self._console.file.file().settings)
        if flow:
            found += self._console.file.flow(self._console.flow_config(flow)).settings
        order = {name: at for at, name in enumerate(dict.fromkeys(one.section for one in found))}
        return sorted(found, key=lambda each: (order[each.section], each.line is None))


def _is_wanted(each: SettingView, text: str, show: str) -> bool:
    if show == "lost" and not each.lost:
        return False
    if not show and each.set_by == Rank.DEFAULT.value:
        return False
    line = "" if each.line is None else f"{each.line.key} {each.line.where}"
    return text.casefold() in f"{each.name} {each.value} {line} {each.section}".casefold()
