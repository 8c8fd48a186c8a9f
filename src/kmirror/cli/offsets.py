"""`kmirror offsets`: translate groups and offsets between the clusters."""

from __future__ import annotations

import csv
import json
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from kmirror.cli.app import App
from kmirror.cli.engine_offsets import (
    EngineOffsets,
    read_offsets_file,
    tell,
    translate_checkpoint,
    translate_lines,
)
from kmirror.cli.exits import Exit
from kmirror.cli.files import File, flow_or_exit, load_or_exit
from kmirror.cli.group_names import Groups, allowed_groups
from kmirror.cli.places_table import places_table
from kmirror.cli.terminal import pattern, refuse, wide_console
from kmirror.clock import SystemClock
from kmirror.ends.clients import open_clients
from kmirror.ends.copy_generations import with_readable_generations
from kmirror.errors import CheckpointUnreadable, EnvironmentProblem, MirrorError
from kmirror.groups.group_survey import GroupSurveyor
from kmirror.groups.spark_checkpoint import SparkCheckpoint, read_checkpoint
from kmirror.model import TopicPartition
from kmirror.pipeline.gateway import client_jvm
from kmirror.pipeline.jvm_clients import JvmClients

app = App(help="Translate groups and offsets between the clusters.", no_args_is_help=True)

_PLACE = re.compile(r"(?P<topic>.+)-(?P<partition>\d+):(?P<offset>\d+)")

FlowName = Annotated[
    str | None, typer.Option("--flow", help="The flow, A->B. Not needed if the file has only one.")
]
Back = Annotated[bool, typer.Option("--back", help="Translate from the target to the source.")]


@app.command()
def show(file: File, flow: FlowName = None, groups: Groups = None, back: Back = False) -> None:
    """
    Show where the groups of a flow are, and where they would resume on the other cluster.

    It changes no group. It fills gaps of the offset map that it finds.
    """
    with _surveyor(file, flow, groups) as surveyor:
        survey = surveyor.survey(back=back)
    console = wide_console()
    here, there = ("target", "source") if back else ("source", "target")
    console.print(places_table(survey.places, here=here, there=there))
    for group, why in sorted({**survey.held, **survey.unread}.items()):
        console.print(f"{group}: would be left alone: {why}")
    for unknown in survey.unknown:
        console.print(str(unknown), markup=False, highlight=False)
    allowed = pattern("--groups", groups)
    for group, why in sorted(survey.refused.items()):
        if allowed is not None and allowed.matches(group):
            console.print(f"{group}: not followed: {why}")


@app.command()
def export(
    file: File,
    flow: FlowName = None,
    groups: Groups = None,
    back: Back = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object per line, with both sides.")
    ] = False,
) -> None:
    """
    Print where the groups resume on the target, as CSV: group, topic, partition, offset.

    `kafka-consumer-groups.sh --reset-offsets --from-file` reads this format.
    """
    with _surveyor(file, flow, groups) as surveyor:
        survey = surveyor.survey(back=back)
    writer = csv.writer(sys.stdout, lineterminator="\n")
    for place in survey.places:
        if as_json:
            fields = asdict(place)
            del fields["written"]
            print(json.dumps(fields))
        else:
            there = place.there
            writer.writerow([place.group, there.topic, there.partition, place.goes_on])


@app.command()
def translate(  # noqa: PLR0917 - the parameters are the command line
    file: File,
    places: Annotated[
        list[str] | None, typer.Argument(help="TOPIC-PARTITION:OFFSET, any number of them.")
    ] = None,
    flow: FlowName = None,
    back: Back = False,
    spark_checkpoint: Annotated[
        Path | None,
        typer.Option(help="Translate the Kafka offsets of this checkpoint of a Spark query."),
    ] = None,
    new_checkpoint: Annotated[
        Path | None,
        typer.Option(help="Write the same checkpoint for the other cluster here, if exact."),
    ] = None,
    offsets_file: Annotated[
        Path | None,
        typer.Option(help="Translate this file's lines: topic,partition,offset. - is stdin."),
    ] = None,
) -> None:
    """
    Translate offsets exactly. Exit code 1 if one is unknown.

    For a Spark Structured Streaming query it prints `startingOffsets` as JSON, one line for each of
    its Kafka sources; stop the query first.
    """
    _one_of(places, spark_checkpoint, offsets_file)
    if new_checkpoint is not None and spark_checkpoint is None:
        raise typer.BadParameter("--new-checkpoint needs --spark-checkpoint")
    if spark_checkpoint is not None:
        checkpoint = _checkpoint(spark_checkpoint)
        run = partial(translate_checkpoint, checkpoint, new_folder=new_checkpoint)
        _translate_for_engine(file, flow, run, back=back)
    elif offsets_file is not None:
        run = partial(translate_lines, read_offsets_file(offsets_file))
        _translate_for_engine(file, flow, run, back=back)
    else:
        _translate_places(file, places or [], flow, back=back)


