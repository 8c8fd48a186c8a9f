"""The table of events, and everything that uses it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from kmirror.events import (
    audits,
    canary,
    connect,
    console,
    consumers,
    deletions,
    gaps,
    metrics,
    mm1,
    nodes,
    poison,
    reloads,
    resolver,
    rest,
    run_record,
    starts,
    table,
    topic_acls,
    topic_settings,
)
from kmirror.events.docs import events_page
from kmirror.events.event import Event
from kmirror.events.fields import Fields
from kmirror.events.table import EVENTS

ROOT = Path(__file__).parents[3]
SOURCE = ROOT / "src" / "kmirror"
_MODULES = (
    canary,
    audits,
    connect,
    consumers,
    console,
    deletions,
    gaps,
    metrics,
    nodes,
    mm1,
    poison,
    reloads,
    resolver,
    rest,
    starts,
    run_record,
    table,
    topic_acls,
    topic_settings,
)
BY_CONSTANT = {
    name: each
    for module in _MODULES
    for name, each in vars(module).items()
    if isinstance(each, Event)
}
# Beside the event itself; see `emit`.
OPTIONS = {"level", "trace"}
LOGS = re.compile(r"(?:logging|_?log|_?logger)\.(?:debug|info|warning|error|exception|log)")


def _nodes() -> Iterator[tuple[str, ast.AST]]:
    for path in sorted(SOURCE.rglob("*.py")):
        if "events" not in path.relative_to(SOURCE).parts:
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                yield f"{path.relative_to(SOURCE)}:{getattr(node, 'lineno', 0)}", node


def _emitted() -> Iterator[tuple[str, ast.Call]]:
    for place, node in _nodes():
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "emit":
            yield place, node


def test_an_event_is_emitted_with_its_fields() -> None:
    """All of them and no others; it is named in the call itself, so that it can be found."""
    calls = list(_emitted())
    assert len(calls) >= len(EVENTS) - 1
    for place, call in calls:
        (named,) = call.args
        event = BY_CONSTANT.get(ast.unparse(named))
        assert event is not None, f"{place}: {ast.unparse(named)}"
        given = {keyword.arg for keyword in call.keywords}
        assert given - OPTIONS == event.fields, f"{place}: {event.name}"
        assert ("level" in given) is (event.level is None), f"{place}: {event.name}"


def test_every_event_is_used() -> None:
    """A row that nothing happens for would be looked for in vain."""
    used = {node.id for _, node in _nodes() if isinstance(node, ast.Name)}
    assert BY_CONSTANT.keys() - used == set()


def test_nothing_is_logged_past_the_table() -> None:
    """A line without an event cannot be counted, and nobody finds it in the documentation."""
    for place, node in _nodes():
        if isinstance(node, ast.Call):
            assert not LOGS.fullmatch(ast.unparse(node.func)), place


@pytest.mark.parametrize("event", EVENTS, ids=lambda each: each.name)
def test_a_row_is_complete(event: Event) -> None:
    """Its name is a noun and what happens to it; its fields are those that there are."""
    assert re.fullmatch(r"[a-z][a-z_]*\.[a-z]+", event.name)
    assert event.fields <= Fields.__annotations__.keys()
    assert not set(event.more) & {*re.findall(r"\{(\w+)", event.text)}
    for words in (event.meaning, event.action):
        assert not words or words.endswith("."), words
    assert event.meaning


def test_names_and_fields_are_used_once() -> None:
    """A constant is its event's name in capitals; a field that no event has means nothing."""
    assert len({event.name for event in EVENTS}) == len(EVENTS) == len(BY_CONSTANT)
    for constant, event in BY_CONSTANT.items():
        assert constant == event.name.replace(".", "_").upper()
    used = frozenset[str]().union(*(event.fields for event in EVENTS))
    assert Fields.__annotations__.keys() - used == set()
    given = {"time", "level", "event", "message", "error_class", "exception", "exc_info"}
    assert not given & Fields.__annotations__.keys(), "a JSON line has these by itself"


def test_the_page_is_current() -> None:
    """`python -m kmirror.events.docs > docs/events.md` writes it."""
    assert (ROOT / "docs" / "events.md").read_text(encoding="utf-8") == events_page()
