"""What the documentation shows of measurements: the file behind the page."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from pydantic import TypeAdapter

from bench.contestant import CONTESTANTS
from bench.part import Part
from bench.report import groups
from bench.results import Results
from bench.row import ABSENT, Group, Row
from bench.target import Target
from bench.targets import targets
from kmirror.clock import Clock

DOCS = Path(__file__).parents[1] / "docs"
FOLDER = DOCS / "performance"
FILE = FOLDER / "measured.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """
    A target and what became of it.

    Args:
        text: As `>= 4 x MM2 default: 4.50`.
        reached: Whether it was reached.
    """

    text: str
    reached: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedRow:
    """
    A line.

    Args:
        measure: What was measured.
        cells: A text for each column.
        verdicts: Targets.
    """

    measure: str
    cells: tuple[str, ...]
    verdicts: tuple[Verdict, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedGroup:
    """
    Lines that belong together, and where they are from.

    Args:
        part: The part that measured them.
        title: What was done.
        key: Names it within its part: a newer one with the same takes its place.
        day: When, as 2026-12-31.
        place: Versions and machine.
        runs: How often each contestant did the same.
        note: What else a reader has to know.
        head: What stands above the measures.
        columns: Who was measured.
        rows: What was measured.
    """

    part: Part
    title: str
    key: str
    day: str
    place: str
    runs: int
    note: str = ""
    head: str = "measure"
    columns: tuple[str, ...]
    rows: tuple[PublishedRow, ...]

    @property
    def verdicts(self) -> Iterator[tuple[str, Verdict]]:
        """Every target, with what was measured."""
        for row in self.rows:
            for verdict in row.verdicts:
                yield row.measure, verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """
    A picture.

    Args:
        part: What it shows.
        file: Its name, beside the file of this.
    """

    part: Part
    file: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """
    All of it.

    Args:
        groups: What was measured, each at its last time.
        plots: The pictures.
    """

    groups: tuple[PublishedGroup, ...] = ()
    plots: tuple[Plot, ...] = ()

    def with_newer(
        self,
        newer: Iterable[PublishedGroup],
        plots: Iterable[Plot] = (),
        *,
        whole: Collection[Part] = (),
    ) -> Published:
        """
        Give what is published with newer measurements in place of older ones.

        Args:
            newer: They.
            plots: New pictures.
            whole: Parts that were measured as a whole: nothing older of them stays.
        """
        order = list(Part)
        found = {(each.part, each.key): each for each in self.groups if each.part not in whole}
        found |= {(each.part, each.key): each for each in newer}
        pictures = {each.file: each for each in (*self.plots, *plots)}
        return Published(
            groups=tuple(sorted(found.values(), key=lambda each: order.index(each.part))),
            plots=tuple(sorted(pictures.values(), key=lambda each: order.index(each.part))),
        )

    def save(self, path: Path = FILE) -> None:
        """Write it, completely or not at all."""
        draft = path.with_name(f".{path.name}")
        draft.write_text(json.dumps(asdict(self), indent=1) + "\n", encoding="utf-8")
        draft.replace(path)


def load_published(path: Path = FILE) -> Published:
    """Read it; before the first time there is nothing."""
    if not path.exists():
        return Published()
    return TypeAdapter(Published).validate_json(path.read_text(encoding="utf-8"))


def published_groups(results: Results, clock: Clock) -> list[PublishedGroup]:
    """
    Give what was measured as the page shows it.

    Args:
        results: What was measured.
        clock: Says which day it is.
    """
    day, found = today(clock), targets(results)
    return [
        replace(publish_group(group, found), day=day, place=results.place)
        for group in groups(results)
    ]


def today(clock: Clock) -> str:
    """Say which day it is, as 2026-12-31."""
    return datetime.fromtimestamp(clock.wall_ms() / 1000, UTC).date().isoformat()


def publish_group(group: Group, found: Iterable[Target] = ()) -> PublishedGroup:
    """
    Give a group of the table for the page: columns of those alone who were measured.

    Args:
        group: Which.
        found: All targets.
    """
    shown = [
        number
        for number in range(len(CONTESTANTS))
        if any(row.cells[number] != ABSENT for row in group.rows)
    ]
    known = list(found)
    return PublishedGroup(
        part=group.part,
        title=group.title,
        key=group.key or group.title,
        day="",
        place="",
        runs=group.runs,
        note=group.note,
        columns=tuple(group.who or CONTESTANTS[number].label for number in shown),
        rows=tuple(
            PublishedRow(
                measure=row.measure,
                cells=tuple(row.cells[number] for number in shown),
                verdicts=tuple(_verdicts(row, known)),
            )
            for row in group.rows
        ),
    )


def _verdicts(row: Row, found: Iterable[Target]) -> Iterator[Verdict]:
    for target in found:
        if (target.measure, target.of) == row.aim:
            yield Verdict(text=target.words, reached=target.reached)
