"""What the file says, line by line, and what was found wrong with it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from kmirror.config.hiding import without_secrets
from kmirror.config.keys.table import is_secret, is_secret_name
from kmirror.config.secret import HIDDEN
from kmirror.errors import Problem


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """
    One key of the file. It keeps its line when it is renamed.

    Args:
        key: As written.
        text: The value, references expanded.
        where: `file:line`, or `connector NAME` for what was posted.
        secret: Never show the value.
    """

    key: str
    text: str = field(repr=False)
    where: str
    secret: bool = False

    @property
    def shown(self) -> str:
        """The value, for people."""
        return HIDDEN if self.secret else self.text

    def problem(self, expected: str) -> Problem:
        """Return a Problem with this line; what *expected* quotes of a secret is hidden."""
        # Who reads passwords and logins quotes none of them, and names options that a login has.
        if self.secret and not is_secret_name(self.key):
            expected = without_secrets(expected, (self.text,))
        key = HIDDEN if is_secret("", self.key) else self.key
        return Problem(where=self.where, key=key, value=self.shown, expected=expected)


# The properties of a file, or of one client, by name.
Entries = dict[str, Entry]


class Findings:
    """Collects everything that is wrong or doubtful; the same thing twice counts once."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._problems: dict[Problem, None] = {}
        self._warnings: dict[Problem, None] = {}
        self._refused: set[tuple[str, str]] = set()

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What makes the file unusable, by line."""
        return by_line(self._problems)

    @property
    def warnings(self) -> tuple[Problem, ...]:
        """What the user should know, one for each line."""
        lines: dict[Problem, list[str]] = {}
        for problem in self._warnings:
            lines.setdefault(replace(problem, expected=""), []).append(problem.expected)
        return by_line(replace(line, expected="; ".join(said)) for line, said in lines.items())

    def of(self, where: str) -> Findings:
        """Return what was found at one place."""
        found = Findings(where)
        found._problems = {each: None for each in self._problems if each.where == where}
        found._warnings = {each: None for each in self._warnings if each.where == where}
        return found

    def wrong(self, entry: Entry, expected: str) -> None:
        """Add a problem with *entry*: the file cannot be used."""
        if (entry.where, entry.key) not in self._refused:
            self._problems[entry.problem(expected)] = None

    def refused(self, entry: Entry, why: str) -> None:
        """Add a problem with *entry*, whose value cannot be read and is not judged."""
        self.wrong(entry, why)
        self._refused.add((entry.where, entry.key))

    def doubt(self, entry: Entry, expected: str) -> None:
        """Add a warning about *entry*: the file can be used."""
        if (entry.where, entry.key) not in self._refused:
            self._warnings[entry.problem(expected)] = None

    def missing(self, key: str, expected: str, near: Entry | None = None) -> None:
        """Add a problem: the file lacks *key*; *near* is the line that asks for it."""
        where = self._path if near is None else near.where
        if near is not None and near.secret:
            key, expected = (without_secrets(each, (near.text,)) for each in (key, expected))
        self._problems[Problem(where=where, key=key, value=None, expected=expected)] = None


def by_line(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Return *problems* in the order of the file."""

    def line(problem: Problem) -> int:
        number = problem.where.rpartition(":")[2]
        return int(number) if number.isdecimal() else 0

    return tuple(sorted(problems, key=line))
