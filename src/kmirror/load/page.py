"""A load as a page: what was written and read, whether it is the same, how fast and how late."""

from __future__ import annotations

from collections.abc import Sequence

from kmirror.load.result import Consumed, FoundRun, Measured, Produced, Verdict
from kmirror.pages.page import Chart, Line, Page, Table
from kmirror.sequence.latencies import Spread
from kmirror.units import size

_MS = 1000.0


def load_page(
    title: str,
    about: str,
    *,
    produced: Produced | None = None,
    consumed: Consumed | None = None,
    verdict: Verdict | None = None,
) -> Page:
    """
    Make a page of a load.

    Args:
        title: What was done.
        about: By which command, and when.
        produced, consumed: What was done; one at least.
        verdict: Whether the one is the other, where both are known.
    """
    sides = [
        (name, found.measured)
        for name, found in (("written", produced), ("read", consumed))
        if found is not None
    ]
    runs = () if consumed is None else consumed.runs
    words, is_good = verdict_words(verdict, runs, produced)
    parts: list[Table | Chart] = [_totals(sides)]
    if runs:
        parts.append(_sequences(runs))
    parts += [*_rates(sides), *_latencies(sides), *_curves(sides)]
    return Page(title=title, about=about, verdict=words, is_good=is_good, parts=tuple(parts))


def verdict_words(
    verdict: Verdict | None, runs: Sequence[FoundRun], produced: Produced | None
) -> tuple[str, bool]:
    """
    Say in a sentence what follows, and whether that is as it should be.

    Args:
        verdict: What was read beside what was written, if that is known.
        runs: The runs that were found, if anything was read.
        produced: What was written, if anything was.
    """
    failed = 0 if produced is None else sum(produced.failures.values())
    refused = f"{failed:,} records were not acknowledged"
    if verdict is not None:
        words = _compared_words(verdict)
        return f"{words}; {refused}" if failed else words, verdict.is_exact and not failed
    if runs:
        bad = [run for run in runs if not run.is_exact]
        if bad:
            return f"something is wrong in {len(bad)} of {len(runs)} runs", False
        return "no record is lost, duplicated or out of order, as far as the topic goes", True
    if produced is None:
        return "no stamped record was found", True
    if failed:
        return refused, False
    return f"all {produced.measured.records:,} records were acknowledged", True


def _compared_words(verdict: Verdict) -> str:
    if verdict.is_exact:
        return f"all {verdict.acknowledged:,} records arrived, once and in order"
    counts = verdict.counts
    aborted = f", {verdict.aborted:,} of aborted transactions" if verdict.aborted else ""
    return (
        f"of {verdict.acknowledged:,} records {counts.lost:,} lost, {counts.duplicated:,} "
        f"duplicated, {counts.reordered:,} out of order{aborted}"
    )


def spread_cells(spread: Spread) -> tuple[str, ...]:
    """Write mean, percentiles and maximum, in milliseconds."""
    if not spread.count:
        return ("-",) * (len(spread.percentiles) + 2)
    values = (spread.mean, *(value for _, value in spread.percentiles), spread.max)
    return tuple(f"{value * _MS:,.1f}" for value in values)


def spread_columns(spread: Spread) -> tuple[str, ...]:
    """Name the columns of `spread_cells`."""
    return (">mean ms", *(f">p{per_cent:g} ms" for per_cent, _ in spread.percentiles), ">max ms")


def run_cells(run: FoundRun) -> tuple[str, ...]:
    """Write what became of a run; see `RUN_COLUMNS`."""
    counts = run.counts
    return (
        run.run,
        *(
            f"{count:,}"
            for count in (
                counts.arrived,
                counts.distinct,
                counts.lost,
                counts.duplicated,
                counts.reordered,
                run.aborted,
            )
        ),
    )


RUN_COLUMNS = (
    "run",
    ">records",
    ">different ones",
    ">lost",
    ">duplicated",
    ">out of order",
    ">of aborted transactions",
)


def total_cells(name: str, measured: Measured) -> tuple[str, ...]:
    """Write what went or came; see `TOTAL_COLUMNS`."""
    return (
        name,
        f"{measured.records:,}",
        size(measured.bytes),
        f"{measured.took_s:,.1f}",
        f"{measured.records_per_s:,.0f}",
        f"{size(measured.bytes_per_s)}/s",
        *spread_cells(measured.latency),
    )


TOTAL_COLUMNS = ("", ">records", ">bytes", ">seconds", ">records/s", ">bytes/s")


def _totals(sides: Sequence[tuple[str, Measured]]) -> Table:
    return Table(
        title="How fast, and how late",
        columns=(*TOTAL_COLUMNS, *spread_columns(sides[0][1].latency)),
        rows=tuple(total_cells(name, measured) for name, measured in sides),
        note="The time of a written record ends with the broker's acknowledgement, that of a read "
        "one with its arrival at the reader. With `--rate` it begins when the record was due.",
    )


def _sequences(runs: Sequence[FoundRun]) -> Table:
    return Table(
        title="Is the sequence whole",
        columns=RUN_COLUMNS,
        rows=tuple(map(run_cells, runs)),
        bad=frozenset(number for number, run in enumerate(runs) if not run.is_exact),
    )


def _rates(sides: Sequence[tuple[str, Measured]]) -> list[Chart]:
    lines = tuple(
        Line(
            name=name,
            points=tuple(
                (each.at_s, each.records / each.took_s if each.took_s else 0.0)
                for each in measured.moments
            ),
        )
        for name, measured in sides
        if measured.moments
    )
    words = (f"{name}: {measured.records_per_s:,.0f} records/s" for name, measured in sides)
    return [
        Chart(
            title="Throughput",
            x="seconds since the beginning",
            y="records/s",
            lines=lines,
            alt=f"On the average, {'; '.join(words)}.",
        )
    ] * bool(lines)


def _latencies(sides: Sequence[tuple[str, Measured]]) -> list[Chart]:
    charts = []
    for name, measured in sides:
        moments = [each for each in measured.moments if each.max_s]
        if not moments:
            continue
        lines = tuple(
            Line(
                name=label,
                points=tuple((each.at_s, getattr(each, field) * _MS) for each in moments),
            )
            for label, field in (("p50", "p50_s"), ("p99", "p99_s"), ("max", "max_s"))
        )
        charts.append(
            Chart(
                title=f"Latency over time, {name}",
                x="seconds since the beginning",
                y="milliseconds",
                lines=lines,
                alt=f"In all, {_in_words(measured.latency)}.",
            )
        )
    return charts


def _curves(sides: Sequence[tuple[str, Measured]]) -> list[Chart]:
    lines = tuple(
        Line(
            name=name,
            points=tuple(
                (max(seconds * _MS, 0.001), 100 * part) for seconds, part in measured.curve
            ),
            is_stepped=True,
        )
        for name, measured in sides
        if measured.curve
    )
    words = (f"{name}: {_in_words(measured.latency)}" for name, measured in sides)
    return [
        Chart(
            title="How many records took how long",
            x="milliseconds",
            y="% of records, not longer",
            lines=lines,
            alt=f"{'; '.join(words)}.",
            is_log=True,
            y_max=102,
        )
    ] * bool(lines)


def _in_words(spread: Spread) -> str:
    parts = [f"p{per_cent:g} {value * _MS:,.1f} ms" for per_cent, value in spread.percentiles]
    return ", ".join([*parts, f"max {spread.max * _MS:,.1f} ms"])
