"""The properties file in the console: what is in effect, and what lies on disk."""

from __future__ import annotations

from pathlib import Path

import pytest
from kmirror_lab.process.waiting import wait_until

from kmirror.api.client import ApiClient
from kmirror.api.config import FileState
from kmirror.errors import ApiRefused
from tests.support.console_server import serving_console

FILE = """\
clusters = A, B
A.bootstrap.servers = 127.0.0.1:1
B.bootstrap.servers = 127.0.0.1:1
B.sasl.jaas.config = geheim
A->B.enabled = true
A->B.topics = topic-.*, <img src=x>
topics = other
groups.whitelist = billing
admin.timeout.ms = 1000
default.api.timeout.ms = 1000
request.timeout.ms = 500
"""
AB = "A->B"


def changed(folder: Path, old: str, new: str) -> None:
    """Change the file on disk."""
    path = folder / "mm2.properties"
    assert old in FILE
    path.write_text(FILE.replace(old, new), encoding="utf-8")


def test_what_is_in_effect(tmp_path: Path) -> None:
    """Each value has the line that says it; a secret one is hidden, and so is where files lie."""
    with serving_console(tmp_path, (), file=FILE) as client:
        api = ApiClient(client.base)
        view, settings = api.file(), api.settings(AB).settings
        page = client.get("/config?show=all").text
        texts = [client.get(f"/api/v1/{path}").text for path in ("config", "flows/A-%3EB/config")]
    assert (view.file, view.flows) == ("mm2.properties", (AB,))
    doubt = next(each for each in view.findings if each.key == "groups.whitelist")
    assert (doubt.where, doubt.is_wrong) == ("mm2.properties:8", False)
    assert "write groups" in doubt.words
    topics = next(each for each in settings if each.name == "topics")
    assert topics.line is not None
    assert (topics.set_by, topics.line.where) == ("flow", "mm2.properties:6")
    assert [each.where for each in topics.lost] == ["mm2.properties:7"]
    assert topics.doc
    jaas = [each for each in settings if each.name == "sasl.jaas.config"]
    assert {each.value for each in jaas} == {"[hidden]"}
    fetch = next(each for each in settings if each.name == "fetch.max.bytes")
    assert fetch.set_by == "kmirror"
    assert "Kafka's is" in fetch.why
    for text in (page, *texts):
        assert "geheim" not in text
        assert str(tmp_path) not in text
    assert "&lt;img src=x&gt;" in page
    assert "<img" not in page


def test_what_a_reload_would_change(tmp_path: Path) -> None:
    """By setting, with what takes effect at once; a secret is another one, and no more is said."""
    with serving_console(tmp_path, (), file=FILE) as client:
        api = ApiClient(client.base)
        assert api.file_changes().state is FileState.SAME
        changed(
            tmp_path, "geheim", "anders\nA->B.kmirror.slots = 3\nA->B.kmirror.slo.lag.seconds = 9"
        )
        asks = client.with_headers(X_Kmirror_Part="1")
        # An answer counts for two seconds.
        wait_until(
            lambda: api.file_changes().state is FileState.CHANGED, "read", timeout_s=30, pause_s=0.2
        )
        found = api.file_changes()
        page = asks.get("/config?flow=A-%3EB&disk=true").text
    (flow,) = found.flows
    assert flow.kind == "started again"
    by_name = {each.name: each for each in flow.fields}
    assert by_name["kmirror.slots"].after == "3"
    assert not by_name["kmirror.slots"].at_once
    assert by_name["B.producer.sasl.jaas.config"].after == "[hidden]"
    slo = by_name["kmirror.slo.lag.seconds"]
    assert (slo.before, slo.after, slo.at_once) == ("30", "9", True)
    assert "Slo(" not in page
    assert "flow starts again" in page
    assert "anders" not in page


def test_advice(tmp_path: Path) -> None:
    """As `kmirror tune` gives it; what is in doubt already is not told twice."""
    lines = "A.consumer.fetch.max.wait.ms = 60000\nconsumer.fetch.min.bytes = 5\n"
    with serving_console(tmp_path, (), file=FILE + lines) as client:
        api = ApiClient(client.base)
        found = api.advice(AB).advice
        page = client.with_headers(X_Kmirror_Part="1").get("/config?flow=A-%3EB&disk=true").text
        doubts = {each.where for each in api.file().findings}
    assert found[0].level == "danger"
    assert [each.where for each in found[0].lines] == ["", "mm2.properties:12"]
    assert not doubts & {line.where for each in found for line in each.lines}
    assert "A.consumer.fetch.max.wait.ms = 60000" in page
    assert "kmirror tune mm2.properties --measure" in page
    assert "geheim" not in page


@pytest.mark.parametrize(
    ("new", "words"),
    [
        ("A->B.enabled = maybe", "expected true or false"),
        ("A->B.enabled = true\nkmirror.spark.sql.x = 1", "needs a restart of the driver"),
    ],
)
def test_a_file_that_a_driver_would_refuse(tmp_path: Path, new: str, words: str) -> None:
    with serving_console(tmp_path, (), file=FILE) as client:
        changed(tmp_path, "A->B.enabled = true", new)
        asks = client.with_headers(X_Kmirror_Part="1")
        assert ApiClient(client.base).file_changes().state is FileState.REFUSED
        page = asks.get("/config?disk=true").text
    assert "A reload would be refused" in page
    assert words in page


def test_only_an_admin_reloads_and_applies(tmp_path: Path) -> None:
    """The layer refuses it; an admin is told who has not answered."""
    with serving_console(tmp_path, (), file=FILE, role="operator") as client:
        api = ApiClient(client.base)
        for order in (lambda: api.reload("x"), lambda: api.apply(AB, "x")):
            with pytest.raises(ApiRefused, match="needs the role admin") as refused:
                order()
            assert refused.value.status == 403
        assert "data-act" not in client.get("/config").text
    with serving_console(tmp_path, (), file=FILE) as client:
        api = ApiClient(client.base)
        assert 'data-act="reload"' in client.get("/config").text
        with pytest.raises(ApiRefused, match="say why"):
            api.reload(" ")
        done = api.reload("a new topic")
        assert (done.is_written, done.is_in_effect) == (False, False)
        assert "no driver has answered" in done.steps[-1]
        with pytest.raises(ApiRefused) as refused:
            api.apply(AB, "x")
        assert refused.value.status == 503
