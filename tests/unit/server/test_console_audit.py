"""The console's pages and API of audits and canaries, of flows that never ran."""

from __future__ import annotations

import csv
import io
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from kmirror.api.audits import Audited
from kmirror.api.canaries import CanaryVerdict
from kmirror.api.client import ApiClient
from kmirror.audit.page_data import data_of
from kmirror.audit.seal import check_seal
from kmirror.audit.standing import FlowStanding
from kmirror.config.flows import FlowConfig
from kmirror.console import audit_report
from kmirror.errors import ApiRefused, ClusterUnavailable
from kmirror.model import TopicPartition
from kmirror.wire.audit_windows import AuditVerdict
from tests.support.console_server import AB, FILE, serving_console
from tests.support.rest_server import RestClient
from tests.support.synthetic_audit import audited

EVIL = "<img src=x onerror=alert(1)>"
SAME = AuditVerdict.IDENTICAL
AUDIT = "/audit/A-%3EB"
_ON = "A->B.kmirror.audit.enabled = true\nA->B.kmirror.canary.enabled = true\n"


def standing(config: FlowConfig) -> FlowStanding:
    """Tell what is known of a flow; the other one's cluster does not answer."""
    if config.flow != AB:
        raise ClusterUnavailable("cluster A: no answer")
    return audited(
        AB,
        {
            TopicPartition("topic-0000", 0): [SAME, SAME],
            TopicPartition("topic-0000", 1): [SAME, AuditVerdict.MISSING, AuditVerdict.EXTRA],
            TopicPartition(EVIL, 0): [AuditVerdict.UNDECIDABLE],
        },
        now_ms=time.time_ns() // 1_000_000,
        words=EVIL,
    )


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RestClient]:
    """Serve a console of audits."""
    folder = tmp_path_factory.mktemp("console")
    with serving_console(folder, stand=standing, file=FILE + _ON) as client:
        yield client


@pytest.fixture(scope="module")
def parts(served: RestClient) -> RestClient:
    """Give a client that asks for the parts of pages, as pages do."""
    return served.with_headers(X_Kmirror_Part="1")


@pytest.fixture(scope="module")
def api(served: RestClient) -> ApiClient:
    """Give a client of the API."""
    return ApiClient(served.base)


def test_the_api_tells_of_all_flows(api: ApiClient) -> None:
    """What a cluster does not tell of one flow keeps nobody from the others."""
    good, ill = api.audits()
    assert (good.flow, good.verdict, good.is_on) == ("A->B", Audited.DIFFERENT, True)
    assert (good.windows.identical, good.windows.missing, good.windows.extra) == (3, 1, 1)
    assert (
        good.words == "1 undecidable, 1 missing, 1 extra; 3,000 offsets are copied and not audited"
    )
    assert (good.by, good.bytes_per_s_max, good.interval_s) == ("ann@host", 3_000_000, 60)
    assert good.caught_up_ms is not None
    assert (ill.verdict, ill.error) == (Audited.UNKNOWN, "cluster A: no answer")
    assert ill.off_words == "it is switched off"
    assert api.audit("A->B").share == good.share
    with pytest.raises(ApiRefused, match="cluster A") as refused:
        api.audit("B->A")
    assert refused.value.status == 503


