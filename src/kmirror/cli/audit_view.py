"""How audits look on a terminal, and for programs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from kmirror.audit.outcome import AuditTally
from kmirror.audit.standing import FlowStanding, PartitionStanding, summary
from kmirror.cli.rows import Rows
from kmirror.errors import one_line
from kmirror.model import Flow
from kmirror.units import moment, size
from kmirror.wire.audit_windows import AuditVerdict, AuditWindow

_SHOWN_MAX = 20


def render_status(found: FlowStanding) -> RenderableType:
    """Draw how far a flow is audited, and what does not stand as identical."""
    head = Text.assemble((f"{found.flow}  ", "bold"), summary(found))
    if not found.partitions:
        return Group(head, Text(""))
    columns = ("partition", ">copied to", ">audited to", ">left", ">safe before", "last", "by")
    rows = [_row(each) for each in found.partitions]
    open_ = [each for each in found.windows if each.verdict is not AuditVerdict.IDENTICAL]
    parts: list[RenderableType] = [head, Rows(columns, rows)]
    if open_:
        worst = sorted(open_, key=lambda each: (not each.verdict.is_difference, each.partition))
        parts += [Text(""), render_windows(worst[:_SHOWN_MAX])]
        if len(worst) > _SHOWN_MAX:
            parts.append(Text(f"and {len(worst) - _SHOWN_MAX} more: --windows lists them all"))
    return Group(*parts, Text(""))


def render_windows(windows: Sequence[AuditWindow]) -> RenderableType:
    """Draw windows, one on each line."""
    columns = ("window", ">from", ">to", ">records", ">of the copy", "verdict", "what")
    rows = [
        (
            str(each.partition),
            f"{each.start:,}",
            f"{each.end - 1:,}",
            f"{each.source.records:,}",
            f"{each.copy.records:,}",
            each.verdict.value,
            each.words or f"hash {each.source.hash}",
        )
        for each in windows
    ]
    return Rows(columns, rows)


def render_run(
    flow: Flow, tally: AuditTally, differences: Sequence[AuditWindow], troubles: Mapping[str, str]
) -> RenderableType:
    """Draw what an audit has found."""
    found = [f"{count} {verdict.value}" for verdict, count in sorted(tally.windows.items())]
    windows = "1 window" if tally.windows.total() == 1 else f"{tally.windows.total()} windows"
    what = f"{windows}: {', '.join(found)}" if found else "nothing new is copied"
    read = f"; {tally.records:,} records, {size(tally.bytes)} read" if found else ""
    parts: list[RenderableType] = [Text.assemble((f"{flow}  ", "bold"), f"{what}{read}")]
    if differences:
        parts.append(render_windows(differences))
    parts += [Text(f"not audited: {why}", style="red") for why in troubles.values()]
    return Group(*parts)


def check_lines(data: Mapping[str, Any], fingerprint: str, *, is_known: bool) -> Iterator[str]:
    """
    Say what a signed report is. A stranger has sent it: nothing in it controls the terminal.

    Args:
        data: Its data.
        fingerprint: Of the key that it is signed with.
        is_known: That is the key that was expected.
    """
    yield f"as it was signed, with {fingerprint}"
    if not is_known:
        yield "compare that with the key of whoever you think has signed it, or give it as --key"
    yield one_line(f"written {moment(data['at_ms'])} by {data['by']}")
    for flow in data["flows"]:
        kept = flow["windows_kept"]
        found = ", ".join(f"{kept[name]} {name}" for name in map(str, AuditVerdict) if kept[name])
        words = f"windows: {found or 'none'}; {flow['behind']:,} offsets left"
        yield one_line(f"{flow['flow']}: {words}")


@contextmanager
def progress_bar(label: str, total: int) -> Iterator[Callable[[int], None]]:
    """Draw a bar on standard error while something goes on; gives what moves it."""
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("offsets"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    with bar:
        task = bar.add_task(label, total=total)
        yield lambda count: bar.advance(task, count)


def _row(each: PartitionStanding) -> tuple[str, ...]:
    audit = each.audit
    return (
        str(each.facts.source),
        f"{each.facts.position.source:,}",
        "" if each.audited_to is None else f"{each.audited_to:,}",
        f"{each.facts.behind:,}",
        "" if each.safe is None else f"{each.safe:,}",
        "" if audit is None else moment(audit.at_ms),
        "" if audit is None else audit.by,
    )
