"""`kmirror lab report`: runs of the duplicates laboratory as a page."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from kmirror.cli.exits import Exit
from kmirror.cli.terminal import refuse
from kmirror.errors import ConfigError, Problem
from kmirror_lab.duplicates import Run, runs_from_json
from kmirror_lab.report.texts import Language

_PAGE = Path("duplicates.html")
_out = Console(stderr=True)


class Languages(StrEnum):
    """In which language a report is written."""

    EN = "en"
    ZH = "zh"
    BOTH = "both"


def report(
    runs: Annotated[
        list[Path],
        typer.Argument(metavar="RUNS...", help="Files that `kmirror lab duplicates --json` wrote."),
    ],
    *,
    html: Annotated[
        Path | None,
        typer.Option(
            help="Write one self-contained HTML file.",
            show_default=f"{_PAGE}, without --markdown",
        ),
    ] = None,
    markdown: Annotated[
        Path | None,
        typer.Option(help="Write Markdown, with plots in a folder of the same name beside it."),
    ] = None,
    language: Annotated[Languages, typer.Option(help="Language of the report.")] = Languages.BOTH,
) -> None:
    """
    Turn runs into a page: a table, plots, conclusions, and the commands that repeat the runs.

    Exit codes: 0 written, 2 a file holds no runs, 3 a package is missing or the page cannot be
    written.
    """
    found = _read(runs)
    try:
        # What draws and fills templates is an extra: everything else works without.
        from kmirror_lab.report import make, page  # noqa: PLC0415
    except ImportError as error:
        refuse(f"{error.name} is missing (pip install 'kmirror[lab]')", Exit.START_FAILED)
    made = make.make_report(found)
    both = language is Languages.BOTH
    languages = list(Language) if both else [Language(language.value)]
    if html is None and markdown is None:
        html = _PAGE
    try:
        if html is not None:
            html.write_text(page.html(made, languages), encoding="utf-8")
            _say(f"{html}: {len(made.runs)} runs, {len(made.plots)} plots")
        if markdown is not None:
            folder = markdown.with_suffix("")
            folder.mkdir(exist_ok=True)
            for plot in made.plots:
                (folder / f"{plot.name}.svg").write_text(plot.svg, encoding="utf-8")
            markdown.write_text(page.markdown(made, languages, folder.name), encoding="utf-8")
            _say(f"{markdown}: {len(made.runs)} runs, {len(made.plots)} plots in {folder}")
    except OSError as error:
        refuse(str(error), Exit.START_FAILED)
    for text in made.left_out:
        _say(text.en)


def _read(files: Sequence[Path]) -> list[Run]:
    found: list[Run] = []
    try:
        for file in files:
            try:
                text = file.read_text(encoding="utf-8")
            except (OSError, UnicodeDecodeError) as error:
                wrong = f"it cannot be read: {error}"
                problem = Problem(where=str(file), key="runs", value=None, expected=wrong)
                raise ConfigError((problem,)) from None
            found += runs_from_json(text, str(file))
    except ConfigError as error:
        refuse(str(error), Exit.CONFIG)
    if not found:
        refuse("there is no run in these files", Exit.CONFIG)
    return found


def _say(words: str) -> None:
    _out.print(words, markup=False, highlight=False, soft_wrap=True)
