"""The report as a page: its numbers, its words, and nothing from elsewhere."""

from __future__ import annotations

import base64
import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from kmirror_lab.duplicates.result import Conditions, Effect, Peer
from kmirror_lab.duplicates.runs_file import to_json
from kmirror_lab.report.make import make_report
from kmirror_lab.report.page import html, markdown
from kmirror_lab.report.texts import Language

from tests.support.duplicates_run import DOUBLED, counted, run_of

_BOTH = tuple(Language)
_WICKED = '<script>alert("1")</script>|`$x$ ]('
_COMMAND = "from kmirror_lab.cli.lab import app; app(prog_name='kmirror lab')"
_EMPTY = {"meta", "img", "br", "link", "input", "source", "wbr"}

_RUNS = [
    run_of(
        counted(480, 475),
        died=True,
        doubled=DOUBLED,
        wanted={Effect.DUPLICATED},
        conditions=Conditions(asked="slow", request_timeout_ms=500),
    ),
    run_of(counted(1_000), scenario="longer", conditions=Conditions(asked="longer")),
    run_of(counted(1_000), peer=Peer.KMIRROR, wanted=set(), records_per_s=579),
    run_of(counted(10), scenario=_WICKED, conditions=Conditions(asked=_WICKED)),
]


class Page(HTMLParser):
    """What is in a page; a tag that is not closed, or was not open, is an error."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert not self._open, self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in _EMPTY:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data

    def named(self, tag: str) -> list[dict[str, str | None]]:
        """Give the attributes of every tag of a name."""
        return [attributes for name, attributes in self.tags if name == tag]


@pytest.fixture(scope="module")
def page() -> Page:
    """Give the page of some runs, in both languages."""
    return Page(html(make_report(_RUNS), _BOTH))


def test_the_numbers_are_there(page: Page) -> None:
    """Of every run, with the command that repeats it and what the log said."""
    for text in ("955", "475", "520", "579", *DOUBLED.words):
        assert text in page.text
    for run in _RUNS:
        assert run.command in page.text


def test_it_needs_nothing_else(page: Page) -> None:
    """No script but that of the switch, no style sheet, no address but of its own pictures."""
    assert page.named("script") == [{}]
    assert not page.named("link")
    assert page.named("img")
    wide = [each["src"] for each in page.named("img")]
    narrow = [each["srcset"] for each in page.named("source")]
    assert len(wide) == len(narrow)
    for picture in (*wide, *narrow):
        kind, _, data = (picture or "").partition(",")
        assert kind == "data:image/svg+xml;base64"
        assert base64.b64decode(data).startswith(b"<svg")
    addresses = {value for _, each in page.tags for name, value in each.items() if "href" in name}
    assert not addresses
    assert "url(" not in html(make_report(_RUNS), _BOTH)


def test_it_can_be_read_by_everybody(page: Page) -> None:
    """Languages, headers and pictures are said; a phone does not shrink it."""
    assert page.named("html") == [{"lang": "en"}]
    assert {each.get("lang") for each in page.named("p")} == {"en", "zh"}
    assert all(each["scope"] in ("col", "row") for each in page.named("th"))
    assert len(page.named("table")) == len(page.named("caption")) == 2
    assert all(len(each["alt"] or "") > 20 for each in page.named("img"))
    alt = next(each["alt"] for each in page.named("img") if "500 ms" in (each["alt"] or ""))
    assert "500 ms: 475 twice, 480 of 1,000 arrived; 30000 ms: 0 twice" in (alt or "")
    assert {"name": "viewport", "content": "width=device-width, initial-scale=1"} in page.named(
        "meta"
    )
    marks = [each["id"] for _, each in page.tags if "id" in each]
    assert len(marks) == len(set(marks))


def test_everything_is_escaped(page: Page) -> None:
    """A name is text, whatever stands in it, also in what is drawn."""
    assert _WICKED in page.text
    text = markdown(make_report(_RUNS), _BOTH, "plots")
    assert "<script>" not in re.sub(r"`[^`]*`", "", text)
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    columns = {len(re.findall(r"(?<!\\)\|", row)) for row in rows}
    assert columns == {15, 7}


@pytest.mark.parametrize("language", Language)
def test_one_language(language: Language) -> None:
    """Only that one."""
    found = Page(html(make_report(_RUNS), [language]))
    assert found.named("html") == [{"lang": language}]
    assert not found.named("script")
    assert not found.named("input"), "there is nothing to switch"
    spoken = {each["lang"] for each in found.named("span") if "lang" in each}
    assert spoken == {language}
    assert ("What follows from it" in found.text) == (language is Language.EN)
    assert ("结论" in found.text) == (language is Language.ZH)


def test_what_cannot_be_drawn() -> None:
    """It is left out, with a word on what would give it."""
    report = make_report([run_of(counted(5))])
    assert [plot.name for plot in report.plots] == ["course-1"]
    assert len(report.left_out) == 4
    text = markdown(report, [Language.EN], "plots")
    assert "--vary rate=500kbit" in text
    assert "![mm2: 100 records/s, 995 records behind in the end](plots/course-1.svg)" in text


def test_the_same_runs_give_the_same_page() -> None:
    """So a page that is kept changes only when its runs do."""
    assert html(make_report(_RUNS), _BOTH) == html(make_report(_RUNS), _BOTH)


def report(*arguments: str | Path, first: str = "") -> subprocess.CompletedProcess[str]:
    """Run `kmirror lab report` with *arguments*, *first* before it."""
    command = [sys.executable, "-c", first + _COMMAND, "report", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_the_command(tmp_path: Path) -> None:
    """Files in, files out; what is left out is said."""
    files = [tmp_path / "1.json", tmp_path / "2.json"]
    for file, runs in zip(files, (_RUNS[:1], _RUNS[2:3]), strict=True):
        file.write_text(to_json(runs))
    done = report(*files, "--html", tmp_path / "a.html", "--markdown", tmp_path / "b.md")
    assert done.returncode == 0, done.stderr
    assert "2 runs, 2 plots" in done.stderr
    assert "against request time-out: no two runs differ in that alone" in done.stderr
    assert "579" in Page((tmp_path / "a.html").read_text()).text
    text = (tmp_path / "b.md").read_text()
    pictures = re.findall(r"\]\((b/[\w-]+\.svg)\)", text)
    assert len(pictures) == 2
    assert all((tmp_path / name).read_text().startswith("<svg") for name in pictures)
    done = report(files[0], "--html", tmp_path / "absent" / "a.html")
    assert done.returncode == 3
    assert "absent" in done.stderr


def test_files_that_are_none(tmp_path: Path) -> None:
    """They end it before anything is written."""
    older, empty, page = tmp_path / "older.json", tmp_path / "empty.json", tmp_path / "a.html"
    older.write_text(json.dumps({"runs": []}))
    empty.write_text(to_json([]))
    for file, expected in (
        (older, "version: it is 1, and must be 2"),
        (empty, "there is no run in these files"),
        (tmp_path / "absent.json", "cannot be read"),
    ):
        done = report(file, "--html", page)
        assert done.returncode == 2
        assert expected in done.stderr
    assert not page.exists()


@pytest.mark.parametrize("library", ["jinja2", "matplotlib"])
def test_what_is_not_installed(tmp_path: Path, library: str) -> None:
    """It is named, with what installs it."""
    file = tmp_path / "runs.json"
    file.write_text(to_json(_RUNS[:1]))
    done = report(file, first=f"import sys; sys.modules['{library}'] = None\n")
    assert done.returncode == 3
    assert f"{library}" in done.stderr
    assert "pip install 'kmirror[lab]'" in done.stderr