def test_the_api_tells_of_topics_and_windows(api: ApiClient) -> None:
    """The worst first, and as few as were asked for."""
    assert [each.topic for each in api.audit_topics("A->B").topics] == ["topic-0000", EVIL]
    topic = api.audit_topic("A->B", "topic-0000")
    assert (topic.copy, topic.partitions, topic.windows.identical) == ("A.topic-0000", 2, 3)
    assert api.audit_topic("A->B", EVIL).verdict is Audited.UNDECIDABLE
    with pytest.raises(ApiRefused) as refused:
        api.audit_topic("A->B", "none")
    assert refused.value.status == 404
    partitions = api.audit_partitions("A->B")
    assert [each.partition for each in partitions.partitions] == [1, 0, 0]
    first = partitions.partitions[0]
    assert [(each.start, each.end) for each in first.identical] == [(0, 1000)]
    assert (first.safe_to_delete_before, first.audited_to, first.copied_to) == (1000, 3000, 4000)
    assert api.audit_partitions("A->B", verdict="identical").total == 1
    assert api.audit_partitions("A->B", topic="topic-0000", offset=1, limit=1).total == 2
    windows = api.audit_windows("A->B", verdict="open")
    assert [each.verdict.value for each in windows.windows] == ["missing", "extra", "undecidable"]
    assert (windows.windows[0].offset, windows.windows[0].copy_offset) == (1007, None)
    assert api.audit_windows("A->B", verdict="identical", text="TOPIC-0000-0").total == 2
    assert api.audit_windows("A->B", limit=0).windows == ()


def test_the_first_page_asks_for_its_parts(served: RestClient, parts: RestClient) -> None:
    """It is there at once; each flow is asked for alone, and says what it is about."""
    page = served.get("/audit").text
    assert page.count('aria-busy="true"') == 2
    loads = re.findall(r'data-load="([^"]+)"', page)
    assert loads == ["/audit?flow=A-%3EB", "/audit?flow=B-%3EA"]
    asked = parts.get(loads[0]).text
    assert "1 missing, 1 extra" in asked
    assert "Download the unsigned report" in asked
    ill = parts.get(loads[1]).text
    assert "cluster A: no answer" in ill
    assert "B-&gt;A.kmirror.audit.enabled = true" in ill


def test_a_flows_page(parts: RestClient) -> None:
    """Bands whose windows lead to their rows; what is asked for is listed, and no more."""
    page = parts.get(AUDIT).text
    row = re.search(r'href="#(w-topic-0000-1-1000)"', page)
    assert row is not None
    assert f'id="{row[1]}"' in page
    assert page.count('class="why"') == 3
    assert "1,007" in page
    # Where it differs leads to the records there, of the side that has one.
    assert 'partition=1&amp;at=1007&amp;side=source&amp;window=1000"' in page
    assert 'partition=1&amp;at=2008&amp;side=target&amp;window=2000"' in page
    few = parts.get(f"{AUDIT}/topics/topic-0000?windows=identical&q=topic-0000-0").text
    assert "2 windows, those that differ first" in few
    assert "1 partition, the worst first" in few
    good = parts.get(f"{AUDIT}?q=topic-0000-0").text
    assert "No window like that that is not identical" in good
    assert parts.get("/audit/X").status == 404
    assert "copies no topic none" in parts.get(f"{AUDIT}/topics/none").text
    assert parts.get(f"{AUDIT}?offset=x").status == 400


def test_hostile_words_are_words(served: RestClient, parts: RestClient) -> None:
    """Of topics, of reasons, in addresses, in tables for programs and in reports."""
    evil = "%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E"
    for path in (AUDIT, f"{AUDIT}/topics/{evil}?windows=all", f"{AUDIT}?q={evil}", "/canary"):
        page = parts.get(path).text
        assert "<img" not in page, path
        assert not re.search(r"\sstyle=|\son\w+=\"", page)
    assert "&lt;img src=x onerror" in parts.get(AUDIT).text
    assert "<img src=x" not in served.get(f"{AUDIT}/report.html").text


def test_a_table_for_programs(served: RestClient, parts: RestClient) -> None:
    """All windows that a view lists."""
    page = parts.get(f"{AUDIT}?windows=all&q=topic").text
    link = re.search(r'href="(/audit/[^"]*windows\.csv[^"]*)"', page)
    assert link is not None
    reply = served.get(link[1].replace("&amp;", "&"))
    rows = list(csv.DictReader(io.StringIO(reply.text)))
    assert [row["verdict"] for row in rows] == ["missing", "extra", *["identical"] * 3]
    assert served.get("/audit/B-%3EA/windows.csv").status == 503
    assert served.get("/audit/X/windows.csv").status == 404


