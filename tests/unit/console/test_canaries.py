"""What a console says of canaries."""

from __future__ import annotations

from pathlib import Path

import pytest

from kmirror.api.canaries import CanaryVerdict, CanaryView
from kmirror.console.canaries import canary_view
from kmirror.state.canary_figures import CanaryFigures
from kmirror.state.canary_seen import seen
from tests.support.console_server import file_of

_FILE = (
    "clusters = A, B\nA.bootstrap.servers = a:1\nB.bootstrap.servers = b:1\nA->B.enabled = true\n"
)
_ON = "A->B.kmirror.canary.enabled = true\n"
NOW_MS = 1_750_000_000_000
NOW_US = NOW_MS * 1000


def view(
    folder: Path, figures: CanaryFigures | None, more: str = _ON, *, has_driver: bool = True
) -> CanaryView:
    """Say how the canary of a file is."""
    (config,) = file_of(folder, _FILE + more).flows
    found = None if figures is None else seen(figures, NOW_MS)
    return canary_view(config, found, as_of_ms=NOW_MS, has_driver=has_driver)


def sent(*arrived: int, of: int = 4, age_s: int = 1) -> CanaryFigures:
    """Give a canary that wrote records, of which some arrived, in this order."""
    found = CanaryFigures(overdue_s=30)
    for number in range(of):
        found.sent(0, number, NOW_US - age_s * 1_000_000)
        found.answered(0, number, 0.003)
    for number in arrived:
        found.came(0, number, 0.09, at_us=NOW_US)
    return found


@pytest.mark.parametrize(
    ("figures", "verdict", "words"),
    [
        (sent(0, 1, 2, 3), CanaryVerdict.OK, "4 records arrived, each once and in order"),
        (sent(), CanaryVerdict.WAITING, "no record of the canary has arrived yet"),
        (sent(0, 2, 3), CanaryVerdict.LOST, "1 record never arrived"),
        (
            sent(0, 2, 2, 3, 1),
            CanaryVerdict.LOST,
            "1 record never arrived; 1 record arrived again; 1 record arrived out of order",
        ),
        (sent(0, 1, 1), CanaryVerdict.DISORDER, "1 record arrived again"),
        (
            sent(0, 1, age_s=31),
            CanaryVerdict.OVERDUE,
            "2 records are on the way for more than 30 s",
        ),
    ],
)
def test_the_worst_is_said(
    tmp_path: Path, figures: CanaryFigures, verdict: CanaryVerdict, words: str
) -> None:
    found = view(tmp_path, figures)
    assert (found.verdict, found.words) == (verdict, words)
    assert (found.topic, found.copy) == ("__kmirror-canary-A-B", "A.__kmirror-canary-A-B")


def test_a_canary_that_cannot_write(tmp_path: Path) -> None:
    figures = sent(0, 2)
    figures.trouble = "cluster A: <b>not authorized</b>"
    found = view(tmp_path, figures)
    assert (found.verdict, found.words) == (CanaryVerdict.TROUBLE, figures.trouble)


def test_no_canary(tmp_path: Path) -> None:
    """Switched off, impossible, or seen only by somebody else: each is said as what it is."""
    off = view(tmp_path, None, "")
    assert (off.verdict, off.is_on, off.seen) == (CanaryVerdict.OFF, False, None)
    assert off.as_of_ms is None
    changed = view(tmp_path, None, "A->B.kmirror.where = value is not null\n" + _ON)
    assert changed.verdict is CanaryVerdict.OFF
    assert "drops or changes records" in changed.why_none
    elsewhere = view(tmp_path, None, has_driver=False)
    assert elsewhere.verdict is CanaryVerdict.UNKNOWN
    assert "kmirror.metrics.listen" in elsewhere.words
    assert view(tmp_path, None).verdict is CanaryVerdict.UNKNOWN


def test_what_it_has_seen(tmp_path: Path) -> None:
    """Bars, percentiles, the last probe, and how long a client had no connection."""
    figures = sent(0, 1, 2, 3)
    figures.reconnected(1.25)
    found = view(tmp_path, figures).seen
    assert found is not None
    assert (found.sent_ms, found.came_ms, found.came_s) == (NOW_MS - 1000, NOW_MS, 0.09)
    assert [each.count for each in found.roundtrip.buckets if each.up_to_s == 0.1] == [4]
    assert found.roundtrip.buckets[-1].up_to_s is None
    assert [each.per_cent for each in found.roundtrip.percentiles] == [50, 90, 95, 99, 99.9]
    assert found.roundtrip.max_s == pytest.approx(0.09)
    assert (found.reconnects.count, found.reconnected_s) == (1, 1.25)
    assert (found.acknowledged.count, found.acknowledged.percentiles) == (4, ())
