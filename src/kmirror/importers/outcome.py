"""What became of a setting of another system."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from kmirror.config.secret import HIDDEN
from kmirror.errors import Problem
from kmirror.importers.setting import Setting


class Fate(StrEnum):
    """Whether kmirror does what the setting says."""

    EQUAL = "equal"
    DIFFERENT = "different"
    UNSUPPORTED = "not supported"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """
    A setting, and what became of it.

    Args:
        setting: Where it came from.
        fate: Whether kmirror does what it says.
        lines: The keys of the lines that it became.
        says: How it differs, or why there is none and what to do instead.
    """

    setting: Setting
    fate: Fate
    lines: tuple[str, ...] = ()
    says: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """
    A line of the properties file.

    Args:
        key: Its key.
        text: Its value.
        because: Why it is there, for a line that no setting asked for.
        setting: The setting that asked for it.
        secret: Whether the value must not be shown.
        refused: Why kmirror would not start with it; then it is written as a comment.
        is_old: The setting has an old name, and gives way to one with today's.
    """

    key: str
    text: str = field(repr=False)
    because: str = ""
    setting: Setting | None = None
    secret: bool = False
    refused: str = ""
    is_old: bool = False

    @property
    def shown(self) -> str:
        """The value, for people."""
        return HIDDEN if self.secret else self.text


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """
    A properties file and its report.

    Args:
        aliases: The clusters, in the order of the file.
        lines: The file.
        outcomes: What became of each setting, in the order of the files.
        remarks: What else there is to know or do.
        problems: Why kmirror does not start with the file all the same.
    """

    aliases: tuple[str, ...]
    lines: tuple[Line, ...]
    outcomes: tuple[Outcome, ...]
    remarks: tuple[str, ...]
    problems: tuple[Problem, ...]

    @property
    def complete(self) -> bool:
        """Whether everything is supported."""
        refused = any(line.refused for line in self.lines)
        return not refused and all(each.fate is not Fate.UNSUPPORTED for each in self.outcomes)
