"""The report as a real browser shows it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from html import unescape
from pathlib import Path

import pytest
from duplicates_run import DOUBLED, counted, run_of

from kmirror.lab.duplicates.result import Peer
from kmirror.lab.report.make import make_report
from kmirror.lab.report.page import html
from kmirror.lab.report.words import Language

_BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "chrome"))), None)
_PHONE_PX = 360
_LONG = "a-scenario-with-a-name-that-is-much-longer-than-any-telephone-is-wide <b>"
# Added to the page, which has no script of its own: what a browser made of it.
_MEASURE = f"""<script>
document.documentElement.style.width = '{_PHONE_PX}px';
addEventListener('load', () => {{
  const all = [...document.querySelectorAll('main *')].filter(e => !e.closest('table'));
  document.body.dataset.measured = JSON.stringify({{
    right: Math.max(...all.map(e => e.getBoundingClientRect().right)),
    pictures: [...document.images].map(e => e.naturalWidth),
    rows: document.querySelectorAll('tbody tr').length,
    bold: document.querySelectorAll('b').length,
    asked: performance.getEntriesByType('resource').filter(e => !/^data:/.test(e.name)).length,
  }});
}});
</script></body>"""


@pytest.mark.skipif(_BROWSER is None, reason="no Chromium is installed")
def test_a_telephone_shows_it(tmp_path: Path) -> None:
    """All pictures are there, nothing is wider than the screen, nothing is asked of anybody."""
    runs = [
        run_of(counted(480, 475), scenario=_LONG, doubled=DOUBLED, died=True),
        run_of(counted(1_000), scenario=_LONG, peer=Peer.KMIRROR),
    ]
    report = make_report(runs)
    page = tmp_path / "page.html"
    page.write_text(html(report, list(Language)).replace("</body>", _MEASURE), encoding="utf-8")
    done = subprocess.run(
        [
            *(str(_BROWSER), "--headless", "--no-sandbox", "--disable-gpu"),
            *(f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom", page.as_uri()),
        ],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    (told,) = re.findall(r'data-measured="([^"]*)"', done.stdout)
    measured = json.loads(unescape(told))
    assert len(measured["pictures"]) == len(report.plots) == 2
    assert min(measured["pictures"]) > 100
    assert measured["right"] <= _PHONE_PX
    assert measured["rows"] == 2 * len(runs)
    assert (measured["bold"], measured["asked"]) == (0, 0)
