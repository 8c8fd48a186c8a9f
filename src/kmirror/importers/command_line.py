"""Command lines of other systems, as they stand in a shell script."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from kmirror.importers.setting import Setting, SourceFile, check_size, wrong

# What ends a command: the rest of the line is the shell's.
_ENDS = frozenset({"&", "&&", "|", "||", ";", ">", ">>", "<", "2>", "2>&1", "2>/dev/null"})


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandLine:
    """
    A command with its options.

    Args:
        program: Its first word.
        options: In order, without the dashes; a flag has an empty value.
        where: The line on which it begins.
    """

    program: str
    options: tuple[Setting, ...]
    where: str

    def option(self, *names: str) -> Setting | None:
        """Return the last option with one of these names."""
        found = [each for each in self.options if each.key in names]
        return found[-1] if found else None

    def text(self, *names: str) -> str | None:
        """Return the value of the last option with one of these names."""
        found = self.option(*names)
        return None if found is None else found.text


def command_lines(
    file: SourceFile, programs: Collection[str], flags: Collection[str]
) -> Iterator[CommandLine]:
    """
    Find the commands of a script that run some program.

    Args:
        file: The script.
        programs: How their first words end.
        flags: Options that have no value.

    Raises:
        ConfigError: A quote of such a command is not closed.
    """
    check_size(file)
    for number, line in _joined(file.text):
        if not any(program in line for program in programs):
            continue
        where = f"{file.name}:{number}"
        try:
            words = shlex.split(line, comments=True)
        except ValueError as problem:
            raise wrong(where, "command", f"cannot be read: {problem}") from problem
        starts = [at for at, word in enumerate(words) if word.endswith(tuple(programs))]
        for at in starts[:1]:
            yield CommandLine(
                program=words[at],
                options=tuple(_options(words[at + 1 :], where, flags)),
                where=where,
            )


def _joined(text: str) -> Iterator[tuple[int, str]]:
    """Return the lines, those that end with a backslash together with the next."""
    pending, start = "", 0
    for number, line in enumerate(text.split("\n"), 1):
        start = start if pending else number
        if line.rstrip().endswith("\\"):
            pending += line.rstrip()[:-1] + " "
            continue
        yield start, pending + line
        pending = ""
    if pending:
        yield start, pending


def _options(words: list[str], where: str, flags: Collection[str]) -> Iterator[Setting]:
    at = 0
    while at < len(words) and words[at] not in _ENDS:
        word = words[at]
        at += 1
        if not word.startswith("-"):
            continue
        name, equals, value = word.lstrip("-").partition("=")
        if not equals and name not in flags and at < len(words) and words[at] not in _ENDS:
            value = words[at]
            at += 1
        yield Setting(key=name, text=value, where=where)
