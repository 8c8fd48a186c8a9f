"""The documentation as a site: it builds without a warning, and needs nobody else's machines."""

from __future__ import annotations

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

from docs.site.conf import DESIGN_MENU, MENU, ROOT

_BUILD_S_MAX = 120
# What a browser fetches without being asked, by element; a link that a person follows is none.
_FETCHED = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src"}
_IN_STYLES = re.compile(r"(?:@import\s+|url\()\s*[\"']?((?:https?:)?//[^\"')\s]+)")
_IN_SCRIPTS = re.compile(r"(?:\.src\s*=|import\(|fetch\()\s*[\"'`]((?:https?:)?//[^\"'`]+)")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site as `make docs` does: a link that leads nowhere is a warning, and ends it."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "--builder", "html", "--conf-dir", "docs/site"]
    command += ["--fail-on-warning", "--keep-going", "--quiet", ".", str(folder)]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=_BUILD_S_MAX, check=False
    )
    assert done.returncode == 0, done.stderr
    return folder


class _Fetched(HTMLParser):
    """Collects what a page makes a browser fetch."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        address = dict(attrs).get(_FETCHED.get(tag, ""))
        if address:
            self.addresses.append(address)


def test_every_page_is_in_the_menu() -> None:
    """A page that nobody finds is not there."""
    listed = {entry.rsplit("<", 1)[-1].rstrip(">") for pages in MENU.values() for entry in pages}
    listed |= {f"docs/design/{page}" for page in DESIGN_MENU}
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    names = {str(page.relative_to(ROOT).with_suffix("")) for page in pages}
    assert names == listed | {"README"}


def test_it_has_a_front_page(site: Path) -> None:
    """And that one leads to the others."""
    text = (site / "index.html").read_text(encoding="utf-8")
    assert 'href="docs/getting-started.html"' in text


def test_nothing_comes_from_other_hosts(site: Path) -> None:
    """It can be read on a machine without a network."""
    foreign = []
    for page in site.rglob("*.html"):
        parser = _Fetched()
        parser.feed(page.read_text(encoding="utf-8"))
        foreign += [each for each in parser.addresses if "//" in each]
    for pattern, kind in ((_IN_STYLES, "*.css"), (_IN_SCRIPTS, "*.js")):
        for file in site.rglob(kind):
            foreign += pattern.findall(file.read_text(encoding="utf-8"))
    assert foreign == []
