"""Who is measured, and what is in its `mm2.properties`."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from kmirror_lab.cluster.mirror import (
    KMIRROR_PROGRAM,
    ONE_COPY,
    Mirror,
    kmirror_run,
    mirror_maker_2,
)
from kmirror_lab.process.host import HERE, Host
from kmirror_lab.process.ports import LOOPBACK, free_ports

from bench.bare_copier import bare_copier_jar
from kmirror.model import Flow

# What `connect-mirror-maker.sh` gives the JVM.
_MM2_HEAP_MB = 2048
_TUNED = (
    "{target}.producer.batch.size = 262144",
    "{target}.producer.linger.ms = 20",
    "{source}.consumer.max.poll.records = 5000",
)
_ZSTD = ("{target}.producer.compression.type = zstd",)
# What MM2 asks for where several nodes have one file; each has a port of its own.
SEVERAL_NODES = (
    "dedicated.mode.enable.internal.rest = true",
    "listeners = http://{loopback}:{port}",
)
_EXACTLY_ONCE = (
    "{target}.exactly.once.source.support = enabled",
    "{source}.consumer.isolation.level = read_committed",
    *SEVERAL_NODES,
)


class Program(StrEnum):
    """What runs the file."""

    MIRROR_MAKER = "MirrorMaker 2"
    KMIRROR = "kmirror"
    BARE_COPIER = "kmirror's lanes without Spark"
    BY_THE_CLOCK = "kmirror with commits by the clock"


# What is kmirror with a part of it changed.
_CHANGED: Mapping[Program, str] = {
    Program.BARE_COPIER: "bench.bare_copier",
    Program.BY_THE_CLOCK: "bench.clock_commits",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Contestant:
    """
    A program with its settings.

    Args:
        name: In file names and in the results.
        label: In tables and plots.
        program: What runs the file.
        options: More options of its command line.
        lines: More lines of the file; `{source}`, `{target}`, `{loopback}` and `{port}` (a free
            one) and `{bare_copier}` (its jar) are filled in.
        level: What MirrorMaker 2 logs.
    """

    name: str
    label: str
    program: Program
    options: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    level: str = "warn"


MM2_DEFAULT = Contestant(name="mm2-default", label="MM2 default", program=Program.MIRROR_MAKER)
MM2_TUNED = Contestant(
    name="mm2-tuned", label="MM2 tuned", program=Program.MIRROR_MAKER, lines=_TUNED
)
MM2_EXACTLY_ONCE = Contestant(
    name="mm2-exactly-once",
    label="MM2 tuned, exactly once",
    program=Program.MIRROR_MAKER,
    lines=_TUNED + _EXACTLY_ONCE,
)
KMIRROR = Contestant(name="kmirror", label="kmirror, exactly once", program=Program.KMIRROR)
KMIRROR_RECORDS = Contestant(
    name="kmirror-records",
    label="kmirror, record by record",
    program=Program.KMIRROR,
    lines=("{source}->{target}.kmirror.granularity = record",),
)
# One way: what the header itself costs, beside the same copy without it.
KMIRROR_PROVENANCE = Contestant(
    name="kmirror-provenance",
    label="kmirror, with provenance",
    program=Program.KMIRROR,
    lines=("{source}->{target}.kmirror.provenance = true",),
)
KMIRROR_4_SLOTS = Contestant(
    name="kmirror-4-slots",
    label="kmirror, 4 slots",
    program=Program.KMIRROR,
    lines=("{source}->{target}.kmirror.slots = 4",),
)
KMIRROR_2_SLOTS = Contestant(
    name="kmirror-2-slots",
    label="kmirror, 2 slots in one process",
    program=Program.KMIRROR,
    lines=("{source}->{target}.kmirror.slots = 2",),
)
KMIRROR_2_EXECUTORS = replace(
    KMIRROR_2_SLOTS,
    name="kmirror-2-executors",
    label="kmirror, 2 executors",
    # A master, and two workers with one core and one executor each, which are processes.
    options=("--master", "local-cluster[2,1,1024]"),
)
KMIRROR_ZSTD = Contestant(
    name="kmirror-zstd",
    label="kmirror, zstd",
    program=Program.KMIRROR,
    lines=_ZSTD,
)
MM2_ZSTD = replace(
    MM2_EXACTLY_ONCE,
    name="mm2-zstd",
    label=f"{MM2_EXACTLY_ONCE.label}, zstd",
    lines=MM2_EXACTLY_ONCE.lines + _ZSTD,
)
KMIRROR_GROUPS = Contestant(
    name="kmirror-groups",
    label="kmirror with groups",
    program=Program.KMIRROR,
    options=("--log-level", "debug"),
    lines=(
        "{source}->{target}.groups = bench-group-.*",
        "{source}->{target}.sync.group.offsets.enabled = true",
    ),
)
# What it is faster than kmirror is what Spark costs.
BARE_COPIER = Contestant(
    name="bare-copier",
    label="kmirror's lanes without Spark",
    program=Program.BARE_COPIER,
    lines=("kmirror.spark.jars = {bare_copier}",),
)
CONTESTANTS = (
    MM2_DEFAULT,
    MM2_TUNED,
    MM2_EXACTLY_ONCE,
    KMIRROR_PROVENANCE,
    KMIRROR_RECORDS,
    BARE_COPIER,
    KMIRROR,
)
# Over wide-area links: the first two always, the others when they are asked for.
WAN_USUAL = (MM2_EXACTLY_ONCE, KMIRROR)
WAN_CONTESTANTS = (*WAN_USUAL, MM2_ZSTD, KMIRROR_ZSTD, KMIRROR_4_SLOTS)


def in_turn(contestants: Sequence[Contestant], number: int) -> Sequence[Contestant]:
    """Give the order of a round: another one begins each time, so no place is anybody's own."""
    first = number % len(contestants)
    return (*contestants[first:], *contestants[:first])


