"""
What Kafka's own Connect worker says of settings: recorded, so it can be compared without one.

`python -m tests.support.connect_answers` asks a worker of the lab's Kafka all recorded questions
again, and writes what it says now. Texts of documentation are left out: they are Kafka's.
"""

from __future__ import annotations

import json
import tempfile
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from kmirror_lab.cluster.cluster import Cluster, started
from kmirror_lab.cluster.connect_worker import connect_settings, connect_worker, start_and_wait
from kmirror_lab.process.ports import LOOPBACK, free_ports

from tests.support.connect_files import EXAMPLES

ANSWERS = EXAMPLES / "answers.json"
# The worker that is asked has no config providers, and lets connectors override everything.
_POLICY, _REFERENCE = "All", "${env:"
_ANSWER_S_MAX = 60
_MESSAGE_MAX = 200
_PLUGIN_PREFIXES = ("transforms.", "predicates.", "producer.override.")


def recorded() -> dict[str, Any]:
    """Give the questions, with what was answered."""
    content: dict[str, Any] = json.loads(ANSWERS.read_text(encoding="utf-8"))
    return content


def settings_of(case: dict[str, Any], base: dict[str, Any]) -> dict[str, Any]:
    """Give all settings of a question, which keeps only those that differ from the usual ones."""
    return {
        **{name: text for name, text in base.items() if name not in case["absent"]},
        **case["changed"],
    }


@contextmanager
def kafkas_worker(bootstrap: str, folder: Path) -> Iterator[str]:
    """
    Run Kafka's own worker, alone in a group of its own, and give its address.

    Args:
        bootstrap: Of the cluster that keeps its topics.
        folder: For its file and its log.
    """
    (port,) = free_ports(1)
    settings = connect_settings(bootstrap, group="answers") | {
        f"{kind}.storage.topic": f"answers-{kind}" for kind in ("config", "offset", "status")
    }
    with connect_worker(settings, folder, port=port) as worker:
        start_and_wait(worker, port=port)
        yield f"http://{LOOPBACK}:{port}"


def can_be_asked(case: dict[str, Any]) -> bool:
    """Whether the worker would be asked the same."""
    return case["policy"] == _POLICY and _REFERENCE not in json.dumps(case["changed"])


def ask(worker: str, case: dict[str, Any], base: dict[str, Any]) -> dict[str, Any]:
    """
    Ask a worker to validate settings.

    Args:
        worker: Its address.
        case: The question.
        base: The usual settings.

    Returns:
        The question, with today's answer.
    """
    question = {name: case[name] for name in ("plugin", "policy", "changed", "absent")}
    path = f"/connector-plugins/{case['plugin']}/config/validate"
    status, answer = _call(worker, "PUT", path, settings_of(case, base))
    if status != 200:
        return {**question, "status": status, "message": answer["message"][:_MESSAGE_MAX]}
    values = {each["value"]["name"]: each for each in answer["configs"]}
    return {
        **question,
        "status": status,
        "error_count": answer["error_count"],
        "groups": answer["groups"],
        "names": len(answer["configs"]),
        "values": {
            name: [each["value"]["value"], each["value"]["errors"]]
            for name, each in values.items()
            if name in case["changed"]
            or each["value"]["errors"]
            or each["definition"] is None
            or name.startswith(_PLUGIN_PREFIXES)
            or ".converter." in name
        },
        "undefined": [name for name, each in values.items() if each["definition"] is None],
    }


def definitions(worker: str, plugin: str) -> list[dict[str, Any]]:
    """Ask a worker for the settings that a plugin has."""
    status, answer = _call(worker, "GET", f"/connector-plugins/{plugin}/config")
    assert status == 200, plugin
    return [
        {name: text for name, text in each.items() if name != "documentation"} for each in answer
    ]


def plugins(worker: str) -> list[dict[str, Any]]:
    """Ask a worker for its plugins."""
    _, answer = _call(worker, "GET", "/connector-plugins?connectorsOnly=false")
    found: list[dict[str, Any]] = answer
    return found


def _call(worker: str, method: str, path: str, body: Any = None) -> tuple[int, Any]:
    request = urllib.request.Request(
        f"{worker}{path}",
        data=None if body is None else json.dumps(body).encode(),
        method=method,
        headers={"Content-Type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request, timeout=_ANSWER_S_MAX) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def _write(content: dict[str, Any]) -> None:
    """Write one item a line, so that a difference can be read."""
    parts = []
    for name, value in content.items():
        text = json.dumps(value, separators=(",", ":"))
        if isinstance(value, list):
            items = ",\n".join(json.dumps(each, separators=(",", ":")) for each in value)
            text = f"[\n{items}\n]"
        parts.append(f"{json.dumps(name)}:{text}")
    ANSWERS.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")


def main() -> None:
    """Record again."""
    content = recorded()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        cluster = Cluster("W", folder)
        with started(cluster), kafkas_worker(cluster.bootstrap, folder) as worker:
            content["plugins"] = plugins(worker)
            content["configs"] = {name: definitions(worker, name) for name in content["configs"]}
            content["cases"] = [
                ask(worker, case, content["base"]) if can_be_asked(case) else case
                for case in content["cases"]
            ]
    _write(content)


if __name__ == "__main__":
    main()
