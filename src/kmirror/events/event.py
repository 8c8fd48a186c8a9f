"""A kind of event: its name, its line, and what an operator makes of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from string import Formatter

from kmirror.units import size


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """
    One row of the table of events.

    Args:
        name: The noun that it happens to, a dot, and what happens.
        level: One of `logging`'s; `None` where whoever wrote the line says it each time.
        text: The log line, with fields in braces. Besides Python's own formats there are `size`
            (bytes for people), `or OTHERWISE` (what stands for a value that is not known), `count`
            (how many there are) and `are` (names with the verb that follows them).
        more: Fields that the line does not show.
        meaning: What has happened.
        action: What to do; empty when there is nothing.
    """

    name: str
    level: int | None
    text: str
    more: tuple[str, ...] = ()
    meaning: str
    action: str = ""

    @property
    def fields(self) -> frozenset[str]:
        """What an event of this kind always carries."""
        shown = (name for _, name, _, _ in Formatter().parse(self.text) if name is not None)
        return frozenset((*shown, *self.more))

    def text_for(self, fields: Mapping[str, object]) -> str:
        """
        Give the line for people.

        Args:
            fields: The values.
        """
        return _LINES.vformat(self.text, (), fields)


class _Lines(Formatter):
    """Python's formats, and ours."""

    def format_field(self, value: object, format_spec: str) -> str:
        if format_spec.startswith("or "):
            return format_spec.removeprefix("or ") if value is None else str(value)
        if format_spec == "size" and isinstance(value, int | float):
            return size(value)
        if isinstance(value, Sequence) and not isinstance(value, str):
            return _listed([str(each) for each in value], format_spec)
        return format(value, format_spec)


def _listed(names: Sequence[str], form: str) -> str:
    if form == "count":
        return str(len(names))
    if form == "are":
        return " and ".join(names) + (" is" if len(names) == 1 else " are")
    return ", ".join(names)


_LINES = _Lines()
