"""`kmirror audit`: is what was copied the same on both sides, window by window."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Annotated

import typer

from kmirror.audit.audit import FlowAudit
from kmirror.audit.outcome import AuditStep, AuditTally
from kmirror.audit.standing import FlowStanding, flow_standing, plain
from kmirror.cli.app import App
from kmirror.cli.audit_view import (
    check_lines,
    progress_bar,
    render_run,
    render_status,
    render_windows,
)
from kmirror.cli.exits import Exit
from kmirror.cli.files import File, flows_or_exit, load_or_exit
from kmirror.cli.pages import check_page
from kmirror.cli.terminal import complain, pattern, refuse, who, wide_console
from kmirror.clock import SystemClock
from kmirror.config.flows import FlowConfig
from kmirror.config.load import MirrorConfig
from kmirror.ends.clients import open_clients
from kmirror.errors import MirrorError
from kmirror.pipeline.launch import SparkLaunch
from kmirror.pipeline.session import SparkProcess
from kmirror.pipeline.window_hashes import WindowHashes
from kmirror.policy.regex import NamePattern
from kmirror.wire.audit_windows import AuditWindow

app = App(help="Compare both sides window by window, and see what was found.", no_args_is_help=True)

FlowName = Annotated[
    str | None, typer.Argument(metavar="[S->T]", help="Only this flow.", show_default=False)
]
Topics = Annotated[
    str | None,
    typer.Option(help="Only source topics that this regular expression matches. Default: all."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object per flow.")]


@app.command()
def status(
    file: File,
    flow: FlowName = None,
    topics: Topics = None,
    windows: Annotated[
        bool, typer.Option("--windows", help="List all windows that are kept, not only some.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """
    Show how far the flows in FILE are audited, and what was found.

    It reads what audits have written to the targets; nothing is compared. Exit codes: 0 nothing
    differs, 1 something does, 2 the file is wrong, 3 a cluster does not answer.
    """
    wanted = pattern("--topics", topics)
    code = Exit.OK
    for config in _audited(load_or_exit(file), flow, file):
        try:
            found = _standing(config, wanted)
        except MirrorError as error:
            complain(f"{config.flow}: {error}")
            code = Exit.START_FAILED
            continue
        if as_json:
            print(json.dumps(plain(found)))
        else:
            wide_console().print(render_status(found))
            if windows:
                wide_console().print(render_windows(found.windows))
        if code is Exit.OK and found.differences:
            code = Exit.DIFFERENT
    raise SystemExit(code)


@app.command()
def run(
    file: File,
    flow: FlowName = None,
    topics: Topics = None,
    again: Annotated[
        bool,
        typer.Option(
            "--again", help="Compare everything anew, from what the sources still hold on."
        ),
    ] = False,
    rate: Annotated[
        int,
        typer.Option(
            min=0,
            help="Bytes a second that are read of each cluster: keys and values, not compressed. "
            "0 for as fast as it can.",
        ),
    ] = 0,
) -> None:
    """
    Audit the flows in FILE now: from where the audit was, up to what is copied.

    Drivers may run meanwhile. It starts a Spark of its own on this machine, and writes what it
    finds to the targets, as a driver with kmirror.audit.enabled does. Exit codes: 0 nothing
    differs, 1 something does, 2 the file is wrong, 3 a cluster does not answer, 5 something could
    not be read, 7 nothing was there to compare.
    """
    config = load_or_exit(file)
    wanted = pattern("--topics", topics)
    flows = _audited(config, flow, file)
    try:
        with _spark(config) as hashing:
            codes = [_run_flow(each, hashing, wanted, again=again, rate=rate) for each in flows]
    except MirrorError as error:
        complain(str(error))
        raise SystemExit(Exit.START_FAILED) from error
    order = (Exit.START_FAILED, Exit.DIFFERENT, Exit.INCOMPLETE, Exit.OK)
    raise SystemExit(next((code for code in order if code in codes), Exit.NOT_COMPARED))


@app.command()
def report(
    file: File,
    html: Annotated[
        Path, typer.Option("--html", help="Write the page to this file.", dir_okay=False)
    ],
    flow: FlowName = None,
    topics: Topics = None,
    key: Annotated[
        Path | None,
        typer.Option(help="Sign it with this private key: ed25519, PEM without a password."),
    ] = None,
) -> None:
    """
    Write what audits have found as one HTML page that needs nothing else.

    It reads what audits have written to the targets; nothing is compared. Exit codes: 0 nothing
    differs, 1 something does, 2 the file is wrong, 3 a cluster does not answer, or a file cannot be
    read or written.
    """
    check_page(html)
    # Only this command draws and signs: the others need not wait for that.
    from kmirror.audit.report import drawn_report  # noqa: PLC0415
    from kmirror.audit.seal import read_private_key  # noqa: PLC0415

    wanted = pattern("--topics", topics)
    try:
        private = None if key is None else read_private_key(key)
        found = [_standing(config, wanted) for config in _audited(load_or_exit(file), flow, file)]
        page = drawn_report(found, at_ms=SystemClock().wall_ms(), by=who(), private=private)
        html.write_bytes(page)
    except (MirrorError, OSError) as error:
        complain(str(error))
        raise SystemExit(Exit.START_FAILED) from error
    print(f"{html}: {'signed' if private is not None else 'not signed'}")
    raise SystemExit(Exit.DIFFERENT if any(each.differences for each in found) else Exit.OK)


@app.command()
def check(
    report: Annotated[
        Path, typer.Argument(metavar="REPORT", help="A page of `kmirror audit report`.")
    ],
    key: Annotated[
        Path | None, typer.Option(help="It has to be signed with this public key: ed25519, PEM.")
    ] = None,
) -> None:
    """
    Check a report that somebody has sent: is it as it was signed, and with which key?

    It needs no cluster and no other file. Exit codes: 0 it is as it was signed (with --key, with
    that key), 1 it is not, 3 it cannot be read, 7 it is not signed, or no report.
    """
    from kmirror.audit.page_data import data_of  # noqa: PLC0415
    from kmirror.audit.seal import check_seal, fingerprint, read_public_key  # noqa: PLC0415

    try:
        expected = None if key is None else read_public_key(key)
        page = report.read_bytes()
    except (MirrorError, OSError) as error:
        complain(str(error))
        raise SystemExit(Exit.START_FAILED) from error
    seal, data = check_seal(page), data_of(page)
    if data is None:
        refuse(f"{report}: this is no report of an audit", Exit.NOT_COMPARED)
    if seal is None:
        refuse(f"{report}: it is not signed", Exit.NOT_COMPARED)
    if not seal.is_valid:
        refuse(f"{report}: NOT as it was signed", Exit.DIFFERENT)
    if expected is not None and seal.public != expected:
        words = f"signed with {seal.fingerprint}, not with {fingerprint(expected)}"
        refuse(f"{report}: {words}", Exit.DIFFERENT)
    print("\n".join(check_lines(data, seal.fingerprint, is_known=expected is not None)))


class _Hashing:
    """Spark, for one flow after the other."""

    def __init__(self, spark: SparkProcess, folder: Path, tasks: int) -> None:
        session = spark.open(SystemClock(), threading.Event())
        assert session is not None, "nothing stops the waiting"
        self._session = session
        self._folder = folder
        self._tasks = tasks

    def hashes(self, config: FlowConfig) -> WindowHashes:
        """Return what counts and hashes windows of a flow."""
        return WindowHashes(
            self._session,
            self._folder,
            name=str(config.flow),
            tasks=self._tasks,
            timeout_s=config.admin_timeout_s,
        )


@contextmanager
def _spark(config: MirrorConfig) -> Iterator[_Hashing]:
    """Have a Spark on this machine, with a task for each processor."""
    tasks = max(1, (os.cpu_count() or 1) // 2)
    launch = SparkLaunch(app="kmirror audit", slots=2 * tasks, settings=dict(config.spark))
    with closing(SparkProcess(launch, SystemClock())) as spark:
        yield _Hashing(spark, launch.folder, tasks)


def _run_flow(
    config: FlowConfig, hashing: _Hashing, topics: NamePattern | None, *, again: bool, rate: int
) -> Exit:
    """Audit one flow; say what was found."""
    clients = open_clients(config, SystemClock())
    try:
        audit = FlowAudit(
            config,
            clients,
            hashing.hashes(config),
            SystemClock(),
            by=who(),
            selects=lambda topic: topics is None or topics.matches(topic),
        )
        try:
            return _audit(config, audit, again=again, rate=rate)
        finally:
            audit.close()
    except MirrorError as error:
        complain(f"{config.flow}: {error}")
        return Exit.START_FAILED
    finally:
        clients.close()


def _audit(config: FlowConfig, audit: FlowAudit, *, again: bool, rate: int) -> Exit:
    tally, windows, troubles = AuditTally(), list[AuditWindow](), dict[str, str]()
    survey = audit.look(again=again)
    with progress_bar(f"audit {config.flow}", survey.behind) as advance:

        def told(step: AuditStep) -> None:
            tally.add(step.windows)
            windows.extend(each for each in step.windows if each.verdict.is_difference)
            troubles.update((str(place), why) for place, why in step.troubles.items())
            advance(sum(each.end - each.start for each in step.windows))

        audit.run(survey, is_over=lambda: False, told=told, bytes_per_second=rate)
    wide_console().print(render_run(config.flow, tally, windows, troubles))
    if windows:
        return Exit.DIFFERENT
    if troubles:
        return Exit.INCOMPLETE
    return Exit.OK if survey.facts else Exit.NOT_COMPARED


def _standing(config: FlowConfig, topics: NamePattern | None) -> FlowStanding:
    clock = SystemClock()
    clients = open_clients(config, clock)
    try:
        return flow_standing(
            config, clients, clock, lambda topic: topics is None or topics.matches(topic)
        )
    finally:
        clients.close()


def _audited(config: MirrorConfig, flow: str | None, file: File) -> Sequence[FlowConfig]:
    """Return the flows that have copies; alias topics merge others, and have none."""
    chosen = [each for each in flows_or_exit(file, config, flow) if not each.policy.merges]
    if not chosen:
        print(f"{file}: no flow has copies that could be compared", file=sys.stderr)
        raise SystemExit(Exit.NOT_COMPARED)
    return chosen
