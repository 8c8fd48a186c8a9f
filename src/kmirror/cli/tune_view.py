"""Advice, drawn for people and written as lines of a properties file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from kmirror.cli.rows import Rows
from kmirror.model import Flow
from kmirror.tune.advise import Advice
from kmirror.tune.finding import Finding, Level
from kmirror.tune.link import Link, Measured
from kmirror.tune.link_units import rate_text, size_text, time_text
from kmirror.tune.mm1_case import COMMAND, SOURCE_FILE, TARGET_FILE

_COLOURS = {
    Level.DANGER: "bold red",
    Level.WARNING: "yellow",
    Level.ADVICE: "cyan",
    Level.NOTE: "dim",
}


def render(
    measured: Mapping[Flow, Measured], remarks: Sequence[str], advice: Advice
) -> RenderableType:
    """Draw what is known, and what follows from it."""
    heads = [_head(flow, known) for flow, known in measured.items()]
    said = [Text(f"  {remark}", style="dim") for remark in remarks]
    several = len(measured) > 1
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column("level", no_wrap=True)
    table.add_column("words", overflow="fold")
    for finding in advice.findings:
        level = Text(finding.level.value, style=_COLOURS[finding.level])
        table.add_row(level, _words(finding, several=several))
    parts: list[RenderableType] = [*heads, *said, Text(""), table]
    if not advice.findings:
        parts.append(Text("nothing to say", style="green"))
    if advice.kernel:
        parts += [Text("\nThe kernel of this machine; brokers need the same:\n"), _kernel(advice)]
    if advice.settings:
        parts.append(Text("\nLines to add at the end of the file (the last one counts):\n"))
    return Group(*parts)


def _kernel(advice: Advice) -> Rows:
    return Rows(
        ("setting", "today", "wanted", "why"),
        [
            (each.name, each.today or "?", each.wanted if each.changes else "the same", each.why)
            for each in advice.kernel
        ],
    )


def _head(flow: Flow, known: Measured) -> Text:
    return Text.assemble((f"{flow}  ", "bold"), what_is_known(flow, known))


def what_is_known(flow: Flow, known: Measured) -> str:
    """Say what advice goes by, in words."""
    parts = [
        f"{end}: {words}"
        for end, link in ((flow.source, known.source), (flow.target, known.target))
        if (words := _link_text(link))
    ]
    if known.partitions is not None:
        parts.append(f"{known.partitions} partitions")
    if known.record_bytes is not None:
        parts.append(f"records of {size_text(known.record_bytes)}")
    if known.record_bytes_max is not None:
        parts.append(f"{size_text(known.record_bytes_max)} at most")
    if known.batch_bytes is not None and known.batch_records is not None:
        parts.append(f"batches of {known.batch_records:.3g}, {size_text(known.batch_bytes)}")
    if known.packed is not None:
        parts.append(f"packed to {known.packed:.0%}")
    return ", ".join(parts) or "nothing is known of its links: --measure, or --rtt and --bandwidth"


def _link_text(link: Link) -> str:
    words = []
    if link.rtt_ms is not None:
        words.append(time_text(link.rtt_ms))
    if link.bytes_per_s is not None:
        words.append(rate_text(link.bytes_per_s))
    return " and ".join(words)


def _words(finding: Finding, *, several: bool) -> RenderableType:
    parts = [Text(f"{finding.flow}", style="bold")] if several and finding.flow else []
    parts += [Text(str(line), style="bold") for line in finding.lines]
    parts.append(Text(finding.says))
    if finding.why:
        parts.append(Text(finding.why, style="dim"))
    parts += [Text(f"-> {line.key} = {line.value}", style="green") for line in finding.instead]
    if finding.scenario is not None:
        parts.append(Text(f"shown by {finding.scenario.title}: {finding.scenario.shows}"))
    if finding.kmirror:
        parts.append(Text(f"kmirror: {finding.kmirror}", style="dim"))
    return Group(*parts, Text(""))


def snippet(measured: Mapping[Flow, Measured], advice: Advice) -> str:
    """
    Write the lines to add, each with the reason above it.

    Args:
        measured: What is known of each flow.
        advice: What was advised.
    """
    lines = [f"# {flow}: {what_is_known(flow, known)}" for flow, known in measured.items()]
    for setting in advice.settings:
        lines += [f"# {setting.because}", f"{setting.key} = {setting.value}"]
    lines = ["# kmirror tune", *lines] if advice.settings else []
    return "".join(f"{line}\n" for line in (*lines, *kernel_lines(advice)))


def snippet_mm1(advice: Advice) -> str:
    """
    Write the lines to add to MirrorMaker 1's files and to its command line.

    Args:
        advice: What was advised.
    """
    lines: list[str] = []
    for prefix, title in (
        (SOURCE_FILE, "the consumer's file"),
        (TARGET_FILE, "the producer's file"),
        (COMMAND, "the command line"),
    ):
        its = [each for each in advice.settings if each.key.startswith(prefix)]
        lines += [f"# {title}"] if its else []
        for setting in its:
            key = setting.key if prefix == COMMAND else setting.key.removeprefix(prefix)
            between = " " if prefix == COMMAND else " = "
            lines += [f"# {setting.because}", f"{key}{between}{setting.value}"]
    return "".join(f"{line}\n" for line in (*lines, *kernel_lines(advice)))


def kernel_lines(advice: Advice) -> list[str]:
    """Return lines for `sysctl.conf`, as comments: they may end up in a properties file."""
    lines = [f"# {each.line}" for each in advice.kernel if each.changes]
    return ["# for /etc/sysctl.d/90-kmirror.conf, without the #:", *lines] if lines else []
