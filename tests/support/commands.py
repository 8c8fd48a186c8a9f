"""kmirror's other commands, run as people run them."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.support.driver import KMIRROR

_ANSWER_S_MAX = 120
# It starts a Spark, and may read all there is.
_AUDIT_S_MAX = 900
_NOTICE = "kmirror: waiting for "


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the command said, but for notices of what it waits for, which a busy machine brings."""

    code: int
    text: str


def verify(file: Path, *arguments: str, environ: Mapping[str, str] | None = None) -> Answer:
    """Run `kmirror verify`; *environ* is added to the environment."""
    return _run("verify", file, *arguments, environ=environ)


def canary(file: Path, *arguments: str) -> Answer:
    """Run `kmirror canary`."""
    return _run("canary", file, *arguments)


def load(verb: str, file: Path, *arguments: str) -> Answer:
    """Run `kmirror load VERB`."""
    return _run(f"load {verb}", file, *arguments)


def report(file: Path, *arguments: str) -> Answer:
    """Run `kmirror report`."""
    return _run("report", file, *arguments)


def status(file: Path, *arguments: str) -> Answer:
    """Run `kmirror status`."""
    return _run("status", file, *arguments)


def audit(verb: str, file: Path, *arguments: str) -> Answer:
    """Run `kmirror audit VERB`."""
    return _run(f"audit {verb}", file, *arguments, timeout_s=_AUDIT_S_MAX)


def gaps(file: Path, *arguments: str) -> Answer:
    """Run `kmirror gaps`."""
    return _run("gaps", file, *arguments)


def plan(file: Path, *arguments: str, environ: Mapping[str, str] | None = None) -> Answer:
    """Run `kmirror plan`; *environ* is added to the environment."""
    return _run("plan", file, *arguments, environ=environ)


def apply(file: Path, *arguments: str, environ: Mapping[str, str] | None = None) -> Answer:
    """Run `kmirror apply`; *environ* is added to the environment."""
    return _run("apply", file, *arguments, environ=environ)


def dlq(verb: str, file: Path, flow: str, *arguments: str) -> Answer:
    """Run `kmirror dlq VERB`."""
    return _run(f"dlq {verb}", file, flow, *arguments)


def start_dlq(verb: str, file: Path, flow: str, *arguments: str) -> subprocess.Popen[bytes]:
    """Start `kmirror dlq VERB`, for whoever kills it."""
    return subprocess.Popen(
        [KMIRROR, "dlq", verb, file, flow, *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


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


def import_files(system: str, *arguments: str | Path) -> Answer:
    """Run `kmirror import`."""
    first, *others = map(str, arguments)
    return _run(f"import {system}", Path(first), *others)


def tune(file: Path, *arguments: str) -> Answer:
    """Run `kmirror tune`."""
    return _run("tune", file, *arguments)


def move(verb: str, file: Path, flow: str, *arguments: str) -> Answer:
    """Run `kmirror failover`, `promote` or `failback`."""
    return _run(verb, file, flow, *arguments)


def reload(file: Path, *arguments: str) -> Answer:
    """Run `kmirror reload`."""
    return _run("reload", file, *arguments)


def order(verb: str, file: Path, flow: str, *arguments: str) -> Answer:
    """Run `kmirror pause`, `resume`, `park`, `skip` or `seek`."""
    return _run(verb, file, flow, *arguments)


def _run(
    verb: str,
    file: Path,
    *arguments: str,
    environ: Mapping[str, str] | None = None,
    timeout_s: int = _ANSWER_S_MAX,
) -> Answer:
    # pytest's readline gives its children the 80 columns of no terminal.
    ours = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    done = subprocess.run(
        [KMIRROR, *verb.split(), file, *arguments],
        env=ours | dict(environ or {}),
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
    )
    said = (done.stdout + done.stderr).splitlines(keepends=True)
    text = "".join(line for line in said if not line.startswith(_NOTICE))
    return Answer(code=done.returncode, text=text)
