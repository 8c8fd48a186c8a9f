"""`kmirror top`: all flows in a terminal, live."""

from __future__ import annotations

import os
from functools import partial
from typing import Annotated

import typer

from kmirror.cli.files import File, load_or_exit, read_file
from kmirror.clock import SystemClock


def top(
    file: File,
    url: Annotated[
        str | None,
        typer.Option(
            help="Ask the console there, such as http://127.0.0.1:8089; KMIRROR_TOKEN is a token "
            "to log in with. Default: kmirror.console of FILE, or the clusters.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """
    Show the flows of FILE in this terminal, live: flows, topics, partitions, events.

    It asks the driver's console (kmirror.console of FILE), and without one the clusters. Keys:
    arrows and Tab move, / filters, p pauses and r resumes what is marked, q ends.
    """
    # Only this command has a screen: the others need not wait for what draws and fills one.
    from kmirror.api.client import ApiClient  # noqa: PLC0415
    from kmirror.cli.top_app import TopApp  # noqa: PLC0415
    from kmirror.cli.top_source import ClustersSource, ServedSource, served_at  # noqa: PLC0415
    from kmirror.console.opened import console_of_file  # noqa: PLC0415

    config = load_or_exit(file)
    token = os.environ.get("KMIRROR_TOKEN")
    api = served_at(config, token) if url is None else ApiClient(url, token=token)
    if api is not None:
        TopApp(ServedSource(api)).run()
        return
    with console_of_file(config, SystemClock(), read=partial(read_file, file)) as console:
        TopApp(ClustersSource(console)).run()
