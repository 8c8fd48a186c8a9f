"""The documentation's page of measurements: what is published, what stays, and that it is new."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bench.page import PAGE, measured_page
from bench.part import ABOUT, Part
from bench.published import (
    FOLDER,
    Plot,
    Published,
    PublishedGroup,
    PublishedRow,
    Verdict,
    load_published,
    published_groups,
)
from bench.start_page import STARTS_PAGE, load_starts, starts_page
from kmirror.clock import ManualClock
from tests.support.bench_results import made_up


def group(title: str, value: str, *, part: Part = Part.LATENCY, reached: bool = True) -> Published:
    """Make something that was published."""
    verdict = Verdict(text=f"<= 2 x MM2: {value}", reached=reached)
    row = PublishedRow(measure="p50, ms", cells=(value,), verdicts=(verdict,))
    found = PublishedGroup(
        part=part,
        title=title,
        key=title,
        day="2026-01-02",
        place="kmirror 1",
        runs=3,
        columns=("kmirror",),
        rows=(row,),
    )
    return Published(groups=(found,))


def test_the_page_is_new() -> None:
    """`make bench` writes it, and no number is written into it by hand."""
    assert PAGE.read_text(encoding="utf-8") == measured_page(load_published())


def test_the_page_of_starts_is_new() -> None:
    """So is the one that says where each second of a start goes."""
    assert STARTS_PAGE.read_text(encoding="utf-8") == starts_page(load_starts())


def test_the_pictures_are_there() -> None:
    """A page without them would show what nobody can see."""
    assert all((FOLDER / plot.file).is_file() for plot in load_published().plots)


def test_every_part_says_what_it_is() -> None:
    """Also one that has not been measured yet."""
    page = measured_page(Published())
    assert list(ABOUT) == list(Part)
    assert "0 of 0 targets are missed." in page
    assert page.count("| not yet |") == page.count("\nNot measured yet.\n") == len(Part)


def test_what_missed_stands_first() -> None:
    """And beside what was measured."""
    both = group("good", "1").with_newer(group("bad", "3", reached=False).groups)
    page = measured_page(both)
    assert "1 of 2 targets are missed." in page
    assert page.index("| bad | p50, ms | <= 2 x MM2: 3 |") < page.index("### good")
    assert "| p50, ms | 3 | **missed:** <= 2 x MM2: 3 |" in page
    assert "2026-01-02, kmirror 1; 3 runs" in page
    assert "| 2026-01-02 | 1 of 2 |" in page


def test_newer_ones_take_the_place_of_older_ones() -> None:
    """Of the same name; everything of a part goes where that was measured as a whole."""
    first = group("one", "1").with_newer(group("two", "2").groups)
    other = first.with_newer(group("kills", "9", part=Part.START).groups)
    newer = other.with_newer(group("one", "7").groups)
    assert [each.title for each in newer.groups] == ["one", "two", "kills"]
    assert newer.groups[0].rows[0].cells == ("7",)
    whole = other.with_newer(group("one", "7").groups, whole=[Part.LATENCY])
    assert [each.title for each in whole.groups] == ["one", "kills"]


def test_it_can_be_read_again(tmp_path: Path) -> None:
    """What is saved is what was there."""
    file = tmp_path / "measured.json"
    assert load_published(file) == Published()
    found = replace(group("one", "1"), plots=(Plot(part=Part.SCALE, file="scale-flows.png"),))
    found.save(file)
    assert load_published(file) == found


def test_columns_are_those_who_were_measured() -> None:
    """What nobody did needs no column."""
    found = published_groups(made_up(), ManualClock(86_400))
    assert {each.day for each in found} == {"1970-01-02"}
    starts = next(each for each in found if each.part is Part.START)
    assert starts.columns == ("MM2 default", "kmirror, exactly once")
    assert starts.rows[0].cells == ("6.0 (5.0 to 9.0)", "6.0 (5.0 to 9.0)")
    assert starts.runs == 3
    scale = [each for each in found if each.part is Part.SCALE]
    assert len(scale) == 7
    assert scale[0].key == "10000@taken"
    page = measured_page(Published(groups=tuple(found)))
    assert "330 (Fetch 200, ListOffsets 100, Metadata 20, A 9)" in page


@pytest.mark.parametrize("part", list(Part))
def test_every_part_says_how_it_is_measured(part: Part) -> None:
    """With one command."""
    assert part.command.startswith(("python -m bench", "sudo python -m bench.wan"))
