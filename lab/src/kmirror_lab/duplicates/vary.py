"""Playing a scenario several times with one thing that is different."""

from __future__ import annotations

from dataclasses import replace

from kmirror.errors import ConfigError, Problem
from kmirror_lab.duplicates.scenario import Scenario, with_line
from kmirror_lab.duplicates.step import CHANGES, Step, Verb, read_step

_RECORDS = "records"
_KEYS = (_RECORDS, "record.bytes", "partitions", "keys", "lasts")
_TRAFFIC = Verb.TRAFFIC.value
_AT_FIRST = (*CHANGES, _TRAFFIC)
_MIRROR = "mirror."
_OPTION = "--vary"


def read_vary(text: str) -> tuple[str, tuple[str, ...]]:
    """
    Read `KEY=VALUE,VALUE`.

    Raises:
        ConfigError: It is none.
    """
    key, equals, rest = text.partition("=")
    values = tuple(value.strip() for value in rest.split(","))
    if not key.strip() or not equals or not all(values):
        raise _wrong(text, None, "a key and its values are needed, as rate=200kbit,1mbit")
    return key.strip(), values


def varied(scenario: Scenario, key: str, value: str) -> Scenario:
    """
    Return a scenario with another value for one of its lines, or for the link it begins with.

    What was foretold of MirrorMaker was so for the file's values: nothing is any more.

    Args:
        scenario: What it is like.
        key: A key of a scenario's file, or what is done to the link at 0 s: `rate`, `traffic`, ….
        value: What it shall be.

    Raises:
        ConfigError: There is no such key, or the value is wrong.
    """
    if not (key in _AT_FIRST or key in _KEYS or key.startswith(_MIRROR)):
        known = ", ".join((*_AT_FIRST, *_KEYS))
        raise _wrong(key, value, f"one of {known}, or {_MIRROR}KEY, is needed")
    try:
        if key in _AT_FIRST:
            changed = replace(scenario, steps=_steps(scenario, key, value))
        else:
            kept = [line for line in scenario.mirror if f"{_MIRROR}{line[0]}" != key]
            changed = with_line(replace(scenario, mirror=tuple(kept)), key, value)
    except ValueError as error:
        raise _wrong(key, value, str(error)) from None
    late = next((step for step in changed.steps if step.at_s > changed.seconds), None)
    if late is not None:
        raise _wrong(key, value, f"`{late.text}` would come after the end")
    shown = f"{scenario.name} {key.removeprefix(_MIRROR)}={value}"
    return replace(
        changed,
        name=shown,
        changes=(*scenario.changes, (key, value)),
        effects=None,
        effects_1=None,
    )


def with_records(scenario: Scenario, count: int) -> Scenario:
    """Return the same scenario with another number of records, and what was foretold of it."""
    changes = (*scenario.changes, (_RECORDS, str(count)))
    return replace(scenario, records=count, changes=changes)


def _steps(scenario: Scenario, key: str, value: str) -> tuple[Step, ...]:
    """Change every step at the beginning that sets *key*; without any, make one."""
    steps, found = [], False
    for step in scenario.steps:
        # `traffic` is its own verb: `traffic 8`, but `set rate 1mbit`.
        words = step.text.split()
        named = words if key == _TRAFFIC else words[1:] if step.verb is Verb.SET else []
        if step.at_s == 0 and key in named[::2]:
            found = True
            words[words.index(key) + 1] = value
            steps.append(read_step(0, " ".join(words)))
        else:
            steps.append(step)
    if found:
        return tuple(steps)
    if key != _TRAFFIC:
        return (read_step(0, f"set {key} {value}"), *steps)
    # Others come when the link is what it shall be.
    made = [*steps, read_step(0, f"{key} {value}")]
    return tuple(sorted(made, key=lambda step: step.at_s))


def _wrong(key: str, value: str | None, expected: str) -> ConfigError:
    return ConfigError((Problem(where=_OPTION, key=key, value=value, expected=expected),))
