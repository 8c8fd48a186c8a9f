"""Numbers and drawings of the console's pages."""

from __future__ import annotations

import pytest

from kmirror.api.flows import FlowView, Origin
from kmirror.errors import visible
from kmirror.server.console.charts import curve, topology
from kmirror.server.console.headline import headline, worst_first
from kmirror.server.console.words import (
    UNKNOWN,
    count,
    duration,
    exact,
    iso,
    megabytes,
    share,
)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (None, UNKNOWN),
        (0, "0.0 s"),
        (9.94, "9.9 s"),
        (59, "59 s"),
        (61, "1 min 01 s"),
        (3_700, "1 h 01 min"),
        (90_000, "1 d 01 h"),
    ],
)
def test_durations(seconds: float | None, words: str) -> None:
    assert duration(seconds) == words


def test_what_is_not_known_is_no_zero() -> None:
    assert {count(None), megabytes(None), share(None), duration(None)} == {UNKNOWN}
    assert (count(0), megabytes(0.0), share(0.0)) == ("0", "0.00", "0 %")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Grüße\n\t<b>", "Grüße\n\t<b>"),
        ("a\x00b\x1b[2J", "a\\x00b\\x1b[2J"),
        ("\u202egnp.exe\u2066", "\\u202egnp.exe\\u2066"),
    ],
)
def test_what_nobody_would_see_is_seen(text: str, shown: str) -> None:
    """Nor is anything turned round."""
    assert visible(text) == shown


def test_a_moment_beyond_all_years_is_a_number() -> None:
    """A record's time is whatever its producer says, such as microseconds."""
    assert iso(1_700_000_000_000) == "2023-11-14T22:13:20.000+00:00"
    for at_ms in (1_700_000_000_000_000, 1 << 62, -(1 << 62), -(1 << 47)):
        assert (iso(at_ms), exact(at_ms)) == (str(at_ms), str(at_ms))


def test_nearly_all_is_not_all() -> None:
    assert (share(0.9999), share(1.0)) == ("99.9 %", "100 %")


def flow(name: str, verdict: str = "IN_SYNC") -> FlowView:
    """Give a flow."""
    source, target = name.split("->")
    found = {"verdict": verdict, "verdict_words": f"{name} says why"}
    return FlowView(name=name, source=source, target=target, origin=Origin.DRIVER, **found)


@pytest.mark.parametrize(
    ("verdicts", "tone", "title"),
    [
        (["IN_SYNC"], "ok", "The flow is in sync"),
        (["IN_SYNC", "IN_SYNC"], "ok", "All 2 flows are in sync"),
        (["IN_SYNC", "BEHIND"], "warn", "1 of 2 flows is behind"),
        (["BEHIND", "BROKEN", "BROKEN"], "bad", "2 of 3 flows are broken"),
        (["BROKEN"], "bad", "The flow is broken"),
        (["PAUSED", "IN_SYNC"], "rest", "1 of 2 flows is paused"),
        (["UNKNOWN", "UNKNOWN"], "none", "All 2 flows are not known yet"),
    ],
)
def test_the_first_glance(verdicts: list[str], tone: str, title: str) -> None:
    flows = [flow(f"A{number}->B", verdict) for number, verdict in enumerate(verdicts)]
    found = headline(flows)
    assert (found.tone, found.title) == (tone, title)
    if tone != "ok":
        assert found.flow is not None
        assert worst_first(flows)[0].verdict == found.flow.verdict


def test_a_curve_has_holes_where_nothing_was_known() -> None:
    points = [(0, 1.0), (5_000, 2.0), (10_000, None), (15_000, 4.0), (20_000, 0.0)]
    found = curve(points, 100, 10)
    assert len(found.strokes) == len(found.areas) == 2
    assert (found.top, found.last) == (4.0, 0.0)
    assert curve([], 100, 10).strokes == ()
    assert curve([(0, None), (5_000, None)], 100, 10).top is None


def test_no_box_lies_on_another() -> None:
    """Two clusters side by side, more on a ring."""
    for clusters in (2, 3, 5, 8):
        names = [f"C{number}" for number in range(clusters)]
        found = topology([flow(f"{names[0]}->{each}") for each in names[1:]])
        boxes = [(each.x, each.y) for each in found.nodes]
        assert len(boxes) == clusters
        for x, y in boxes:
            assert x - 75 >= 0
            assert x + 75 <= found.width
            assert 28 <= y <= found.height - 28
    assert topology([]).nodes == ()
