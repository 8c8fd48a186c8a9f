"""
YAML, with the line of every value.

Nodes are composed and never constructed: no tag makes an object. Aliases are followed within a
budget, since ten lines of them may stand for billions of values.
"""

from __future__ import annotations

import yaml

from kmirror.importers.setting import SourceFile, check_size, wrong
from kmirror.importers.tree import DEPTH_MAX, Budget, Node, too_deep

_TAG = "tag:yaml.org,2002:"
_TRUE = frozenset({"true", "yes", "on", "y"})


def read_yaml(file: SourceFile) -> tuple[Node, ...]:
    """
    Read the documents of a YAML file; empty ones are left out.

    Raises:
        ConfigError: It is none, is too large or too deep, or a mapping has a name twice.
    """
    check_size(file)
    budget = Budget(file.name)
    try:
        _check_depth(file)
        documents = list(yaml.compose_all(file.text, Loader=yaml.SafeLoader))
    except yaml.MarkedYAMLError as problem:
        mark = problem.problem_mark or problem.context_mark
        where = file.name if mark is None else f"{file.name}:{mark.line + 1}"
        raise wrong(where, "file", f"is no YAML: {problem.problem}") from None
    except yaml.YAMLError as problem:
        raise wrong(file.name, "file", f"is no YAML: {problem}") from None
    reader = _Reader(file.name, budget)
    nodes = (reader.node(document, "", 0) for document in documents if document is not None)
    return tuple(node for node in nodes if node.value is not None)


def _check_depth(file: SourceFile) -> None:
    """Count levels before anything is composed, which PyYAML does by calling itself."""
    depth = 0
    for event in yaml.parse(file.text, Loader=yaml.SafeLoader):
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > DEPTH_MAX:
            raise too_deep(file.name)


class _Reader:
    def __init__(self, file: str, budget: Budget) -> None:
        self._file = file
        self._budget = budget

    def node(self, found: yaml.Node, key: str, depth: int) -> Node:
        self._budget.take(depth)
        where = self._where(found)
        if isinstance(found, yaml.MappingNode):
            return Node(key=key, where=where, value=self._mapping(found, depth))
        if isinstance(found, yaml.SequenceNode):
            items = tuple(self.node(item, key, depth + 1) for item in found.value)
            return Node(key=key, where=where, value=items)
        return Node(key=key, where=where, value=_text(found))

    def _mapping(self, found: yaml.MappingNode, depth: int) -> dict[str, Node]:
        members: dict[str, Node] = {}
        for name, value in found.value:
            where = self._where(name)
            if not isinstance(name, yaml.ScalarNode):
                raise wrong(where, "file", "expected a name before the colon")
            if name.tag == f"{_TAG}merge":
                raise wrong(where, "<<", "merged mappings are not read: write them out")
            if name.value in members:
                raise wrong(where, name.value, "is there twice: remove one")
            members[name.value] = self.node(value, name.value, depth + 1)
        return members

    def _where(self, found: yaml.Node) -> str:
        return f"{self._file}:{found.start_mark.line + 1}"


def _text(found: yaml.Node) -> str | None:
    """Return a scalar as Kafka would be given it: as written, but `yes` is `true`."""
    text = str(found.value)
    if found.tag == f"{_TAG}null":
        return None
    if found.tag == f"{_TAG}bool":
        return "true" if text.lower() in _TRUE else "false"
    return text
