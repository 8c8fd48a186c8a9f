"""Audits: what is identical, what is not, and what is therefore safe to delete on the source."""

from __future__ import annotations

import json
import secrets
import urllib.request
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from kmirror_lab.fixtures import ClusterPair

from kmirror.api.audits import Audited
from kmirror.api.client import ApiClient
from kmirror.model import Flow
from kmirror.wire.offset_runs import CHUNK_RECORDS_MAX
from tests.support.bounded import copy_once
from tests.support.commands import audit, status, verify
from tests.support.driver import DriverFactory, serving
from tests.support.faulty_copy import Fault, write_faulty_copy, write_source
from tests.support.mirror_file import flow_lines, mirror_file
from tests.support.records import delete_before, numbered, record, write, write_transactions

pytestmark = [pytest.mark.kafka, pytest.mark.spark]


def test_safe_to_delete_before(
    kafka_pair: ClusterPair, warm_driver: DriverFactory, tmp_path: Path
) -> None:
    """Nothing before a recorded comparison; then up to its end, over several of them."""
    name = f"audit{secrets.token_hex(3)}"
    clusters = {f"S{name}": kafka_pair.a, f"T{name}": kafka_pair.b}
    flow = f"S{name}->T{name}"
    file = mirror_file(tmp_path, clusters, *flow_lines(flow, name))

    def safe() -> list[int | None]:
        """Give what both answers say."""
        partition: dict[str, Any] = json.loads(status(file, flow, name, "--json").text)
        (topic,) = json.loads(status(file, flow, "--json").text)["topics"]
        found: list[int | None] = topic["safe_to_delete_before"]
        assert found == [partition["safe_to_delete_before"]]
        return found

    write(kafka_pair.a, kafka_pair.a.create_topic(name), numbered(name, range(100)))
    copy_once(warm_driver, file)
    assert verify(file).code == 0
    assert safe() == [None]
    assert verify(file, "--record").code == 0
    assert safe() == [100]
    assert "100" in status(file, flow, name).text

    # Records that are not copied, or not audited, are not safe.
    write(kafka_pair.a, name, numbered(name, range(100, 150)))
    assert verify(file, "--record").code == 6
    assert safe() == [100]
    copy_once(warm_driver, file)
    assert safe() == [100]
    delete_before(kafka_pair.a, name, 60)
    assert safe() == [100]
    assert verify(file, "--record").code == 0
    assert safe() == [150]
    # What differs takes back what was found.
    write(kafka_pair.b, f"S{name}.{name}", numbered("foreign", range(1)))
    assert verify(file, "--record").code == 1
    assert safe() == [None]


def test_an_audit_goes_on_where_it_was(
    kafka_pair: ClusterPair, warm_driver: DriverFactory, tmp_path: Path
) -> None:
    """Windows follow each other; a foreign record is in one of them, and stands until it is not."""
    name = f"windows{secrets.token_hex(3)}"
    clusters = {f"S{name}": kafka_pair.a, f"T{name}": kafka_pair.b}
    flow = f"S{name}->T{name}"
    file = mirror_file(tmp_path, clusters, *flow_lines(flow, name))
    copy = f"S{name}.{name}"

    def windows() -> list[tuple[int, int, str]]:
        found = json.loads(audit("status", file, flow, "--json").text)["windows"]
        return [(each["start"], each["end"], each["verdict"]) for each in found]

    write(kafka_pair.a, kafka_pair.a.create_topic(name), numbered(name, range(100)))
    copy_once(warm_driver, file)
    assert "nothing was audited" in audit("status", file).text
    done = audit("run", file)
    assert (done.code, windows()) == (0, [(0, 100, "identical")]), done.text
    (topic,) = json.loads(status(file, flow, "--json").text)["topics"]
    assert topic["safe_to_delete_before"] == [100]

    write(kafka_pair.a, name, numbered(name, range(100, 150)))
    copy_once(warm_driver, file)
    write(kafka_pair.b, copy, numbered("foreign", range(1)))
    write(kafka_pair.a, name, numbered(name, range(150, 160)))
    copy_once(warm_driver, file)
    done = audit("run", file)
    assert done.code == 1, done.text
    assert windows() == [(0, 100, "identical"), (100, 160, "extra")]
    assert "1 record from target offset" in done.text
    assert audit("status", file).code == 1
    (topic,) = json.loads(status(file, flow, "--json").text)["topics"]
    assert topic["safe_to_delete_before"] == [100]
    # It is the target's record that is too many: the same again finds the same.
    assert audit("run", file, "--again").code == 1
    assert windows() == [(0, 160, "extra")]


