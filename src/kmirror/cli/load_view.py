"""What `kmirror load` shows: live counters while it runs, tables in the end."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.text import Text

from kmirror.cli.rows import Rows
from kmirror.load.course import Course, Moment
from kmirror.load.page import (
    RUN_COLUMNS,
    TOTAL_COLUMNS,
    run_cells,
    spread_columns,
    total_cells,
    verdict_words,
)
from kmirror.load.result import Consumed, Measured, Produced, Verdict

_FRAME_S = 0.5
_LINE_EVERY_S = 5.0

Counters = Sequence[tuple[str, Callable[[], int], Callable[[], Course]]]
"""What is shown live: a name, how many records by now, and how it goes."""


def watch(counters: Counters, thread: threading.Thread) -> None:
    """
    Show counters until a thread ends: live on a terminal, otherwise a line now and then.

    Args:
        counters: They.
        thread: Does the work.
    """
    console = Console(stderr=True)
    if console.is_terminal:
        with Live(console=console, auto_refresh=False, transient=True) as display:
            while thread.is_alive():
                display.update(Text("\n".join(_lines(counters))), refresh=True)
                thread.join(_FRAME_S)
        return
    thread.join(_LINE_EVERY_S)
    while thread.is_alive():
        for line in _lines(counters):
            sys.stderr.write(f"{line}\n")
        thread.join(_LINE_EVERY_S)


def _lines(counters: Counters) -> list[str]:
    found = []
    for name, records, course in counters:
        moments = course().moments
        found.append(f"{name} {records():,} records{_rate(moments[-1]) if moments else ''}")
    return found


def _rate(moment: Moment) -> str:
    per_s = moment.records / moment.took_s if moment.took_s else 0.0
    size_per_s = moment.bytes / moment.took_s if moment.took_s else 0.0
    return (
        f", {per_s:,.0f} records/s ({size_per_s / 1e6:,.2f} MB/s), "
        f"p50 {moment.p50_s * 1000:,.1f} ms, p99 {moment.p99_s * 1000:,.1f} ms, "
        f"max {moment.max_s * 1000:,.1f} ms"
    )


def show(
    console: Console,
    produced: Produced | None,
    consumed: Consumed | None,
    verdict: Verdict | None,
) -> bool:
    """Draw what came of it; tells whether it is as it should be."""
    sides: list[tuple[str, Measured]] = []
    if produced is not None:
        sides.append(("written", produced.measured))
    if consumed is not None:
        sides.append(("read", consumed.measured))
    columns = (*TOTAL_COLUMNS, *spread_columns(sides[0][1].latency))
    console.print(Rows(columns, [total_cells(name, each) for name, each in sides]))
    runs = () if consumed is None else consumed.runs
    if runs:
        console.print()
        console.print(Rows(RUN_COLUMNS, [run_cells(run) for run in runs]))
    for line in _details(produced, consumed):
        console.print(line, markup=False, highlight=False, soft_wrap=True)
    words, is_good = verdict_words(verdict, runs, produced)
    console.print(Text(words, style="green" if is_good else "red"), soft_wrap=True)
    return is_good


def _details(produced: Produced | None, consumed: Consumed | None) -> list[str]:
    lines = []
    if produced is not None:
        lines += [f"not acknowledged: {count:,}: {why}" for why, count in produced.failures.items()]
        if produced.transactions:
            aborted = f", {produced.aborted:,} records aborted" if produced.aborted else ""
            lines.append(f"{produced.transactions:,} transactions{aborted}")
    if consumed is not None:
        for run in consumed.runs:
            for partition, missing in run.missing:
                first, end = missing[0]
                more = f", and {len(missing) - 1:,} more places" if len(missing) > 1 else ""
                lines.append(
                    f"run {run.run}, partition {partition}: lost {first:,} to {end - 1:,}{more}"
                )
        if consumed.unstamped:
            lines.append(f"{consumed.unstamped:,} records have no stamp of these runs")
    return lines


def plain(
    produced: Produced | None, consumed: Consumed | None, verdict: Verdict | None
) -> dict[str, Any]:
    """Give what JSON can say."""
    found: dict[str, Any] = {}
    if produced is not None:
        found["produced"] = _measured(produced.measured) | {
            "run": produced.written.run,
            "failures": dict(produced.failures),
            "transactions": produced.transactions,
            "aborted": produced.aborted,
        }
    if consumed is not None:
        found["consumed"] = _measured(consumed.measured) | {
            "unstamped": consumed.unstamped,
            "runs": [asdict(run) for run in consumed.runs],
        }
    if verdict is not None:
        found["verdict"] = asdict(verdict) | {"exact": verdict.is_exact}
    return found


def _measured(measured: Measured) -> dict[str, Any]:
    latency = measured.latency
    return {
        "records": measured.records,
        "bytes": measured.bytes,
        "seconds": round(measured.took_s, 3),
        "records_per_s": round(measured.records_per_s, 1),
        "latency_s": {
            "mean": latency.mean,
            **{f"p{per_cent:g}": value for per_cent, value in latency.percentiles},
            "max": latency.max,
        },
    }
