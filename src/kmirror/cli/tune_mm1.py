"""What `kmirror tune` reports of MirrorMaker 1's two files."""

from __future__ import annotations

import shlex
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from kmirror.cli.exits import Exit
from kmirror.cli.terminal import refuse
from kmirror.cli.tune_report import (
    Given,
    Report,
    assumed,
    completed,
    kernel_of,
    measure,
    remarks_of,
)
from kmirror.config.entry import Entries, Entry, Findings
from kmirror.config.lines import entries_of, properties_of, read_text
from kmirror.errors import ConfigError
from kmirror.importers.mm1 import import_mm1
from kmirror.importers.options import ImportOptions
from kmirror.importers.properties_text import properties_text
from kmirror.importers.read_again import settle
from kmirror.importers.setting import SourceFile
from kmirror.inspect.link_survey import LinkSurvey
from kmirror.model import Flow
from kmirror.tune.advise import Mm1Question, advise_mm1
from kmirror.tune.mm1_case import COMMAND, MM1_FLOW, Mm1Files

_EVERYTHING = ".*"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mm1Given:
    """
    MirrorMaker 1 as the command line has it.

    Args:
        consumer, producer: Its files; None for one that is not given.
        options: Those of its command line that matter; None for those that are not given.
        whitelist: Which topics it copies; None for all.
    """

    consumer: Path | None
    producer: Path | None
    options: Mapping[str, str | None]
    whitelist: str | None


def report_of_mm1(mm1: Mm1Given, given: Given) -> Report:
    """Return advice for MirrorMaker 1, or exit with what is wrong with its files."""
    if mm1.consumer is None or mm1.producer is None:
        refuse("MirrorMaker 1 has two files: --consumer.config and --producer.config", Exit.CONFIG)
    files = Mm1Files(
        consumer=_client_or_exit(mm1.consumer, "consumer"),
        producer=_client_or_exit(mm1.producer, "producer"),
        command={
            name: Entry(key=f"{COMMAND}{name}", text=text, where="the command line")
            for name, text in mm1.options.items()
            if text is not None
        },
    )
    known, remarks = assumed(given), tuple[str, ...]()
    if given.measure_s is not None:
        surveys = _measure(mm1.consumer, mm1.producer, mm1.whitelist, given.measure_s)
        known = completed(surveys[MM1_FLOW].measured, given)
        remarks = tuple(remarks_of(surveys, {MM1_FLOW: known}))
    advice = advise_mm1(Mm1Question(files=files, measured=known, kernel=kernel_of(given)))
    return Report(
        file=f"{mm1.consumer}, {mm1.producer}",
        known={MM1_FLOW: known},
        remarks=remarks,
        advice=advice,
    )


def _measure(
    consumer: Path, producer: Path, whitelist: str | None, seconds: float
) -> dict[Flow, LinkSurvey]:
    """Measure with kmirror's own clients, by the file that MirrorMaker 1's would become."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "mm2.properties"
        # Others may read the folder's parent: the file may hold passwords.
        file.touch(mode=0o600)
        file.write_text(as_mm2_file(consumer, producer, whitelist or _EVERYTHING), encoding="utf-8")
        return measure(file, (MM1_FLOW,), seconds)


def as_mm2_file(consumer: Path, producer: Path, whitelist: str) -> str:
    """
    Return the file with which kmirror would copy the same.

    Args:
        consumer, producer: MirrorMaker 1's files.
        whitelist: Its topics.
    """
    words = ("kafka-mirror-maker.sh", "--consumer.config", "c", "--producer.config", "p")
    command = shlex.join((*words, "--whitelist", whitelist))
    files = (
        SourceFile(name="command", text=f"{command}\n"),
        SourceFile(name="c", text=read_text(consumer)),
        SourceFile(name="p", text=read_text(producer)),
    )
    options = ImportOptions(source=MM1_FLOW.source, target=MM1_FLOW.target)
    imported = settle(import_mm1(files, options), Path("mm2.properties"), options.secrets)
    return properties_text(imported.lines, imported.aliases)


def _client_or_exit(path: Path, role: str) -> Entries:
    findings = Findings(str(path))
    try:
        items = properties_of(path, read_text(path))
    except ConfigError as error:
        print(error, file=sys.stderr)
        raise SystemExit(Exit.CONFIG) from error
    entries = entries_of(path, items, findings)
    return {name: replace(entry, key=f"{role}.{name}") for name, entry in entries.items()}