# A lane tells the map of whole chunks within a second or two, and of the rest within minutes.
@pytest.mark.parametrize(("count", "aborted"), [(100, 0), (100, 10), (2 * CHUNK_RECORDS_MAX, 0)])
def test_what_a_running_flow_has_just_copied_is_audited(
    kafka_pair: ClusterPair, warm_driver: DriverFactory, tmp_path: Path, count: int, aborted: int
) -> None:
    """The exact offset map gets it minutes later; nothing of it is undecidable until then."""
    name = f"just{secrets.token_hex(3)}"
    flow = f"S{name}->T{name}"
    clusters = {f"S{name}": kafka_pair.a, f"T{name}": kafka_pair.b}
    file = mirror_file(tmp_path, clusters, *flow_lines(flow, name))
    kafka_pair.a.create_topic(name)
    if aborted:
        write_transactions(kafka_pair.a, name, [(numbered("aborted", range(aborted)), False)])
    write(kafka_pair.a, name, [record(b"%d" % number) for number in range(count)])
    end = count + (aborted + 1 if aborted else 0)  # and the marker
    driver = warm_driver(file)
    copies = {name: f"S{name}.{name}"}
    driver.wait_until_caught_up(*kafka_pair, copies, flow=Flow(f"S{name}", f"T{name}"))
    done = audit("run", file)
    assert done.code == 0, done.text
    found = json.loads(audit("status", file, flow, "--json").text)["windows"]
    assert (found[0]["start"], found[-1]["end"]) == (0, end)
    assert {each["verdict"] for each in found} == {"identical"}
    assert driver.stop() == 0


def test_a_running_flow_is_audited(
    kafka_pair: ClusterPair, warm_driver: DriverFactory, tmp_path: Path
) -> None:
    """What somebody else writes to a copy is found while the flow copies, and named in the log."""
    name = f"live{secrets.token_hex(3)}"
    clusters = {f"S{name}": kafka_pair.a, f"T{name}": kafka_pair.b}
    flow = f"S{name}->T{name}"
    audited = ("kmirror.audit.enabled = true", "kmirror.audit.interval.seconds = 1")
    console = "kmirror.console = 127.0.0.1:0"
    file = mirror_file(tmp_path, clusters, *flow_lines(flow, name, *audited), console)
    write(kafka_pair.a, kafka_pair.a.create_topic(name), numbered(name, range(100)))
    driver = warm_driver(file)
    driver.wait_for_line("all that is copied is audited")
    assert audit("status", file).code == 0
    write(kafka_pair.b, f"S{name}.{name}", numbered("foreign", range(1)))
    write(kafka_pair.a, name, numbered(name, range(100, 110)))
    line = driver.wait_for_line(r"NOT identical from source offset 100 on")
    assert "1 record from target offset" in line
    assert audit("status", file).code == 1
    seen = ApiClient(driver.wait_for_address("the console is at")).audit(flow)
    assert (seen.verdict, seen.windows.extra, seen.is_on) == (Audited.DIFFERENT, 1, True)
    assert driver.stop() == 0
    driver.check_log()
    # The target keeps it: a console that no driver serves knows it, too.
    with serving("console", file) as address:
        alone = ApiClient(address)
        after = alone.audit(flow)
        (window,) = alone.audit_windows(flow, verdict="open").windows
        with urllib.request.urlopen(f"{address}/audit/{quote(flow)}/report.html") as report:
            assert b"NOT identical: 1 window" in report.read()
    assert (after.verdict, after.windows.extra, after.caught_up_ms) == (Audited.DIFFERENT, 1, None)
    assert (window.verdict.value, window.kind) == ("extra", "extra")
    assert f"from target offset {window.copy_offset}" in line
    assert (after.by, after.share) == (seen.by, 1.0)


# 10^7 takes minutes.
@pytest.mark.parametrize(
    "count", [1_000_000, pytest.param(10_000_000, marks=pytest.mark.long)], ids=["1e6", "1e7"]
)
def test_single_records_are_found_and_named(
    kafka_pair: ClusterPair, tmp_path: Path, count: int
) -> None:
    """One that is flipped, dropped, doubled or out of order, each in a window of its own."""
    name = f"faults{secrets.token_hex(3)}"
    clusters = {f"S{name}": kafka_pair.a, f"T{name}": kafka_pair.b}
    file = mirror_file(
        tmp_path,
        clusters,
        *flow_lines(f"S{name}->T{name}", name, "kmirror.audit.window.records = 50000"),
    )
    at = [count * part // 5 + 7 for part in range(1, 5)]
    faults = [
        Fault("flip", at[0]),
        Fault("drop", at[1]),
        Fault("double", at[2]),
        Fault("reorder", at[3]),
    ]
    write_source(kafka_pair.a, kafka_pair.a.create_topic(name), count)
    write_faulty_copy(file, kafka_pair.b, name, count, faults)
    done = audit("run", file)
    assert done.code == 1, done.text
    answer = json.loads(audit("status", file, "--json").text)
    assert [each["audited_to"] for each in answer["partitions"]] == [count]
    found = [each for each in answer["windows"] if each["verdict"] != "identical"]
    assert [(each["verdict"], each["kind"], each["offset"]) for each in found] == [
        ("different", "value", at[0]),
        ("missing", "missing", at[1]),
        ("extra", "extra", at[2] + 1),
        ("different", "reordered", at[3]),
    ]
    assert all(each["start"] <= each["offset"] < each["end"] for each in found)
    assert all(each["end"] - each["start"] <= 50_000 for each in found)
