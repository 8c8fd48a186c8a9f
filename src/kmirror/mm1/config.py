"""What `kmirror mm1` runs by: MirrorMaker 1's options and its two files, read and judged."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from kmirror.config.client_properties import ClientProperties
from kmirror.config.entry import Findings
from kmirror.config.lines import entries_of, properties_of, read_text
from kmirror.errors import ConfigError, Problem
from kmirror.importers.mm1 import topics_regex
from kmirror.mm1.client_files import ClientFile, mm1_consumer, mm1_producer, sends_one_by_one

COMMAND_LINE = "the command line"
_MISSING = 'Missing required argument "[{0}]"'
# Of Kafka before 3.0; later ones say "include list must be specified".
_NO_TOPICS = "whitelist must be specified"
_NO_TOPICS_HINT = "--include 'regex', as Kafka 3 calls it, or --whitelist 'regex'"
_JAVA = "kmirror loads no Java classes of others"
_REFUSED = {
    "message.handler": f"{_JAVA}: `kmirror import mm1` makes a file in which SQL can say what it "
    "does to records",
    "message.handler.args": "is for a message.handler, which kmirror does not load",
    "consumer.rebalance.listener": f"{_JAVA}: streams flush and commit on a rebalance without one",
    "rebalance.listener": f"{_JAVA}: streams flush and commit on a rebalance without one",
    "rebalance.listener.args": "is for a listener, which kmirror does not load",
    "blacklist": "New consumer only supports whitelist: name what is wanted with --include",
}


class CommandProblem(Exception):
    """MirrorMaker 1 says this of a command line that lacks something, and ends with 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mm1Command:
    """
    MirrorMaker 1's command line, as it was typed.

    Args:
        consumer, producer: `--consumer.config`, `--producer.config`.
        include: `--include`, or else `--whitelist`.
        streams: `--num.streams`.
        commit_interval_ms: `--offset.commit.interval.ms`.
        abort_on_send_failure: `--abort.on.send.failure`.
        refused: Options that name classes, and others that kmirror does not have, by name.
    """

    consumer: Path | None
    producer: Path | None
    include: str | None
    streams: int = 1
    commit_interval_ms: int = 60_000
    abort_on_send_failure: str = "true"
    refused: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Mm1Config:
    """
    What the streams do.

    Args:
        group: The consumer group on the source.
        topics: A regular expression of Java's; all of a topic's name has to match.
        streams: How many members of the group this process has.
        commit_interval_ms: Time between two commits.
        abort_on_send_failure: End when a record cannot be sent; otherwise go on without it.
        one_by_one: Wait for each record's acknowledgement.
        consumer, producer: Java client properties.
        warnings: What is unsafe, or has no effect.
    """

    group: str
    topics: str
    streams: int
    commit_interval_ms: int
    abort_on_send_failure: bool
    one_by_one: bool
    consumer: ClientProperties
    producer: ClientProperties
    warnings: tuple[Problem, ...]


def read_command(command: Mm1Command) -> Mm1Config:
    """
    Read the two files and judge everything.

    Raises:
        CommandProblem: Something is missing that MirrorMaker 1 wants, in its words.
        ConfigError: With everything that is wrong.
    """
    missing = [
        _MISSING.format(name)
        for name, path in (
            ("consumer.config", command.consumer),
            ("producer.config", command.producer),
        )
        if path is None
    ]
    if missing:
        raise CommandProblem("\n".join(missing))
    if command.include is None or not topics_regex(command.include):
        raise CommandProblem(f"{_NO_TOPICS} ({_NO_TOPICS_HINT})")
    assert command.consumer is not None, "looked at before"
    assert command.producer is not None, "looked at before"
    source, target = _client_file(command.consumer), _client_file(command.producer)
    consumer = mm1_consumer(source, streams=command.streams)
    producer = mm1_producer(target)
    problems = (*_command_problems(command), *source.found.problems, *target.found.problems)
    warnings = (
        *_command_warnings(command),
        *consumer.warnings,
        *source.found.warnings,
        *target.found.warnings,
    )
    if problems:
        raise ConfigError(problems, warnings)
    return Mm1Config(
        group=consumer.group,
        topics=topics_regex(command.include),
        streams=command.streams,
        commit_interval_ms=command.commit_interval_ms,
        abort_on_send_failure=_is_true(command.abort_on_send_failure),
        one_by_one=sends_one_by_one(target),
        consumer=consumer.properties,
        producer=producer,
        warnings=warnings,
    )


def _client_file(path: Path) -> ClientFile:
    found = Findings(str(path))
    entries = entries_of(path, properties_of(path, read_text(path)), found)
    return ClientFile(name=str(path), entries=entries, found=found)


def _is_true(text: str) -> bool:
    return text.lower() == "true"


def _command_problems(command: Mm1Command) -> tuple[Problem, ...]:
    found = [_of_command(name, text, _REFUSED[name]) for name, text in command.refused]
    if command.abort_on_send_failure.lower() not in {"true", "false"}:
        text = command.abort_on_send_failure
        found.append(_of_command("abort.on.send.failure", text, "expected true or false"))
    return tuple(found)


def _command_warnings(command: Mm1Command) -> tuple[Problem, ...]:
    if command.abort_on_send_failure.lower() != "false":
        return ()
    why = "data loss is possible: a record that cannot be sent is left out, and counted"
    return (_of_command("abort.on.send.failure", command.abort_on_send_failure, why),)


def _of_command(name: str, text: str, expected: str) -> Problem:
    return Problem(where=COMMAND_LINE, key=f"--{name}", value=text, expected=expected)
