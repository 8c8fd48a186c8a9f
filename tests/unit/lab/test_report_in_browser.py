"""The report as a real browser shows it, as wide as a telephone and as a laptop."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Mapping
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from kmirror_lab.duplicates.result import Conditions, Peer
from kmirror_lab.report.make import make_report
from kmirror_lab.report.page import html
from kmirror_lab.report.texts import Language

from tests.support.duplicates_run import DOUBLED, counted, run_of

_BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "chrome"))), None)
_PHONE_PX, _LAPTOP_PX = 360, 1280
_LETTER_PX_MIN = 9
_LONG = "a-scenario-with-a-name-that-is-much-longer-than-any-telephone-is-wide <b>"
_USUAL = "slow-link-large-batches us-east-2.producer.request.timeout.ms="
# Added to the page: what a browser makes of it, before and after Chinese is chosen, and when the
# page is opened again.
_MEASURE = """<script>
const key = 'kmirror-report-language';
const letters = image => {
  const holder = document.createElement('div');
  holder.style.cssText = `position:absolute;top:0;left:0;width:${image.width}px`;
  holder.innerHTML = atob(image.currentSrc.split(',')[1]);
  const svg = holder.firstElementChild;
  svg.setAttribute('width', image.width);
  svg.removeAttribute('height');
  document.body.append(holder);
  const box = svg.getBoundingClientRect(), scale = svg.getScreenCTM().a;
  const found = [...svg.querySelectorAll('text')].map(text => {
    const at = text.getBoundingClientRect();
    return {
      size: parseFloat(getComputedStyle(text).fontSize) * scale,
      inside: at.left >= box.left - 1 && at.right <= box.right + 1
        && at.top >= box.top - 1 && at.bottom <= box.bottom + 1,
    };
  });
  holder.remove();
  return found;
};
const measured = () => {
  const all = [...document.querySelectorAll('body *')].filter(e => !e.closest('table'));
  const seen = language => [...document.querySelectorAll(`main [lang=${language}]:not(pre)`)]
    .filter(e => e.offsetParent).length;
  return {
    width: innerWidth,
    scrolls: document.documentElement.scrollWidth,
    right: Math.max(...all.map(e => e.getBoundingClientRect().right)),
    tables: [...document.querySelectorAll('.scroll')].map(e => e.scrollWidth - e.clientWidth),
    headers: [...document.querySelectorAll('tbody th')].map(e => e.scrollWidth - e.clientWidth),
    pictures: [...document.images].map(letters),
    shown: {en: seen('en'), zh: seen('zh')},
    log: document.querySelector('pre').offsetParent !== null,
    title: document.title,
    language: document.documentElement.lang,
    rows: document.querySelectorAll('tbody tr').length,
    bold: document.querySelectorAll('b').length,
    asked: performance.getEntriesByType('resource').filter(e => !/^data:/.test(e.name)).length,
  };
};
const tell = () => parent.postMessage([window.name, measured()], '*');
addEventListener('load', () => {
  tell();
  if (window.name !== 'kept') {
    // Frames share what is kept; this keeps nothing.
    document.querySelector('#show-zh').checked = true;
    tell();
  } else if (!localStorage.getItem(key)) {
    document.querySelector('#show-zh').click();
    tell();
    location.reload();
  }
});
</script></body>"""
# A headless window is never as narrow as a telephone; a frame is, for media queries as well.
_OUTER = """<!DOCTYPE html><body><script>
const told = {};
addEventListener('message', message => {
  const [name, measured] = message.data;
  (told[name] ??= []).push(measured);
  document.body.dataset.told = JSON.stringify(told);
});
</script>FRAMES</body>
"""
_FRAME = (
    '<iframe name="{0}" src="{0}.html" style="width: {1}px; height: 3000px; border: 0"></iframe>'
)

pytestmark = pytest.mark.skipif(_BROWSER is None, reason="no Chromium is installed")


def _look(pages: Mapping[str, tuple[str, int]], folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Show pages as wide as said; give what was measured of each at first, in Chinese, again."""
    for name, (page, _) in pages.items():
        text = page.replace("</body>", _MEASURE)
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    frames = "".join(_FRAME.format(name, width_px) for name, (_, width_px) in pages.items())
    outer = folder / "outer.html"
    outer.write_text(_OUTER.replace("FRAMES", frames), encoding="utf-8")
    done = subprocess.run(
        [
            *(str(_BROWSER), "--headless", "--no-sandbox", "--disable-gpu", "--lang=en"),
            *("--accept-lang=en", "--virtual-time-budget=20000", "--window-size=1400,3200"),
            *(f"--user-data-dir={folder / 'profile'}", "--dump-dom", outer.as_uri()),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    (told,) = re.findall(r'data-told="([^"]*)"', done.stdout)
    found: dict[str, list[dict[str, Any]]] = json.loads(unescape(told))
    return found


def _page(*names: str) -> str:
    runs = [
        run_of(
            counted(480, 475),
            scenario=names[0],
            doubled=DOUBLED,
            died=True,
            conditions=Conditions(asked=names[0], request_timeout_ms=500, batch_bytes=131_072),
        ),
        run_of(
            counted(1_000),
            scenario=names[-1],
            conditions=Conditions(asked=names[-1], request_timeout_ms=30_000, batch_bytes=131_072),
        ),
        run_of(counted(1_000), scenario=names[0], peer=Peer.KMIRROR),
    ]
    return html(make_report(runs), list(Language))


def test_nothing_is_cut_off(tmp_path: Path) -> None:
    """Nothing is wider than the screen, plots can be read, nothing is asked of anybody."""
    pages = {
        f"{name}-{width_px}": (page, width_px)
        for name, page in (("long", _page(_LONG)), ("usual", _page(f"{_USUAL}1000")))
        for width_px in (_PHONE_PX, _LAPTOP_PX)
    }
    seen = _look(pages, tmp_path)
    assert set(seen) == set(pages)
    for name, (_, width_px) in pages.items():
        assert len(seen[name]) == 2
        for found in seen[name]:
            assert found["width"] == width_px
            assert found["scrolls"] <= width_px, name
            assert found["right"] <= width_px, name
            assert all(over <= 0 for over in found["headers"]), "a name runs into the next column"
            assert len(found["pictures"]) == 3
            for letters in found["pictures"]:
                assert len(letters) > 5
                assert all(each["inside"] for each in letters), name
                assert min(each["size"] for each in letters) >= _LETTER_PX_MIN, name
            assert (found["rows"], found["bold"], found["asked"]) == (6, 0, 0)
    assert seen[f"usual-{_LAPTOP_PX}"][0]["tables"] == [0, 0], "both fit without scrolling"


def test_one_language_at_a_time(tmp_path: Path) -> None:
    """The other is chosen with a click, which is remembered; without scripts it only switches."""
    page = _page("slow")
    bare, scripts = re.subn(r"<script>.*?</script>", "", page, flags=re.DOTALL)
    assert scripts == 1
    seen = _look({"kept": (page, _PHONE_PX), "bare": (bare, _PHONE_PX)}, tmp_path)
    first, chosen, again = seen["kept"]
    assert first["shown"]["en"] > 20
    assert first["shown"]["zh"] == 0
    assert first["language"] == "en"
    for found in (chosen, again):
        assert found["shown"] == {"en": 0, "zh": first["shown"]["en"]}
        assert found["language"] == "zh"
        assert found["title"] != first["title"]
        assert found["log"], "what the log says is in no language"
    assert [found["shown"] for found in seen["bare"]] == [first["shown"], chosen["shown"]]
