"""What the pages of audits and canaries show."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from kmirror.api.audits import WindowView
from kmirror.config.flows import FlowConfig
from kmirror.console.audits import OPEN, AuditChoice
from kmirror.console.console import Console
from kmirror.errors import MirrorError
from kmirror.server.console.audit_charts import bands
from kmirror.server.console.page import Page, parts
from kmirror.server.console.tables import csv_answer
from kmirror.server.endpoint import Call
from kmirror.wire.audit_windows import AuditVerdict
from kmirror.wire.flow_names import joined

_BANDS_MAX = 50
_WINDOWS_MAX = 100
_ROWS_MAX = 1_000_000
_ALL = "all"
WINDOW_CHOICES = (
    (OPEN, "not identical"),
    (_ALL, "every window"),
    *((each.value, each.value) for each in AuditVerdict),
)
"""Which windows a page lists: what is asked for, and how it is called."""


class AuditPages:
    """
    Makes them.

    Args:
        console: Knows what is shown.
    """

    def __init__(self, console: Console) -> None:
        self._console = console

    def audits(self, call: Call, is_part: bool) -> Page:
        """Show the audits of all flows; a part for each flow."""
        names, found = parts(self._console, call, is_part, self._console.audits.tried)
        return Page(
            template="audits.html",
            context={"names": names, "found": found, "section": "audit"},
            every_s=30.0,
        )

    def audit(self, call: Call, is_part: bool) -> Page:
        """Show the audit of a flow, or of one of its topics: partitions, and their windows."""
        config = self._console.flow_config(call.path["flow"])
        topic = call.path.get("topic")
        asked = {"q": call.text("q") or "", "windows": call.text("windows") or OPEN}
        offset = call.number("offset", default=0)
        return Page(
            template="audit.html",
            context={
                "flow_name": str(config.flow),
                "topic": topic,
                "asked": asked,
                "offset": offset,
                "step": _BANDS_MAX,
                "choices": WINDOW_CHOICES,
                "found": self._found(config, topic, asked, offset) if is_part else None,
                "section": "audit",
            },
            every_s=30.0,
        )

    def _found(
        self, config: FlowConfig, topic: str | None, asked: dict[str, str], offset: int
    ) -> dict[str, Any] | MirrorError:
        audits, text = self._console.audits, asked["q"]
        try:
            view = audits.view(config)
            of_topic = None if topic is None else audits.topic(config, topic)
            partitions = audits.partitions(
                config, AuditChoice(topic=topic, text=text, offset=offset, limit=_BANDS_MAX)
            )
            verdict = _wanted(asked["windows"])
            windows = audits.windows(
                config, AuditChoice(topic=topic, verdict=verdict, text=text, limit=_WINDOWS_MAX)
            )
            drawn = audits.windows_of(config, partitions.partitions)
        except MirrorError as error:
            return error
        return {
            "view": view,
            "of_topic": of_topic,
            "partitions": partitions,
            "windows": windows,
            "bands": bands(partitions.partitions, drawn),
            "shown": {_place(each) for each in windows.windows},
        }

    def windows_csv(self, call: Call) -> Response:
        """Give the windows that a view lists, all of them, as a table for programs."""
        found = self._console.audits.windows(
            self._console.flow_config(call.path["flow"]),
            AuditChoice(
                topic=call.text("topic"),
                verdict=_wanted(call.text("windows") or OPEN),
                text=call.text("q"),
                limit=_ROWS_MAX,
            ),
        )
        return csv_answer(WindowView, found.windows, "windows.csv")

    def report(self, call: Call) -> Response:
        """Give what was found as one page that needs nothing else, to keep or to send."""
        config = self._console.flow_config(call.path["flow"])
        page = self._console.audits.report(config)
        name = f"kmirror-audit-{joined(config.flow)}.html"
        return Response(
            page,
            media_type="text/html; charset=utf-8",
            headers={"Content-Disposition": f'attachment; filename="{name}"'},
        )

    def canaries(self, _call: Call, _is_part: bool) -> Page:
        """Show the canaries of all flows."""
        found = self._console.canaries()
        return Page(
            template="canary.html",
            context={"found": found, "section": "canary"},
            every_s=2.0,
        )


def _wanted(choice: str) -> str | None:
    return None if choice == _ALL else choice


def _place(each: WindowView) -> tuple[str, int, int]:
    return each.topic, each.partition, each.start