def test_a_report(served: RestClient, tmp_path: Path) -> None:
    """Signed where the file has a key, and as everybody can check; otherwise it says that not."""
    reply = served.get(f"{AUDIT}/report.html")
    assert 'attachment; filename="kmirror-audit-A-B.html"' in reply.headers["content-disposition"]
    assert check_seal(reply.text.encode()) is None
    assert "Not signed" in reply.text
    path = tmp_path / "key.pem"
    form = (Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    path.write_bytes(Ed25519PrivateKey.generate().private_bytes(*form))
    file = f"{FILE}kmirror.console.report.key = {path}\n"
    with serving_console(tmp_path, stand=standing, file=file) as client:
        page = client.get(f"{AUDIT}/report.html").text.encode()
        asked = client.with_headers(X_Kmirror_Part="1").get(AUDIT).text
        assert ApiClient(client.base).audit("A->B").is_signed
        path.unlink()
    seal = check_seal(page)
    assert seal is not None
    assert seal.is_valid
    data = data_of(page)
    assert data is not None
    assert data["flows"][0]["windows_kept"]["missing"] == 1
    assert "Download the signed report" in asked
    # A key that is not there: that is said, and no unsigned page is given for a signed one.
    with serving_console(tmp_path, stand=standing, file=file) as client:
        refused = client.get(f"{AUDIT}/report.html")
    assert refused.status == 503
    assert "cannot be read" in refused.text


def test_where_nothing_draws(parts: RestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages with plots are an extra: without it the page says so, and gives none."""
    monkeypatch.setattr(audit_report, "_DRAWS", "a_library_that_is_not_there")
    page = parts.get(AUDIT).text
    assert "pip install 'kmirror[pages]'" in page
    assert "report.html" not in page


def test_canaries(served: RestClient, api: ApiClient) -> None:
    """What they have seen; and how to have one."""
    first, second = api.canaries()
    assert (first.verdict, first.is_on) == (CanaryVerdict.OK, True)
    assert first.seen is not None
    assert (first.seen.consumed, first.seen.lost) == (1, 0)
    assert api.canary("A->B").topic == "__kmirror-canary-A-B"
    assert not second.is_on
    with pytest.raises(ApiRefused) as refused:
        api.canary("X")
    assert refused.value.status == 404
    page = served.get("/canary").text
    assert "1 record arrived, each once and in order" in page
    assert "≤ 100 ms" in page


def test_a_canary_that_is_off(tmp_path: Path) -> None:
    """It says how to switch it on; where there can be none, why."""
    sql = "B->A.kmirror.where = value is not null\n"
    with serving_console(tmp_path, (), file=FILE + sql) as client:
        page = client.get("/canary").text
        assert "A-&gt;B.kmirror.canary.enabled = true" in page
        assert "B-&gt;A.kmirror.canary.enabled" not in page
        assert "drops or changes records" in page
        first, second = ApiClient(client.base).canaries()
        assert {first.verdict, second.verdict} == {CanaryVerdict.OFF}


def test_without_an_audit(tmp_path: Path) -> None:
    """Nothing is said to be identical that nobody has compared."""

    def nothing(config: FlowConfig) -> FlowStanding:
        return audited(config.flow, {TopicPartition("t", 0): []}, now_ms=1)

    with serving_console(tmp_path, stand=nothing) as client:
        found = ApiClient(client.base).audit("A->B")
        assert (found.verdict, found.last_ms, found.share) == (Audited.NOTHING, None, 0.0)
        page = client.with_headers(X_Kmirror_Part="1").get("/audit").text
        assert "Nothing was audited yet" in page
        assert "kmirror audit run FILE" in page
        assert "pill ok" not in page
