"""
Files of Kafka Connect, where `mm2.properties` is expected: known again, and said in its words.

MirrorMaker 2 also runs as three connectors of a Connect cluster. Then there is a worker's file, and
a JSON text for each connector, or a properties file of it. `kmirror connect` takes them as they
are. Their settings have a place in the driver's file, too; nobody has to find out which.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from kmirror.config.keys.table import CLIENT_NAMES, is_secret_name
from kmirror.config.place import ARROW
from kmirror.config.properties import Property
from kmirror.config.resolve import ROLES
from kmirror.config.secret import HIDDEN

_MM2_PACKAGE = "org.apache.kafka.connect.mirror."
_CONNECTORS = ("MirrorSourceConnector", "MirrorCheckpointConnector", "MirrorHeartbeatConnector")
_WORKER_SIGNS = frozenset(
    {
        "config.storage.topic",
        "offset.storage.file.filename",
        "offset.storage.topic",
        "status.storage.topic",
    }
)
_WORKER_NAMES = ("offset.storage.topic", "offset.storage.partitions")
# What these say is in the flow's own key, or always so.
_SAID_BY_THE_FLOW = frozenset(
    {"connector.class", "name", "source.cluster.alias", "target.cluster.alias", "enabled"}
)
_EXPECTED = "expected MirrorMaker 2's properties file, with lines such as clusters = A, B"
_INDENT = "\n      "


def misplaced_json(text: str) -> str | None:
    """
    Say what a JSON text is, and what to write instead.

    Args:
        text: The whole file.

    Returns:
        For the operator; None for what is no JSON text.
    """
    if not text.lstrip("\ufeff \t\r\n").startswith("{"):
        return None
    try:
        content = json.loads(text.lstrip("\ufeff"))
    except (ValueError, RecursionError):
        content = {}
    config = content.get("config", content)
    if not isinstance(config, dict) or not isinstance(config.get("connector.class"), str):
        return f"is JSON; {_EXPECTED}"
    settings = {name: _text(value) for name, value in config.items() if value is not None}
    if "name" not in settings and isinstance(content.get("name"), str):
        settings["name"] = content["name"]
    return _misplaced_connector(settings)


def misplaced_properties(items: Sequence[Property]) -> tuple[int, str] | None:
    """
    Say what a properties file is that is none of the driver's, and what to write instead.

    Args:
        items: The lines of the file.

    Returns:
        The line that tells it, and words for the operator; None for what may be the driver's file.
    """
    settings = {item.key: item.value for item in items}
    lines = {item.key: item.line for item in items}
    if "clusters" in settings or any(ARROW in name for name in settings):
        return None
    if "connector.class" in settings:
        return lines["connector.class"], _misplaced_connector(settings)
    signs = sorted(lines[name] for name in _WORKER_SIGNS & settings.keys())
    return (signs[0], _misplaced_worker(settings)) if signs else None


def is_worker_file(items: Sequence[Property], *, with_connectors: bool = False) -> bool:
    """
    Tell whether a file is that of a Connect worker, as far as its keys say so.

    Args:
        items: Its lines; none for a file that cannot be read.
        with_connectors: Files of connectors stand behind it: then any that is not the driver's is.
    """
    if driver_file(items) is not None:
        return False
    return with_connectors or not _WORKER_SIGNS.isdisjoint(item.key for item in items)


def driver_file(items: Sequence[Property]) -> tuple[int, str] | None:
    """
    Say of the driver's file, where that of a Connect worker is expected, what it is.

    Args:
        items: The lines of the file.

    Returns:
        The line that tells it, and words for the operator; None for what may be a worker's file.
    """
    for item in items:
        if item.key == "clusters" or ARROW in item.key:
            return item.line, (
                "is MirrorMaker 2's properties file, and no Connect worker's: write kmirror run "
                "in place of kmirror connect"
            )
        if item.key == "connector.class":
            return item.line, (
                "is a connector's file; expected the worker's, with lines such as "
                "bootstrap.servers = B:9092, and connectors' files behind it with --standalone"
            )
    return None


def _misplaced_connector(settings: Mapping[str, str]) -> str:
    kind = settings["connector.class"].strip().removeprefix(_MM2_PACKAGE)
    if kind not in _CONNECTORS:
        return f"is a connector for Kafka Connect, and none of MirrorMaker 2's: {kind}; {_EXPECTED}"
    if "clusters" in settings:
        what = f"is MirrorMaker 2's properties file, posted to Kafka Connect as a {kind}; expected"
        kept = {name: text for name, text in settings.items() if name not in _SAID_BY_THE_FLOW}
        return _with_lines(f"{what} a file with these lines:", kept.items())
    return _with_lines(
        f"is a {kind} for Kafka Connect: `kmirror connect` takes it. Here, {_EXPECTED}. It has all "
        "flows and no connectors. The same in that file:",
        _driver_lines(settings, kind),
    )


def _driver_lines(settings: Mapping[str, str], kind: str) -> Iterator[tuple[str, str]]:
    """Return the lines of the driver's file that replace a connector."""
    source = settings.get("source.cluster.alias", "").strip() or "source"
    target = settings.get("target.cluster.alias", "").strip() or "target"
    flow = f"{source}{ARROW}{target}"
    yield "clusters", f"{source}, {target}"
    yield f"{flow}.enabled", "true"
    if kind == _CONNECTORS[0]:
        # The two parts of where it has left its positions.
        yield f"{flow}.name", settings.get("name", kind)
        yield f"{target}.offset.storage.topic", "…, as in the file of the Connect workers"
    for name, text in settings.items():
        if name in _SAID_BY_THE_FLOW:
            continue
        for end, alias in (("source.cluster.", source), ("target.cluster.", target)):
            if name.startswith(end):
                yield f"{alias}.{name.removeprefix(end)}", text
                break
        else:
            yield f"{flow}.{name}", text


def _misplaced_worker(settings: Mapping[str, str]) -> str:
    kept = [
        (f"T.{name}", text)
        for name, text in settings.items()
        if name in CLIENT_NAMES or name in _WORKER_NAMES or name.startswith(ROLES)
    ]
    return _with_lines(
        f"is the file of a Kafka Connect worker: `kmirror connect` takes it. Here, {_EXPECTED}. "
        "What counts of this one there, T being the alias of the cluster that it writes to:",
        kept,
    )


def _with_lines(words: str, lines: Iterable[tuple[str, str]]) -> str:
    shown = (f"{name} = {_shown(name, text)}" for name, text in lines)
    return _INDENT.join((words, *shown))


def _shown(name: str, text: str) -> str:
    """Return a value as a properties file writes it."""
    if is_secret_name(name):
        return HIDDEN
    return text.replace("\\", "\\\\").replace("\n", "\\n")


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
