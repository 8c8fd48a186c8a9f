"""What was measured on wide-area links, as a table."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table

from bench.contestant import WAN_CONTESTANTS
from bench.part import Part
from bench.published import PublishedGroup, PublishedRow, today
from bench.results import Results, this_machine
from bench.wan.case import CutRun, WanRun
from kmirror.clock import Clock

_COLUMNS = (
    "link", "mirror", "Mbit/s", "of the link", "TCP alone", "p50 ms", "p95 ms", "CPU s/GB", "",
)  # fmt: skip
_CUT_COLUMNS = ("link", "mirror", "cut", "flowing again after", "")
_LABELS = {each.name: each.label for each in WAN_CONTESTANTS}


def rows(runs: Sequence[WanRun]) -> list[list[str]]:
    """Write a line for each run; those of one link beside each other."""
    links = list(dict.fromkeys(run.link for run in runs))
    return [_row(run) for link in links for run in runs if run.link == link]


def cut_rows(cuts: Sequence[CutRun]) -> list[list[str]]:
    """Write a line for each cut."""
    return [
        [
            cut.link.label,
            _LABELS[cut.contestant],
            f"{cut.cut_s:g} s",
            f"{cut.recovery_s:.1f} s",
            _counts(cut.extra),
        ]
        for cut in cuts
    ]


def render(runs: Sequence[WanRun], cuts: Sequence[CutRun]) -> list[Table]:
    """Give the tables for a terminal."""
    return [_table(columns, lines) for columns, lines in _parts(runs, cuts)]


def markdown(runs: Sequence[WanRun], cuts: Sequence[CutRun]) -> str:
    """Give the tables for a page."""
    return "\n".join(
        "".join(f"| {' | '.join(line)} |\n" for line in (columns, ["---"] * len(columns), *lines))
        for columns, lines in _parts(runs, cuts)
    )


def _parts(
    runs: Sequence[WanRun], cuts: Sequence[CutRun]
) -> list[tuple[tuple[str, ...], list[list[str]]]]:
    """Give columns and lines of what was measured."""
    return [(columns, lines) for columns, lines in _both(runs, cuts) if lines]


def _both(
    runs: Sequence[WanRun], cuts: Sequence[CutRun]
) -> tuple[tuple[tuple[str, ...], list[list[str]]], ...]:
    return ((_COLUMNS, rows(runs)), (_CUT_COLUMNS, cut_rows(cuts)))


def published_wan(
    runs: Sequence[WanRun], cuts: Sequence[CutRun], words: str, clock: Clock
) -> list[PublishedGroup]:
    """
    Give what was measured as the page shows it.

    Args:
        runs: On links.
        cuts: On links that were cut.
        words: What all of it has in common.
        clock: Says which day it is.
    """
    place, day = Results(machine=this_machine(), runs=1, scale=1).place, today(clock)
    found = []
    for kind, (columns, lines) in zip(("links", "cuts"), _both(runs, cuts), strict=True):
        if lines:
            title = f"{kind}, {words}"
            shown = (PublishedRow(measure=line[0], cells=tuple(line[1:])) for line in lines)
            found.append(
                PublishedGroup(
                    part=Part.WAN,
                    title=title,
                    key=title,
                    day=day,
                    place=place,
                    runs=1,
                    head=columns[0],
                    columns=columns[1:],
                    rows=tuple(shown),
                )
            )
    return found


def _row(run: WanRun) -> list[str]:
    return [
        run.link.label,
        _LABELS[run.contestant],
        f"{run.mbit:.2f}",
        f"{run.share:.0%}",
        _number(run.tcp_mbit, 2),
        _number(run.latency_p50_ms, 0),
        _number(run.latency_p95_ms, 0),
        _number(run.cpu_s_per_gb, 1),
        _counts(run.extra) if run.complete else "not all in time",
    ]


def _number(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def _counts(extra: int) -> str:
    if not extra:
        return ""
    return f"{extra} too many" if extra > 0 else f"{-extra} missing"


def _table(columns: Sequence[str], lines: Sequence[Sequence[str]]) -> Table:
    table = Table(*columns)
    for line in lines:
        table.add_row(*line)
    return table