def properties(
    contestant: Contestant, flow: Flow, *, source_bootstrap: str, target_bootstrap: str
) -> str:
    """
    Write the `mm2.properties` of *contestant*.

    Args:
        contestant: Whose.
        flow: The aliases of the clusters.
        source_bootstrap: Where the source is.
        target_bootstrap: Where the target is.
    """
    lines = [
        f"clusters = {flow.source}, {flow.target}",
        f"{flow.source}.bootstrap.servers = {source_bootstrap}",
        f"{flow.target}.bootstrap.servers = {target_bootstrap}",
        f"{flow}.enabled = true",
        *(f"{key} = 1" for key in ONE_COPY),
    ]
    names = {"source": flow.source, "target": flow.target, "loopback": LOOPBACK}
    if any("{port}" in line for line in contestant.lines):
        names["port"] = str(free_ports(1)[0])
    if contestant.program is Program.BARE_COPIER:
        names["bare_copier"] = str(bare_copier_jar())
    lines += [line.format(**names) for line in contestant.lines]
    return "".join(f"{line}\n" for line in lines)


def mirror_of(
    contestant: Contestant,
    text: str,
    folder: Path,
    *,
    environ: Mapping[str, str] | None = None,
    host: Host = HERE,
) -> Mirror:
    """
    Give the processes of *contestant*, not started yet.

    Args:
        contestant: Whose.
        text: Its `mm2.properties`.
        folder: For that file, its log and its temporary files.
        environ: More environment variables for kmirror.
        host: Where it runs.
    """
    if contestant.program is Program.MIRROR_MAKER:
        return mirror_maker_2(text, folder, heap_mb=_MM2_HEAP_MB, level=contestant.level, host=host)
    changed = _CHANGED.get(contestant.program)
    return kmirror_run(
        text,
        folder,
        program=(sys.executable, "-m", changed) if changed else KMIRROR_PROGRAM,
        options=contestant.options,
        environ=environ,
        host=host,
    )
