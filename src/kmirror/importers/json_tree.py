"""JSON, with the path of every value."""

from __future__ import annotations

import json
import re
from typing import Any

from kmirror.importers.setting import SourceFile, check_size, wrong
from kmirror.importers.tree import Budget, Node, too_deep

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class _Pairs(list[tuple[str, Any]]):
    """The members of an object, before anybody has asked whether a name is there twice."""


def read_json(file: SourceFile) -> Node:
    """
    Read a JSON file.

    Raises:
        ConfigError: It is none, is too large or too deep, or an object has a name twice.
    """
    check_size(file)
    try:
        content = json.loads(
            file.text.lstrip("\ufeff"), object_pairs_hook=_Pairs, parse_int=str, parse_float=str
        )
    except json.JSONDecodeError as problem:
        raise wrong(f"{file.name}:{problem.lineno}", "file", f"is no JSON: {problem.msg}") from None
    except RecursionError:
        raise too_deep(file.name) from None
    return _Reader(file.name).node(content, "", "$", 0)


class _Reader:
    def __init__(self, file: str) -> None:
        self._file = file
        self._budget = Budget(file)

    def node(self, value: Any, key: str, path: str, depth: int) -> Node:
        self._budget.take(depth)
        where = f"{self._file} {path}"
        if isinstance(value, _Pairs):
            members: dict[str, Node] = {}
            for name, member in value:
                below = path + (f".{name}" if _PLAIN.fullmatch(name) else f"['{name}']")
                if name in members:
                    raise wrong(f"{self._file} {below}", name, "is there twice: remove one")
                members[name] = self.node(member, name, below, depth + 1)
            return Node(key=key, where=where, value=members)
        if isinstance(value, list):
            items = tuple(
                self.node(item, key, f"{path}[{at}]", depth + 1) for at, item in enumerate(value)
            )
            return Node(key=key, where=where, value=items)
        return Node(key=key, where=where, value=_text(value))


def _text(value: Any) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    return None if value is None else str(value)
