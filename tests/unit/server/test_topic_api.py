"""Who may see records, and what of a topic cannot be asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from kmirror.api.client import ApiClient
from kmirror.errors import ApiRefused
from kmirror.events.console import RECORDS_READ
from kmirror.events.emit import Occurrence, subscribed
from tests.support.console_server import FILE, serving_console

RECORDS = "/flows/A-%3EB/records?topic=topic-0000&partition=0"


def test_who_may_see_records(tmp_path: Path) -> None:
    """A viewer may not, in the layer; nobody may, where the file says so."""
    path = "/api/v1/flows/A-%3EB/topics/topic-0000/partitions/0/records"
    with serving_console(tmp_path, role="viewer") as client:
        assert client.get(path).status == 403
        assert client.get(RECORDS).status == 403
        assert "Records</a>" not in client.get("/flows/A-%3EB/topics/topic-0000").text
    shut = FILE + "kmirror.console.records.role = none\n"
    with serving_console(tmp_path, file=shut) as client:
        with pytest.raises(ApiRefused, match=r"kmirror\.console\.records\.role") as refused:
            ApiClient(client.base).records("A->B", "topic-0000", 0)
        assert refused.value.status == 403
        assert "Records</a>" not in client.get("/flows/A-%3EB/topics/topic-0000").text


def test_who_looks_is_told_of(tmp_path: Path) -> None:
    """Each look is an event; of whoever follows, one a minute."""
    seen: list[Occurrence] = []
    with serving_console(tmp_path) as client, subscribed(seen.append):
        parts = client.with_headers(X_Kmirror_Part="1")
        assert 'data-every="0.0"' in parts.get(RECORDS).text
        parts.get(RECORDS)
        for _ in range(2):
            assert 'data-every="5.0"' in parts.get(f"{RECORDS}&follow=true").text
    told = [each for each in seen if each.event is RECORDS_READ]
    assert [str(each.fields["partition"]) for each in told] == ["0"] * 3


def test_no_cluster_is_asked_for_what_is_no_topic(tmp_path: Path) -> None:
    """Its offsets cannot be there, and clients of Kafka refuse such a name with a trace."""
    with serving_console(tmp_path) as client:
        for topic in ("a%00b", "a%20b", "..", "x" * 250):
            for place in ("offset=5", "at=earliest", "offset=5&side=target"):
                query = f"topic={topic}&partition=0&{place}"
                found = client.get(f"/api/v1/flows/A-%3EB/offsets?{query}")
                assert (found.status, found.json["error_code"]) == (404, 404), query
                assert "no topic can be called" in found.json["message"]


def test_what_cannot_be_asked(tmp_path: Path) -> None:
    """Of topics that the flow does not copy nobody sees records here."""
    with serving_console(tmp_path) as client:
        api = ApiClient(client.base)
        with pytest.raises(ApiRefused, match="does not copy a topic connect-configs"):
            api.records("A->B", "connect-configs", 0)
        with pytest.raises(ApiRefused, match="at: yesterday: expected earliest, latest"):
            api.records("A->B", "topic-0000", 0, at="yesterday")
        with pytest.raises(ApiRefused, match="side: expected source or target"):
            api.records("A->B", "topic-0000", 0, at="5", side="middle")
        with pytest.raises(ApiRefused, match="cluster") as refused:
            api.records("A->B", "topic-0000", 0)
        assert refused.value.status == 503
        with pytest.raises(ApiRefused, match="cluster") as refused:
            api.explain("A->B", "topic-0000")
        assert refused.value.status == 503
