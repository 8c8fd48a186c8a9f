"""A report as a page: HTML that needs nothing else, or Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from kmirror.pages.text import NARROW_MAX, data_address, marked
from kmirror.pages.text import code as code_in_html
from kmirror_lab.report.make import Report
from kmirror_lab.report.series import link_of, show_bytes
from kmirror_lab.report.texts import Labels, Language, code

_TEMPLATES = Path(__file__).parent / "templates"
_SPAN = re.compile(r"(`[^`]*`)")
_GAP = re.compile(r"\n{3,}")


def html(report: Report, languages: Sequence[Language]) -> str:
    """
    Write a report as one HTML file.

    Args:
        report: What it shows.
        languages: At least one; the first is that of the page.
    """
    return _render("report.html.j2", report, languages, escapes=True)


def markdown(report: Report, languages: Sequence[Language], folder: str) -> str:
    """
    Write a report as Markdown.

    Args:
        report: What it shows.
        languages: At least one.
        folder: Where the plots are, as `NAME.svg`, seen from the page.
    """
    text = _render("report.md.j2", report, languages, escapes=False, folder=folder)
    return _GAP.sub("\n\n", text).rstrip() + "\n"


def _render(
    template: str,
    report: Report,
    languages: Sequence[Language],
    *,
    escapes: bool,
    folder: str = "",
) -> str:
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=escapes,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(
        marked=marked,
        data=data_address,
        cell=_cell,
        prose=_prose,
        alt=_alt,
        code=code,
        name=code_in_html,
        count=_count,
        size=show_bytes,
    )
    return environment.get_template(template).render(
        report=report,
        languages=list(languages),
        labels=Labels,
        folder=folder,
        link=link_of,
        narrow_max=NARROW_MAX,
    )


def _count(value: float | None) -> str:
    return "-" if value is None else f"{value:,.0f}"


def _prose(text: str) -> str:
    """Write for Markdown: nothing in it is HTML, and names between backticks stay as they are."""
    parts = _SPAN.split(" ".join(text.split()))
    return "".join(
        part if part.startswith("`") else part.replace("&", "&amp;").replace("<", "&lt;")
        for part in parts
    )


def _cell(text: str) -> str:
    """Write for a cell of a table of Markdown."""
    return _prose(text).replace("|", "\\|")


def _alt(text: str) -> str:
    """Write for the words of a picture in Markdown."""
    return _prose(text).replace("[", "\\[").replace("]", "\\]")
