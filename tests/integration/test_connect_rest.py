"""Connect's own worker and ours are asked the same; what differs is in docs/connect-rest.md."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from kmirror_lab.cluster.cluster import Cluster, started
from kmirror_lab.cluster.connect_worker import connect_settings, connect_worker, start_and_wait
from kmirror_lab.process.ports import LOOPBACK, free_ports

from tests.support.connect_calls import Depth, RestCall, rest_calls
from tests.support.connect_process import start_worker
from tests.support.rest_server import Reply, RestClient

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

PAGE = Path(__file__).parents[2] / "docs" / "connect-rest.md"
ADDRESS = re.compile(r"127\.0\.0\.1:\d+")
# Of the worker itself.
OWN = {"commit", "kafka_cluster_id"}
Answers = Mapping[str, object]


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> tuple[Answers, Answers]:
    """Ask both, one after the other."""
    folder = tmp_path_factory.mktemp("rest")
    cluster = Cluster("rest", folder)
    with started(cluster):
        calls = rest_calls(cluster.bootstrap)
        (port,) = free_ports(1)
        settings = connect_settings(cluster.bootstrap)
        with connect_worker(settings, folder / "theirs", port=port) as worker:
            start_and_wait(worker, port=port)
            theirs = asked(RestClient(base=f"http://{LOOPBACK}:{port}"), calls)
        ours = start_worker(folder / "ours", own_settings(settings))
        try:
            ours.wait_until_ready()
            return theirs, asked(RestClient(base=ours.base), calls)
        finally:
            ours.driver.kill()


def own_settings(settings: Mapping[str, str]) -> list[str]:
    """Give the lines of a worker that does not know what the other one had."""
    return [
        f"{name} = kmirror-{text}" if name.endswith(("group.id", ".topic")) else f"{name} = {text}"
        for name, text in settings.items()
    ]


def asked(client: RestClient, calls: tuple[RestCall, ...]) -> Answers:
    """Give the answers, by the requests' names."""
    found = {}
    for call in calls:
        reply = client.call(call.method, call.path, call.body, call.headers)
        assert call.name not in found, call.name
        found[call.name] = compared(reply, call.depth)
    return found


def compared(reply: Reply, depth: Depth) -> object:
    """Give what is compared of an answer: without addresses, and what is a worker's own."""
    if depth is Depth.STATUS:
        return reply.status
    body = reply.json if reply.text.startswith(("{", "[")) else ""
    headers = (
        ADDRESS.sub("HERE", reply.headers.get("location", "")),
        # Connect's errors of HTTP itself do not say what they are.
        reply.headers.get("content-type", "application/json" if body else "").partition(";")[0],
        sorted(each.strip() for each in reply.headers.get("allow", "").split(","))
        if reply.status == 200
        else "",
    )
    return reply.status, headers, shape(body) if depth is Depth.SHAPE else plain(body)


def plain(body: Any) -> Any:
    """Leave out what no two workers have in common, and the order of names."""
    if isinstance(body, dict):
        return {name: "…" if name in OWN else plain(each) for name, each in body.items()}
    if isinstance(body, list):
        items = [plain(each) for each in body]
        return sorted(items) if all(isinstance(each, str) for each in items) else items
    return ADDRESS.sub("HERE", body) if isinstance(body, str) else body


def shape(body: Any) -> Any:
    """Give names and types alone; of a list, those of its first item."""
    if isinstance(body, dict):
        return {name: shape(each) for name, each in body.items()}
    if isinstance(body, list):
        return [shape(each) for each in body[:1]]
    return type(body).__name__


def listed() -> dict[str, tuple[str, str]]:
    """Give what the page says differs: the first part of a name, and both answers."""
    rows = re.findall(
        r"^\| `([\w-]+)` \| ([^|]*) \| ([^|]*) \|", PAGE.read_text("utf-8"), re.MULTILINE
    )
    return {name: (theirs, ours) for name, theirs, ours in rows}


def test_what_differs_is_listed(answers: tuple[Answers, Answers]) -> None:
    """Each difference is in the table with its reason, and no row is there in vain."""
    theirs, ours = answers
    different = {name for name in theirs if theirs[name] != ours[name]}
    unlisted = {name for name in different if name.partition(".")[0] not in listed()}
    assert not unlisted, "\n".join(
        f"{name}\n  {theirs[name]}\n  {ours[name]}" for name in sorted(unlisted)
    )
    assert {name.partition(".")[0] for name in different} == listed().keys()
    same = {name for name in theirs if name.partition(".")[0] in listed()} - different
    assert not same, f"listed, and the same: {sorted(same)}"


def test_statuses_that_differ_are_as_listed(answers: tuple[Answers, Answers]) -> None:
    """A row that begins with a status says it of all its requests."""
    theirs, ours = answers
    for name in theirs:
        row = listed().get(name.partition(".")[0])
        if row is not None:
            for said, found in zip(row, (theirs[name], ours[name]), strict=True):
                status = found[0] if isinstance(found, tuple) else found
                if said[:3].isdigit():
                    assert str(status) in said, name
