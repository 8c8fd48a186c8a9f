"""A run as a page: for a ticket, and for those who were not there."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from kmirror.pages.page import Chart, Line, Page, Table
from kmirror.policy.lag_verdicts import SloVerdict
from kmirror.state.run_record import RunFlow, RunRecord, RunSample
from kmirror.units import moment, size

_MS = 1000.0
_MINUTE_S = 60.0
_TOPICS_SHOWN = 50
_LOUD = {"WARNING", "ERROR", "CRITICAL"}


def run_page(record: RunRecord) -> Page:
    """Make a page of a run."""
    bad = [each for each in record.flows if each.verdict != SloVerdict.IN_SYNC.value]
    words = "; ".join(f"{each.flow}: {each.verdict}: {each.verdict_words}" for each in bad)
    good = f"every flow is in sync: {', '.join(str(each.flow) for each in record.flows)}"
    parts: list[Table | Chart] = [_flows(record)]
    parts += _charts(record)
    for flow in record.flows:
        parts += _topics(flow)
    parts += _parked(record.flows)
    parts.append(_events(record))
    return Page(
        title="What this run of kmirror did",
        about=f"`{record.process}`, kmirror {record.version}, {moment(record.began_ms)} to "
        f"{moment(record.at_ms)}. Made by `kmirror report`.",
        verdict=words or good,
        is_good=not bad,
        parts=tuple(parts),
    )


def _flows(record: RunRecord) -> Table:
    percentiles = next((each.latency for each in record.flows if each.latency), ())
    names = tuple(f">p{per_cent:g} ms" for per_cent, _ in percentiles)
    rows = []
    for flow in record.flows:
        last = flow.samples[-1] if flow.samples else None
        known = dict(flow.latency)
        rows.append(
            (
                str(flow.flow),
                flow.state,
                f"{last.records:,}" if last else "-",
                size(last.bytes) if last else "-",
                _average(flow.samples),
                "-" if last is None or last.lag_records is None else f"{last.lag_records:,}",
                "-" if last is None or last.lag_s is None else f"{last.lag_s:,.1f}",
                *(f"{known[part] * _MS:,.1f}" if part in known else "-" for part, _ in percentiles),
                flow.words if flow.words != flow.state else "",
            )
        )
    return Table(
        title="Flows",
        columns=(
            *("flow", "state", ">records", ">bytes", ">records/s", ">lag, records", ">lag, s"),
            *names,
            "",
        ),
        rows=tuple(rows),
        bad=frozenset(
            number
            for number, each in enumerate(record.flows)
            if each.verdict == SloVerdict.BROKEN.value
        ),
        note="Records a second on the average of the whole run. Percentiles: the time from "
        "kmirror's first touch of a record to its commit on the target.",
    )


def _average(samples: Sequence[RunSample]) -> str:
    if len(samples) < 2:
        return "-"
    took_s = (samples[-1].at_ms - samples[0].at_ms) / 1000
    return f"{(samples[-1].records - samples[0].records) / took_s:,.0f}" if took_s else "-"


def _charts(record: RunRecord) -> list[Chart]:
    flows = [each for each in record.flows if len(each.samples) > 1]
    if not flows:
        return []
    long = record.at_ms - record.began_ms > 10 * _MINUTE_S * 1000
    unit_s, name = (_MINUTE_S, "minutes") if long else (1.0, "seconds")

    def at(sample: RunSample) -> float:
        return (sample.at_ms - record.began_ms) / 1000 / unit_s

    x = f"{name} since the beginning"
    charts = [
        Chart(
            title=title,
            x=x,
            y=y,
            lines=tuple(
                Line(
                    name=str(flow.flow),
                    points=tuple(
                        (at(now), _rate(before, now, field))
                        for before, now in pairwise(flow.samples)
                    ),
                )
                for flow in flows
            ),
            alt=f"{title}; the table of flows has the sums.",
        )
        for title, y, field in (
            ("Throughput", "records/s", "records"),
            ("Throughput in bytes", "bytes/s", "bytes"),
        )
    ]
    charts += [
        Chart(
            title=title,
            x=x,
            y=y,
            lines=tuple(
                Line(
                    name=f"{flow.flow}{label}",
                    points=tuple((at(each), _value(each, field, scale)) for each in flow.samples),
                )
                for flow in flows
                for label, field in fields
            ),
            alt=f"{title}; the table of flows has the last value.",
        )
        for title, y, scale, fields in (
            ("Lag in time", "seconds", 1.0, (("", "lag_s"),)),
            ("Lag in records", "records", 1.0, (("", "lag_records"),)),
            ("Latency", "milliseconds", _MS, ((" p50", "p50_s"), (" p99", "p99_s"))),
        )
    ]
    return charts


def _rate(before: RunSample, now: RunSample, field: str) -> float | None:
    took_s = (now.at_ms - before.at_ms) / 1000
    grown = getattr(now, field) - getattr(before, field)
    return max(0.0, grown / took_s) if took_s > 0 else None


def _value(sample: RunSample, field: str, scale: float) -> float | None:
    value = getattr(sample, field)
    return None if value is None else value * scale


def _topics(flow: RunFlow) -> list[Table]:
    if not flow.topics:
        return []
    shown = flow.topics[:_TOPICS_SHOWN]
    more = len(flow.topics) - len(shown) + flow.topics_more
    return [
        Table(
            title=f"Topics of {flow.flow}",
            columns=(
                *("topic", ">partitions", ">records", ">bytes", ">in whole batches"),
                *(">lag, records", ">left out"),
            ),
            rows=tuple(
                (
                    each.topic,
                    str(each.partitions),
                    f"{each.records:,}",
                    size(each.bytes),
                    f"{each.whole_records / each.records:.0%}" if each.records else "-",
                    f"{each.lag_records:,}",
                    f"{each.left_out:,}",
                )
                for each in shown
            ),
            bad=frozenset(number for number, each in enumerate(shown) if each.left_out),
            note=f"And {more:,} more, with fewer records." if more else "",
        )
    ]


def _parked(flows: Sequence[RunFlow]) -> list[Table]:
    rows = tuple((str(flow.flow), line) for flow in flows for line in flow.parked)
    if not rows:
        return []
    return [
        Table(
            title="What stands still",
            columns=("flow", "partition and reason"),
            rows=rows,
            bad=frozenset(range(len(rows))),
        )
    ]


def _events(record: RunRecord) -> Table:
    rows = tuple(
        (moment(each.at_ms).removesuffix(" UTC"), each.level, each.name, each.text)
        for each in record.events
    )
    before = record.events_before
    return Table(
        title="Events",
        columns=("time, UTC", "level", "event", "what happened"),
        rows=rows,
        bad=frozenset(number for number, each in enumerate(record.events) if each.level in _LOUD),
        note=f"And {before:,} more before these." if before else "",
    )
