"""A connector's file, as `connect-standalone` takes it: properties or JSON (KIP-1021)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from kmirror.config.lines import properties_of, read_text, unusable
from kmirror.errors import Problem

# A setting's name; JSON's own escapes have no place in one.
_NAME = re.compile(r'"([^"\\]+)"\s*:')
_EXPECTED = "expected a connector's settings, such as name and connector.class"
_STATES = ("RUNNING", "PAUSED", "STOPPED")


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectorFile:
    """
    What a connector's file says.

    Args:
        name: The connector's name.
        config: Its settings.
        initial_state: What it shall do at first: RUNNING, PAUSED or STOPPED.
        path: The file.
        lines: Which of its lines has which setting.
    """

    name: str
    config: Mapping[str, str]
    path: Path
    initial_state: str = "RUNNING"
    lines: Mapping[str, int] = field(default_factory=dict)

    def placed(self, problem: Problem) -> Problem:
        """Return a problem of the connector with the line that it is about, or else the file."""
        line = self.lines.get(problem.key)
        return replace(problem, where=str(self.path) if line is None else f"{self.path}:{line}")


def read_connector_file(path: Path) -> ConnectorFile:
    """
    Read a connector's file.

    Args:
        path: Properties; or JSON, either of the settings alone or of what is posted to a worker.

    Raises:
        ConfigError: It is none.
    """
    text = read_text(path)
    if text.lstrip("\ufeff \t\r\n").startswith("{"):
        return _from_json(path, text.lstrip("\ufeff"))
    items = properties_of(path, text)
    found = _checked(path, {item.key: item.value for item in items}, "RUNNING")
    return replace(found, lines={item.key: item.line for item in items})


def _from_json(path: Path, text: str) -> ConnectorFile:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise unusable(f"{path}:1", f"is no JSON: {error}") from error
    placed = {
        match[1]: number
        for number, line in enumerate(text.splitlines(), 1)
        for match in _NAME.finditer(line)
    }
    match found:
        case {"name": str(name), "config": dict(config)}:
            state = found.get("initial_state", "RUNNING")
            if not isinstance(state, str) or state.upper() not in _STATES:
                raise unusable(f"{path}:1", f"initial_state: expected one of {', '.join(_STATES)}")
            settings = {"name": name, **_texts(path, config)}
            return replace(_checked(path, settings, state.upper()), lines=placed)
        case dict():
            return replace(_checked(path, _texts(path, found), "RUNNING"), lines=placed)
    raise unusable(f"{path}:1", _EXPECTED)


def _texts(path: Path, config: Mapping[str, object]) -> dict[str, str]:
    """Return the settings as texts: Connect takes a JSON number or truth value for its text."""
    found = {}
    for key, value in config.items():
        if isinstance(value, dict | list) or value is None:
            raise unusable(f"{path}:1", f"{key}: expected a text")
        found[key] = value if isinstance(value, str) else json.dumps(value)
    return found


def _checked(path: Path, config: Mapping[str, str], state: str) -> ConnectorFile:
    name = config.get("name", "").strip()
    if not name or "connector.class" not in config:
        raise unusable(f"{path}:1", _EXPECTED)
    return ConnectorFile(name=name, config={**config, "name": name}, path=path, initial_state=state)
