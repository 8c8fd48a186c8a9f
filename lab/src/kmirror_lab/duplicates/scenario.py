"""A scenario: a plain file that says what happens to a mirror, and what comes of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from kmirror.config import properties
from kmirror.errors import ConfigError, Problem
from kmirror_lab.duplicates.result import Effect, Peer
from kmirror_lab.duplicates.step import Step, read_step
from kmirror_lab.net import link_units

FOLDER = Path(__file__).with_name("scenarios")
RECORD_BYTES_MIN = 12
_SUFFIX = ".properties"
_MIRROR, _AT = "mirror.", "at."


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """
    What is done to a mirror.

    Args:
        name: Its file's name.
        says: What it shows, in a sentence.
        mirror: Lines of the mirror's properties file.
        steps: What is done to link and mirror, in the order of time; those of the beginning are
            done before the first record is written.
        effects: What MirrorMaker 2 is expected to do; nothing is "no harm", `None` that nothing
            is foretold.
        effects_1: The same of MirrorMaker 1; `None` when nothing is foretold.
        records: How many are written.
        record_bytes: The length of each value.
        partitions: Of the topic.
        keys: Whether records have keys.
        seconds: When it ends at the latest.
        waits: Whether it goes on until then even when everything has arrived before.
        asked: By what it was found, its name or its file.
        changes: What of its file is changed.
    """

    name: str
    says: str = ""
    mirror: tuple[tuple[str, str], ...] = ()
    steps: tuple[Step, ...] = ()
    effects: frozenset[Effect] | None = frozenset()
    effects_1: frozenset[Effect] | None = None
    records: int = 20_000
    record_bytes: int = 188
    partitions: int = 1
    keys: bool = True
    seconds: float = 45.0
    waits: bool = False
    asked: str = ""
    changes: tuple[tuple[str, str], ...] = ()

    def wanted(self, peer: Peer) -> frozenset[Effect] | None:
        """Say what is expected of a mirror: of kmirror no harm, always."""
        match peer:
            case Peer.MIRROR_MAKER:
                return self.effects
            case Peer.MIRROR_MAKER_1:
                return self.effects_1
            case Peer.KMIRROR:
                return frozenset()


def names(folder: Path = FOLDER) -> list[str]:
    """Name the scenarios that are there."""
    return sorted(path.stem for path in folder.glob(f"*{_SUFFIX}"))


def find_scenario(name: str, folder: Path = FOLDER) -> Scenario:
    """
    Read the scenario of that name, or of that file.

    Raises:
        ConfigError: There is none, or its file is wrong.
    """
    path = Path(name) if name.endswith(_SUFFIX) else folder / f"{name}{_SUFFIX}"
    try:
        content = path.read_bytes()
    except OSError:
        expected = f"there is no such scenario; there are {', '.join(names(folder))}"
        raise ConfigError((_problem(str(path), "scenario", name, expected),)) from None
    found = read_scenario(path.stem, properties.decode(content), path.name)
    return replace(found, asked=name)


def read_scenario(name: str, text: str, where: str = "scenario") -> Scenario:
    """
    Read a scenario's file.

    Args:
        name: What it is called.
        text: The file.
        where: Its name, for messages.

    Raises:
        ConfigError: It is wrong; all that is wrong is named at once.
    """
    scenario = Scenario(name=name)
    problems: list[Problem] = []
    try:
        lines = properties.read(text)
    except properties.MalformedProperties as error:
        wrong = _problem(f"{where}:{error.line}", "", None, str(error))
        raise ConfigError((wrong,)) from None
    for line in lines:
        try:
            scenario = with_line(scenario, line.key, line.value.strip())
        except ValueError as error:
            problems.append(
                _problem(f"{where}:{line.line}", line.key, line.value.strip(), str(error))
            )
    if not scenario.says:
        problems.append(_problem(where, "says", None, "a sentence on what it shows is needed"))
    for step in scenario.steps:
        if step.at_s > scenario.seconds:
            key = f"{_AT}{link_units.show_duration(step.at_s)}"
            late = f"later than the end, which is after {scenario.seconds:g} s"
            problems.append(_problem(where, key, step.text, late))
    if problems:
        raise ConfigError(tuple(problems))
    return replace(scenario, steps=tuple(sorted(scenario.steps, key=lambda step: step.at_s)))


def _problem(where: str, key: str, value: str | None, expected: str) -> Problem:
    return Problem(where=where, key=key, value=value, expected=expected)


def with_line(scenario: Scenario, key: str, value: str) -> Scenario:
    """
    Return a scenario with one line more.

    Raises:
        ValueError: The line is wrong; the message says what would be right.
    """
    if key.startswith(_MIRROR):
        return replace(scenario, mirror=(*scenario.mirror, (key.removeprefix(_MIRROR), value)))
    if key.startswith(_AT):
        step = read_step(link_units.duration_s(key.removeprefix(_AT)), value)
        return replace(scenario, steps=(*scenario.steps, step))
    if key not in _READERS:
        raise ValueError(f"no such key; there are {', '.join(_READERS)}, {_AT}TIME, {_MIRROR}KEY")
    field, read = _READERS[key]
    return replace(scenario, **{field: read(value)})


def _text(value: str) -> str:
    if not value:
        raise ValueError("a sentence is needed")
    return value


def _whole(least: int, most: int) -> Callable[[str], int]:
    def read(value: str) -> int:
        if not value.isdecimal() or not least <= int(value) <= most:
            raise ValueError(f"a whole number from {least} to {most} is needed")
        return int(value)

    return read


def _seconds(value: str) -> float:
    found = link_units.duration_s(value)
    if not 1 <= found <= 3600:
        raise ValueError("a duration from 1s to 3600s is needed")
    return found


def _until(value: str) -> bool:
    if value not in ("arrived", "end"):
        raise ValueError("`arrived` or `end` is needed")
    return value == "end"


def _keys(value: str) -> bool:
    if value not in ("yes", "no"):
        raise ValueError("`yes` or `no` is needed")
    return value == "yes"


def _effects(value: str) -> frozenset[Effect]:
    words = [word.strip() for word in value.split(",")]
    if words == ["no harm"]:
        return frozenset()
    unknown = next((word for word in words if word not in set(Effect)), None)
    if unknown is not None:
        raise ValueError(f"`no harm`, or some of {', '.join(Effect)}, is needed")
    return frozenset(map(Effect, words))


_READERS: dict[str, tuple[str, Callable[[str], Any]]] = {
    "says": ("says", _text),
    "mm2": ("effects", _effects),
    "mm1": ("effects_1", _effects),
    "records": ("records", _whole(1, 10_000_000)),
    "record.bytes": ("record_bytes", _whole(RECORD_BYTES_MIN, 1_000_000)),
    "partitions": ("partitions", _whole(1, 1_000)),
    "keys": ("keys", _keys),
    "lasts": ("seconds", _seconds),
    "until": ("waits", _until),
}
