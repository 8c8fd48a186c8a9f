"""Writes docs/events.md from the table of events: `python -m kmirror.events.docs`."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from typing import get_type_hints

from kmirror.events.event import Event
from kmirror.events.fields import LINE, Fields
from kmirror.events.table import EVENTS

_INTRODUCTION = """# Events

Everything that `kmirror run` logs is an event of this table. With `--log-format json` each is one
JSON object on one line of standard error; here with a break, to be read:

```json
{"time": "2026-01-12T17:56:16.838Z", "level": "WARNING", "event": "topic.gone", "flow": "A->B",
"topic": "orders", "message": "A->B: orders is no longer to be seen on the source (…)"}
```

`time` is UTC, `message` is the line that `--log-format text` writes, and names of events and fields
stay as they are from version to version. A field whose value is not known is left out. An error has
its text in `error` and its class in `error_class`; one that nobody foresaw has its trace in
`exception`, and it is still one line. Secrets are never shown. Two things are not JSON: what is
wrong with the command line, and the last word (`kmirror: interrupted …`) of a process that did not
end in time and was ended at once.
"""


def events_page() -> str:
    """Write the whole page, in Markdown."""
    parts = (_INTRODUCTION, "\n".join(_events()), "\n".join(_fields()))
    return "\n".join(f"{part.rstrip()}\n" for part in parts)


def _events() -> Iterator[str]:
    yield "## By name\n"
    yield "| event | level | line | other fields | meaning | what to do |"
    yield "|---|---|---|---|---|---|"
    for event in sorted(EVENTS, key=lambda each: each.name):
        level = "as it says" if event.level is None else logging.getLevelName(event.level)
        line = "as it came" if event.text == f"{{{LINE}}}" else f"`{event.text}`"
        yield (
            f"| `{event.name}` | {level} | {line} | {_more(event)} | {event.meaning} | "
            f"{event.action} |"
        )
    yield ""


def _more(event: Event) -> str:
    return ", ".join(f"`{name}`" for name in event.more)


def _fields() -> Iterator[str]:
    yield "## Fields\n"
    yield "| field | type | meaning |"
    yield "|---|---|---|"
    for name, hint in get_type_hints(Fields, include_extras=True).items():
        if name != LINE:
            kind, (meaning,) = hint.__origin__, hint.__metadata__
            yield f"| `{name}` | {_kind(kind)} | {meaning} |"


def _kind(kind: object) -> str:
    """Name the type as JSON does."""
    text = str(kind)
    if "Sequence" in text:
        return "list"
    return "number" if {"int", "float"} & set(text.replace("'", " ").split()) else "text"


if __name__ == "__main__":
    sys.stdout.write(events_page())
