"""
Where a JVM's threads are, from the recording of its own profiler (JFR), drawn as a flame graph.

Wide is often; a frame stands on the one that called it.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from kmirror.jvm import find_java

# Samples of threads that wait in the kernel are no use of the processor.
_WAITING = ("EPoll.wait", "Net.poll", "SocketDispatcher.accept0", "Net.accept")
_EVENTS = ("jdk.ExecutionSample", "jdk.NativeMethodSample")
# A copy lasts a few seconds.
_PERIOD = "2ms"
_DEPTH_MAX = 48
_PRINT_S_MAX = 300
_WIDTH_MIN = 0.004
_CHARACTERS = 190
_CHARACTERS_MIN = 3
_COLOURS = {
    "io.kmirror": "#e4572e",
    "org.apache.kafka": "#5b7083",
    "org.apache.spark": "#f6d55c",
    "java.": "#c9d3dc",
    "sun.": "#c9d3dc",
    "jdk.": "#c9d3dc",
}


def recording_options(file: Path) -> dict[str, str]:
    """Give the environment in which a JVM writes a recording to *file* when it ends."""
    events = ",".join(f"{event}#period={_PERIOD}" for event in _EVENTS)
    how = f"filename={file},settings=profile,dumponexit=true,{events}"
    return {"JDK_JAVA_OPTIONS": f"-XX:StartFlightRecording={how}"}


@dataclass(slots=True)
class Frame:
    """A method, how often it was seen there, and what it had called."""

    samples: int = 0
    callees: dict[str, Frame] = field(default_factory=dict)

    def add(self, stack: Sequence[str]) -> None:
        """Count a stack, outermost call first."""
        here = self
        here.samples += 1
        for name in stack:
            here = here.callees.setdefault(name, Frame())
            here.samples += 1


def read_stacks(
    recording: Path, *, thread: str, begin: datetime, end: datetime
) -> list[tuple[str, ...]]:
    """
    Give the stacks of running threads, outermost call first.

    Args:
        recording: The profiler's file.
        thread: How the names of the threads begin.
        begin: No samples from before.
        end: No samples from after.
    """
    done = subprocess.run(
        [
            *(find_java().tool("jfr"), "print", "--json", "--events", ",".join(_EVENTS)),
            *("--stack-depth", str(_DEPTH_MAX), recording),
        ],
        capture_output=True,
        text=True,
        timeout=_PRINT_S_MAX,
        check=True,
    )
    stacks = []
    for event in json.loads(done.stdout)["recording"]["events"]:
        values = event["values"]
        name = (values["sampledThread"] or {}).get("javaName") or ""
        inside = begin <= datetime.fromisoformat(values["startTime"][:26] + "+00:00") <= end
        if inside and name.startswith(thread) and values["stackTrace"]:
            stack = tuple(reversed([_name(each) for each in values["stackTrace"]["frames"]]))
            if not stack[-1].endswith(_WAITING):
                stacks.append(stack)
    return stacks


def save_flame(groups: Mapping[str, Iterable[Sequence[str]]], path: Path, title: str) -> None:
    """
    Draw flame graphs, one above the other.

    Args:
        groups: What the threads do, and their stacks.
        path: The picture.
        title: Above all of it.
    """
    figure = Figure(figsize=(16, 7 * len(groups)), layout="constrained")
    figure.suptitle(title)
    rows = figure.subplots(len(groups), squeeze=False)[:, 0]
    for axes, (name, stacks) in zip(rows, groups.items(), strict=True):
        root = Frame()
        for stack in stacks:
            root.add(stack)
        axes.set_title(f"{name}: {root.samples} samples", loc="left", fontsize=10)
        axes.set_xlim(0, 1)
        axes.set_axis_off()
        _draw(axes, root, 0, 0.0, 1 / max(root.samples, 1))
    FigureCanvasAgg(figure)
    figure.savefig(path, dpi=110)


def _draw(axes: Axes, frame: Frame, level: int, left: float, unit: float) -> None:
    for name, callee in sorted(frame.callees.items()):
        width = callee.samples * unit
        if width >= _WIDTH_MIN:
            colour = next((c for prefix, c in _COLOURS.items() if name.startswith(prefix)), "#ddd")
            axes.barh(level, width, 1, left, align="edge", color=colour, edgecolor="white", lw=0.5)
            room = int(width * _CHARACTERS)
            if room > _CHARACTERS_MIN:
                text = ".".join(name.split(".")[-2:])[:room]
                place = (left + width / 2, level + 0.5)
                # Names of lambdas have dollars.
                axes.text(*place, text, ha="center", va="center", size=6, parse_math=False)
            _draw(axes, callee, level + 1, left, unit)
        left += width


def _name(frame: Mapping[str, Mapping[str, object]]) -> str:
    method = frame["method"]
    owner = method["type"]
    assert isinstance(owner, dict), "a method belongs to a class"
    return f"{str(owner['name']).replace('/', '.')}.{method['name']}"
