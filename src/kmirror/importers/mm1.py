"""
MirrorMaker 1: the command line of `kafka-mirror-maker.sh` and its two files.

The command line stands in a script, which is one of the files. Without one, which topics are copied
is to be said in the file that is written.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath

from kmirror.importers.clients import Client, import_client
from kmirror.importers.command_line import CommandLine, command_lines
from kmirror.importers.draft import Draft
from kmirror.importers.flows import copy_records_only, seek_by_group, write_topics
from kmirror.importers.names import CopyNames
from kmirror.importers.options import ImportOptions
from kmirror.importers.setting import Setting, SourceFile, read_properties, wrong
from kmirror.model import Flow

PROGRAMS = ("kafka-mirror-maker.sh", "kafka-mirror-maker.bat", "kafka-mirror-maker", "MirrorMaker")
FLAGS = frozenset({"new.consumer", "help", "version", "daemon"})
_NAME = "MirrorMaker 1"
_TOPICS = ("whitelist", "include")
_NOT_NEEDED = {
    "offset.commit.interval.ms": "positions are committed with the records, see "
    "kmirror.commit.interval.ms",
    "abort.on.send.failure": "nothing is ever skipped: what fails is sent again, and what the "
    "target refuses parks its partition (kmirror.poison)",
    "new.consumer": "there is no other",
    "rebalance.listener": "there are no rebalances: kmirror assigns partitions itself",
    "consumer.rebalance.listener": "there are no rebalances: kmirror assigns partitions itself",
    "rebalance.listener.args": "there are no rebalances: kmirror assigns partitions itself",
    "daemon": "see docs/operations.md",
    "num.producers": "each slot has its producers",
    "queue.size": "a slot reads as much as the target takes",
}
_HANDLER = (
    "Java classes cannot be loaded here: say in SQL what it does to records (kmirror.where, "
    "kmirror.select.*); the flow copies nothing until it is decided"
)


def import_mm1(files: Sequence[SourceFile], options: ImportOptions) -> Draft:
    """
    Read MirrorMaker 1's command line and files.

    Raises:
        ConfigError: One of the two properties files is missing, or there are several commands.
    """
    commands = [line for file in files for line in command_lines(file, PROGRAMS, FLAGS)]
    if len(commands) > 1:
        raise wrong(commands[1].where, "command", "is a second one: import each by itself")
    command = commands[0] if commands else None
    scripts = {each.where.rpartition(":")[0] for each in commands}
    properties = [file for file in files if file.name not in scripts]
    flow = Flow(options.source, options.target)
    draft = Draft()
    draft.flow(flow)
    CopyNames().write(draft, flow)
    group = ""
    for role, alias in (("consumer", flow.source), ("producer", flow.target)):
        file = client_file(properties, command, role)
        client = Client(alias=alias, role=role, prefix=f"{alias}.{role}.")
        for setting in read_properties(file):
            import_client(draft, client, setting, setting.key)
            group = setting.text if setting.key == "group.id" else group
    import_command(draft, flow, command)
    finish(draft, flow, _NAME)
    seek_by_group(draft, flow, group, "from-mirrormaker1.md")
    return draft


def client_file(files: Sequence[SourceFile], command: CommandLine | None, role: str) -> SourceFile:
    """
    Find the properties of MirrorMaker 1's consumer or producer.

    Args:
        files: The files that were given, but for scripts.
        command: The command line, which names the two files.
        role: Whose.

    Raises:
        ConfigError: It is not there.
    """
    named = None if command is None else command.option(f"{role}.config")
    if named is not None:
        name = PurePosixPath(named.text).name
        found = [file for file in files if PurePosixPath(file.name).name == name]
        if not found:
            raise wrong(named.where, f"--{role}.config", "give this file, too", named.text)
        return found[0]
    # Without a command the order tells, as the help of MirrorMaker 1 has it.
    if len(files) != 2:
        expected = "expected two files, the consumer's and the producer's, or a script that names"
        raise wrong(files[0].name if files else "mm1", "file", f"{expected} them")
    by_name = [file for file in files if role in PurePosixPath(file.name).name]
    return by_name[0] if len(by_name) == 1 else files[0 if role == "consumer" else 1]


def import_command(draft: Draft, flow: Flow, command: CommandLine | None) -> None:
    """Write the options of the command line; without one, nothing says which topics to copy."""
    topics = None if command is None else command.option(*_TOPICS)
    if command is None or topics is None:
        draft.hold(flow)
    else:
        shown = Setting(key=topics.key, text=_as_regex(topics.text), where=topics.where)
        regexes = [
            Setting(key=shown.key, text=part, where=shown.where) for part in shown.text.split(",")
        ]
        write_topics(draft, flow, (), regexes)
    for setting in () if command is None else command.options:
        if setting.key in _TOPICS:
            continue
        if setting.key in {"consumer.config", "producer.config"}:
            draft.equal(setting, "is read, too")
        elif setting.key == "num.streams":
            draft.write(setting, f"{flow}.tasks.max", differs="a stream is a slot of Spark's")
        elif setting.key.startswith("message.handler"):
            draft.refuse(setting, _HANDLER)
            draft.hold(flow)
        elif setting.key == "blacklist":
            draft.write(setting, f"{flow}.topics.exclude", f"{_as_regex(setting.text)}, __.*")
        elif setting.key in _NOT_NEEDED:
            draft.differs(setting, _NOT_NEEDED[setting.key])
        else:
            draft.refuse(setting, "unknown to kmirror")


def finish(draft: Draft, flow: Flow, system: str) -> None:
    """Write what MirrorMaker 1 and its descendants do without being told."""
    draft.add(
        f"{flow.source}.consumer.auto.offset.reset",
        "latest",
        f"{system} began at the end of a partition without an offset, which is Kafka's default",
    )
    draft.add(f"{flow}.replication.factor", "-1", "topics were made by the brokers, as they like")
    copy_records_only(draft, flow, system)


def topics_regex(text: str) -> str:
    """
    Read a whitelist as MirrorMaker 1's `TopicFilter` does: commas are alternatives.

    Args:
        text: As typed, possibly with quotes of its own.
    """
    return _as_regex(text).replace(",", "|")


def _as_regex(text: str) -> str:
    """Return the same with commas: they separate the regexes of a list here, too."""
    return text.strip().replace(" ", "").strip("\"'")
