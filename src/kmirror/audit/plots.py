"""The plots of an audit's report."""

from __future__ import annotations

from kmirror.audit.standing import FlowStanding, PartitionStanding
from kmirror.pages.page import Band, Bands, Chart, Line
from kmirror.units import moment
from kmirror.wire.audit_windows import AuditVerdict

_PARTITIONS_MAX = 40
_POINTS_MAX = 400
_NOT_AUDITED = "not audited"
_COLOURS = {
    AuditVerdict.IDENTICAL: "#2e86ab",
    AuditVerdict.UNDECIDABLE: "#9aa5b1",
    AuditVerdict.MISSING: "#a11d1d",
    AuditVerdict.EXTRA: "#e4572e",
    AuditVerdict.DIFFERENT: "#f2a541",
}
_KINDS = (
    *((verdict.value, _COLOURS[verdict]) for verdict in AuditVerdict),
    (_NOT_AUDITED, "#dfe5ea"),
)
_UNITS = ((86_400, "days"), (3_600, "hours"), (60, "minutes"), (1, "seconds"))


def plots(found: FlowStanding) -> tuple[Bands | Chart, ...]:
    """Draw a flow's audit; nothing where there is nothing of it."""
    drawn: list[Bands | Chart] = []
    if found.partitions:
        drawn.append(_map(found))
    if found.windows:
        drawn.append(_course(found))
    return tuple(drawn)


def _map(found: FlowStanding) -> Bands:
    shown = found.partitions[:_PARTITIONS_MAX]
    more = len(found.partitions) - len(shown)
    left = f"; {more} more are in the table" if more else ""
    return Bands(
        title=f"{found.flow}: what is audited of each partition{left}",
        ends=("first offset", "copied to"),
        kinds=_KINDS,
        bands=tuple(_band(found, each) for each in shown),
        alt="For each partition the offsets that are identical, that differ, and that are not "
        "audited; the same as in the tables.",
    )


def _band(found: FlowStanding, each: PartitionStanding) -> Band:
    begin, end = each.facts.log_start, max(each.facts.position.source, 1)
    ranges = () if each.audit is None else each.audit.ranges
    begin = min([begin, *(start for start, _ in ranges)])
    length = max(1, end - begin)

    def span(kind: str, start: int, stop: int) -> tuple[str, float, float]:
        return kind, (start - begin) / length, (stop - begin) / length

    is_open = [
        window
        for window in found.windows
        if window.verdict is not AuditVerdict.IDENTICAL
        and window.partition == each.facts.source
        and window.end > begin
    ]
    return Band(
        name=str(each.facts.source),
        spans=(
            span(_NOT_AUDITED, begin, end),
            *(span(AuditVerdict.IDENTICAL.value, start, stop) for start, stop in ranges),
            *(span(window.verdict.value, window.start, window.end) for window in is_open),
        ),
    )


def _course(found: FlowStanding) -> Chart:
    windows = sorted(found.windows, key=lambda each: each.at_ms)
    begin_ms = windows[0].at_ms
    points, total = [(0.0, 0.0)], 0
    every = -(-len(windows) // _POINTS_MAX)
    for number, window in enumerate(windows, start=1):
        total += window.source.records
        if number % every == 0 or number == len(windows):
            points.append(((window.at_ms - begin_ms) / 1000, float(total)))
    last_s = points[-1][0]
    unit, name = next((each for each in _UNITS if last_s >= each[0]), _UNITS[-1])
    return Chart(
        title=f"{found.flow}: records audited over time, windows that are kept",
        x=f"{name} since {moment(begin_ms)}",
        y="records",
        lines=(
            Line(
                name="records",
                points=tuple((at_s / unit, records) for at_s, records in points),
                is_stepped=True,
            ),
        ),
        alt=f"{total:,} records in {len(windows)} windows, by the time at which they were "
        "compared.",
    )
