"""kmirror's other commands, run as people run them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_ANSWER_S_MAX = 120
_NOTICE = "kmirror: waiting for "


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the command said, but for notices of what it waits for, which a busy machine brings."""

    code: int
    text: str


def verify(file: Path, *arguments: str, environ: Mapping[str, str] | None = None) -> Answer:
    """Run `kmirror verify`; *environ* is added to the environment."""
    return _run("verify", file, *arguments, environ=environ)


def status(file: Path, *arguments: str) -> Answer:
    """Run `kmirror status`."""
    return _run("status", file, *arguments)


def plan(file: Path, *arguments: str, environ: Mapping[str, str] | None = None) -> Answer:
    """Run `kmirror plan`; *environ* is added to the environment."""
    return _run("plan", file, *arguments, environ=environ)


def apply(file: Path, *arguments: str, environ: Mapping[str, str] | None = None) -> Answer:
    """Run `kmirror apply`; *environ* is added to the environment."""
    return _run("apply", file, *arguments, environ=environ)


def offsets(command: str, file: Path, *arguments: str) -> Answer:
    """Run `kmirror offsets COMMAND`."""
    return _run(f"offsets {command}", file, *arguments)


def acls(file: Path, *arguments: str, environ: Mapping[str, str] | None = None) -> Answer:
    """Run `kmirror acls`."""
    return _run("acls", file, *arguments, environ=environ)


def check(file: Path, *arguments: str, environ: Mapping[str, str] | None = None) -> Answer:
    """Run `kmirror check`."""
    return _run("check", file, *arguments, environ=environ)


def explain(file: Path, *arguments: str) -> Answer:
    """Run `kmirror explain`."""
    return _run("explain", file, *arguments)


def check_stretch(file: Path) -> Answer:
    """Run `kmirror check stretch`."""
    return _run("check stretch", file)


def tune(file: Path, *arguments: str) -> Answer:
    """Run `kmirror tune`."""
    return _run("tune", file, *arguments)


def move(verb: str, file: Path, flow: str, *arguments: str) -> Answer:
    """Run `kmirror failover`, `promote` or `failback`."""
    return _run(verb, file, flow, *arguments)


def order(verb: str, file: Path, flow: str, *arguments: str) -> Answer:
    """Run `kmirror pause`, `resume`, `park`, `skip` or `seek`."""
    return _run(verb, file, flow, *arguments)


def _run(
    verb: str, file: Path, *arguments: str, environ: Mapping[str, str] | None = None
) -> Answer:
    # pytest's readline gives its children the 80 columns of no terminal.
    ours = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    done = subprocess.run(
        [Path(sys.executable).with_name("kmirror"), *verb.split(), file, *arguments],
        env=ours | dict(environ or {}),
        capture_output=True,
        text=True,
        timeout=_ANSWER_S_MAX,
        check=False,
    )
    said = (done.stdout + done.stderr).splitlines(keepends=True)
    text = "".join(line for line in said if not line.startswith(_NOTICE))
    return Answer(code=done.returncode, text=text)
