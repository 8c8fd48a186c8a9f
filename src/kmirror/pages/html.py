"""A page as one HTML file that loads nothing from anywhere."""

from __future__ import annotations

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from kmirror.pages.bands import draw_bands
from kmirror.pages.charts import draw
from kmirror.pages.page import Bands, Chart, Page, Part
from kmirror.pages.sheet import Drawing
from kmirror.pages.text import NARROW_MAX, data_address, embedded, marked

_TEMPLATES = Path(__file__).parent / "templates"


def html(page: Page) -> str:
    """Write a page."""
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(marked=marked, data=data_address, embedded=embedded)
    parts = [(f"part-{number}", part, _drawn(part)) for number, part in enumerate(page.parts)]
    template = environment.get_template("page.html.j2")
    return template.render(page=page, parts=parts, narrow_max=NARROW_MAX)


def _drawn(part: Part) -> Drawing | None:
    match part:
        case Chart():
            return draw(part)
        case Bands():
            return draw_bands(part)
    return None