def _one_of(*given: object) -> None:
    if sum(bool(each) for each in given) != 1:
        raise typer.BadParameter(
            "give TOPIC-PARTITION:OFFSET, or --spark-checkpoint, or --offsets-file"
        )


def _checkpoint(folder: Path) -> SparkCheckpoint:
    try:
        return read_checkpoint(folder)
    except CheckpointUnreadable as error:
        refuse(str(error), Exit.CONFIG)


def _translate_for_engine(
    file: Path, flow: str | None, translate: Callable[[EngineOffsets], None], *, back: bool
) -> None:
    with _surveyor(file, flow, None) as surveyor:
        engine = EngineOffsets(surveyor, back=back)
        try:
            translate(engine)
        except CheckpointUnreadable as error:
            refuse(str(error), Exit.CONFIG)
        finally:
            tell([*engine.unknown, *engine.repeated])
    raise SystemExit(Exit.DIFFERENT if engine.unknown else Exit.OK)


def _translate_places(file: Path, places: Sequence[str], flow: str | None, *, back: bool) -> None:
    wanted = [_place(text) for text in places]
    unknown = False
    with _surveyor(file, flow, None) as surveyor:
        for partition, offset in wanted:
            found = surveyor.find(partition, offset, back=back)
            unknown = unknown or found is None
            if found is None:
                why = surveyor.why_unknown(partition, offset, back=back)
                print(f"{partition}:{offset} = unknown: {why}")
            else:
                print(f"{partition}:{offset} = {found[0]}:{found[1]}")
    raise SystemExit(Exit.DIFFERENT if unknown else Exit.OK)


@app.command()
def reset(
    file: File,
    flow: FlowName = None,
    groups: Groups = None,
    back: Back = False,
    execute: Annotated[
        bool, typer.Option("--execute", help="Set the offsets. Default: only show them.")
    ] = False,
) -> None:
    """
    Set the groups' offsets on the target to where the groups are on the source.

    Offsets may move backwards. Groups with members on the target are left alone. Exit code 5 if an
    offset could not be set.
    """
    with _surveyor(file, flow, groups) as surveyor:
        survey = surveyor.survey(back=back)
        moves = survey.moves(backwards=True)
        for place in moves:
            before = "none" if place.committed is None else place.committed
            print(f"{place.group} {place.there}: {before} -> {place.goes_on}")
        for group, why in sorted({**survey.held, **survey.unread}.items()):
            print(f"{group}: left alone: {why}")
        if not execute:
            print(f"{len(moves)} offsets would be set; add --execute to set them")
            return
        failed = surveyor.commit(moves, back=back)
    for group, error in sorted(failed.items()):
        print(f"{group}: {error}", file=sys.stderr)
    print(f"{sum(place.group not in failed for place in moves)} offsets set")
    raise SystemExit(Exit.INCOMPLETE if failed else Exit.OK)


@contextmanager
def _surveyor(file: Path, flow: str | None, groups: str | None) -> Iterator[GroupSurveyor]:
    """Open everything; exit with the text of an error."""
    config = flow_or_exit(file, load_or_exit(file), flow)
    allowed = allowed_groups(config, groups)
    clients = open_clients(config, SystemClock())
    try:
        with client_jvm() as jvm:
            open_groups, timeout_s = JvmClients(jvm).open_groups, config.admin_timeout_s
            with GroupSurveyor(
                with_readable_generations(config, clients),
                clients,
                source=open_groups(config.flow.source, config.source_admin, timeout_s),
                target=open_groups(config.flow.target, config.target_admin, timeout_s),
                allowed=allowed,
                clock=SystemClock(),
            ) as surveyor:
                yield surveyor
    except (MirrorError, EnvironmentProblem) as error:
        print(f"{config.flow}: {error}", file=sys.stderr)
        raise SystemExit(Exit.START_FAILED) from error
    finally:
        clients.close()


def _place(text: str) -> tuple[TopicPartition, int]:
    found = _PLACE.fullmatch(text)
    if found is None:
        raise typer.BadParameter(f"{text}: expected TOPIC-PARTITION:OFFSET, such as orders-0:1234")
    return TopicPartition(found["topic"], int(found["partition"])), int(found["offset"])
