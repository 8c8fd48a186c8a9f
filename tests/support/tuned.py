"""Advice for files made of a base that works and some lines more."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path

from kmirror.config.load import MirrorLines, read_lines
from kmirror.tune.advise import Advice, Question, advise
from kmirror.tune.finding import BOTH, Finding, Level, Program
from kmirror.tune.link import Link, Measured

BASE = """\
clusters = A, B
A.bootstrap.servers = a:9092
B.bootstrap.servers = b:9092
A->B.enabled = true
"""
SLOW = Measured(
    source=Link(rtt_ms=100, bytes_per_s=125_000),
    target=Link(rtt_ms=100, bytes_per_s=125_000),
)


def lines_of(
    more: str = "", *, base: str = BASE, environ: Mapping[str, str] | None = None
) -> MirrorLines:
    """Read a file of *base* and *more*."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mm2.properties"
        path.write_text(base + more, encoding="utf-8")
        return read_lines(path, environ=environ or {})


def advice_for(
    more: str = "",
    measured: Measured | None = None,
    *,
    base: str = BASE,
    programs: frozenset[Program] = BOTH,
) -> Advice:
    """Give advice; all flows have the same surroundings."""
    lines = lines_of(more, base=base)
    known = dict.fromkeys(lines.flows, measured or Measured())
    return advise(Question(lines=lines, measured=known, programs=programs))


def about(advice: Advice, name: str) -> list[Finding]:
    """Give the findings whose first line is the setting *name*."""
    return [
        each for each in advice.findings if each.lines and each.lines[0].key.endswith(f".{name}")
    ]


def dangers(advice: Advice) -> list[str]:
    """Give the sentences of what is dangerous."""
    return [each.says for each in advice.findings if each.level is Level.DANGER]


def applied(advice: Advice) -> str:
    """Give the lines that were advised, as a file has them."""
    return "".join(f"{each.key} = {each.value}\n" for each in advice.settings)
