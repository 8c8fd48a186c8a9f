"""`kmirror dlq`: what copies have gone on without, and how it gets to its place after all."""

from __future__ import annotations

import base64
import getpass
import json
import platform
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from kmirror.cli.app import App
from kmirror.cli.dlq_view import letter_lines, letters_table
from kmirror.cli.exits import Exit
from kmirror.cli.files import File, flows_or_exit, load_or_exit
from kmirror.cli.terminal import check_folder, refuse, wide_console
from kmirror.clock import SystemClock
from kmirror.control.dead_letters import DeadLetters
from kmirror.control.replays import Replay
from kmirror.ends.opened_letters import OpenedLetters, open_letters
from kmirror.errors import EnvironmentProblem, MirrorError, one_line
from kmirror.wire.dead_letters import DeadLetter, Replayed, without_content

app = App(help="Look at what copies have gone on without, and replay it.", no_args_is_help=True)

FlowName = Annotated[str, typer.Argument(metavar="S->T", help="The flow.")]
Topic = Annotated[str | None, typer.Option("--topic", help="Only this topic of the source.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON objects, one on each line.")]
Number = Annotated[int, typer.Argument(metavar="NUMBER", help="As `kmirror dlq list` shows it.")]


@app.command("list")
def list_(file: File, flow: FlowName, topic: Topic = None, as_json: AsJson = False) -> None:
    """
    List what a flow has gone on without and kept, with `kmirror.poison = dlq`.
    """
    with _opened(file, flow) as opened:
        replayed = opened.letters.replayed()
        found = [without_content(letter) for letter in opened.letters.letters(topic)]
        if as_json:
            for letter in found:
                print(json.dumps(_fields(letter, replayed.get(letter.number))))
        elif found:
            wide_console().print(letters_table(found, replayed))
        else:
            print(f"{flow}: nothing in {opened.letters.topic}")


@app.command()
def show(
    file: File,
    flow: FlowName,
    number: Number,
    raw: Annotated[
        Path | None, typer.Option("--raw", help="Write its value to this file, byte by byte.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """
    Show one of them: where it came from, why, and what of it was kept.
    """
    check_folder(raw)
    with _opened(file, flow) as opened:
        letter = opened.letters.letter(number)
        if letter is None:
            refuse(f"{flow}: there is no {number} of this flow in {opened.letters.topic}")
        replayed = opened.letters.replayed().get(number)
    if raw is not None:
        try:
            raw.write_bytes(letter.value or b"")
        except OSError as error:
            refuse(f"{raw}: {error.strerror}", Exit.START_FAILED)
    if as_json:
        print(json.dumps(_fields(letter, replayed) | _content(letter)))
    else:
        print("\n".join(letter_lines(letter, replayed)))


@app.command()
def replay(  # noqa: PLR0917 - the parameters are the command line
    file: File,
    flow: FlowName,
    numbers: Annotated[
        list[int] | None, typer.Argument(metavar="NUMBER...", help="Which; see `kmirror dlq list`.")
    ] = None,
    topic: Topic = None,
    everything: Annotated[bool, typer.Option("--all", help="All of the flow.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what would be done.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """
    Write them to the topic that did not take them, each of them once.

    What was replayed before is not replayed again, whatever happened meanwhile. A replayed record
    stands behind all that were copied since. Exit code 5 if one of them cannot be replayed.
    """
    if sum([bool(numbers), topic is not None, everything]) != 1:
        raise typer.BadParameter("give numbers, or --topic, or --all")
    with _opened(file, flow) as opened:
        chosen = _chosen(opened.letters, flow, numbers, topic)
        by = f"{getpass.getuser()}@{platform.node()}"
        replays = opened.replays
        problems = 0
        for each in replays.plan(chosen) if dry_run else replays.run(chosen, by):
            _tell(each, dry_run=dry_run, as_json=as_json)
            problems += bool(each.problem)
    if not chosen and not as_json:
        print(f"{flow}: nothing to replay")
    if problems:
        raise typer.Exit(Exit.INCOMPLETE)


def _chosen(
    letters: DeadLetters, flow: str, numbers: Sequence[int] | None, topic: str | None
) -> Sequence[int]:
    if not numbers:
        return [letter.number for letter in letters.letters(topic)]
    chosen = sorted(set(numbers))
    for number in chosen:
        if letters.letter(number) is None:
            refuse(f"{flow}: there is no {number} of this flow in {letters.topic}", Exit.CONFIG)
    return chosen


def _tell(replay: Replay, *, dry_run: bool, as_json: bool) -> None:
    letter = replay.letter
    if as_json:
        more = {"records": replay.records, "problem": replay.problem, "dry_run": dry_run}
        print(json.dumps(_fields(letter, replay.replayed) | more))
        return
    place = f"{letter.number}: {letter.source}:{letter.offset}"
    many = f" ({replay.records} records)" if letter.is_batch and replay.records else ""
    print(one_line(f"{place}: {replay.words(dry_run=dry_run)}{many}"))


def _fields(letter: DeadLetter, replayed: Replayed | None) -> dict[str, Any]:
    return {
        "number": letter.number,
        "at_ms": letter.at_ms,
        "flow": letter.flow,
        "topic": letter.source.topic,
        "partition": letter.source.partition,
        "offset": letter.offset,
        "end": letter.end,
        "target": letter.target,
        "timestamp_ms": letter.timestamp_ms,
        "reason": letter.reason,
        "words": letter.words,
        "size_bytes": letter.size_bytes,
        "truncated": letter.is_truncated,
        "replayed": None if replayed is None else {"at_ms": replayed.at_ms, "by": replayed.by},
    }


def _content(letter: DeadLetter) -> dict[str, Any]:
    headers = [[name, _base64(value)] for name, value in letter.headers]
    return {"key": _base64(letter.key), "value": _base64(letter.value), "headers": headers}


def _base64(part: bytes | None) -> str | None:
    return None if part is None else base64.b64encode(part).decode()


@contextmanager
def _opened(file: Path, flow: str) -> Iterator[OpenedLetters]:
    """Open what reads and replays; exit with the text of an error."""
    config, clock = flows_or_exit(file, load_or_exit(file), flow)[0], SystemClock()
    try:
        with open_letters(config, clock) as opened:
            yield opened
    except (MirrorError, EnvironmentProblem) as error:
        print(f"{flow}: {error}", file=sys.stderr)
        raise SystemExit(Exit.START_FAILED) from error
