"""A soak as one HTML file that needs nothing else."""

from __future__ import annotations

import base64
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from tests.soak.plots import pictures
from tests.soak.result import Result


def html(result: Result) -> str:
    """Write the page."""
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(data=_data, clock=_clock)
    return environment.get_template("page.html.j2").render(
        result=result, pictures=list(pictures(result))
    )


def _data(picture: str) -> str:
    """Write a picture into its own address."""
    return "data:image/svg+xml;base64," + base64.b64encode(picture.encode()).decode()


def _clock(seconds: float) -> str:
    """Write a time since the start, as `H:MM:SS`."""
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}"
