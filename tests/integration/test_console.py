"""The console of a driver that copies, and one beside it that only asks the clusters."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from kmirror_lab.fixtures import ClusterPair
from kmirror_lab.process.waiting import wait_until
from playwright.sync_api import Browser, expect

from kmirror.api.client import ApiClient
from kmirror.api.config import FileState
from kmirror.api.flows import Origin
from kmirror.api.moves import MoveState, MoveVerb
from kmirror.api.orders import SeekRequest
from kmirror.api.plots import PlotRange
from kmirror.errors import ApiRefused
from kmirror.model import TopicPartition
from tests.support.chromium import NEEDS_CHROMIUM
from tests.support.console_page import console_page
from tests.support.driver import DriverFactory, serving
from tests.support.groups import commit, committed
from tests.support.mirror_file import flow_lines, mirror_file
from tests.support.records import numbered, read, write
from tests.support.rest_server import RestClient
from tests.support.served_console import (
    FLOW,
    Served,
    has_plots,
    is_caught_up,
    is_followed,
    moved_to_its_end,
    states,
)
from tests.support.topic_settings import change_settings, own_settings

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

TOPIC = "console-seen"
COPY = f"Sconsole.{TOPIC}"
OFFSET_MAP = "__kmirror-offsets-Sconsole-Tconsole"
_SEEN_S_MAX, _SURVEYED_S_MAX = 60.0, 120.0


@pytest.fixture(scope="module")
def served(
    kafka_pair: ClusterPair,
    warm_module_driver: DriverFactory,
    tmp_path_factory: pytest.TempPathFactory,
) -> Served:
    """Give a driver that copies a topic, follows a group, and serves a console."""
    a, b = kafka_pair
    a.create_topic(TOPIC, partitions=2)
    for number in range(2):
        write(a, TOPIC, numbered("first", range(500)), partition=number)
    commit(a, "console-billing", {TopicPartition(TOPIC, number): 10 for number in range(2)})
    file = mirror_file(
        tmp_path_factory.mktemp("console"),
        {"Sconsole": a, "Tconsole": b},
        *flow_lines(FLOW, TOPIC, "kmirror.slots = 2", "groups = console-.*"),
        "sync.group.offsets.enabled = true",
        "kmirror.console = 127.0.0.1:0",
        "kmirror.console.anonymous.role = admin",
    )
    driver = warm_module_driver(file)
    address = driver.wait_for_address("the console is at")
    api = ApiClient(address)
    wait_until(lambda: is_caught_up(api), "caught up", timeout_s=120, pause_s=0.5)
    return Served(api=api, address=address, file=file, pair=kafka_pair, driver=driver)


def test_every_value_is_real(served: Served) -> None:
    """What the console shows is what was written, and where it lies."""
    flow = served.api.flow(FLOW)
    assert (flow.verdict, flow.origin) == ("IN_SYNC", Origin.DRIVER)
    assert flow.records == 1000
    assert [each.slot for each in flow.slots] == [0, 1]
    assert flow.last_commit_ms is not None
    first, second = served.api.partitions(FLOW).partitions
    assert {first.state, second.state} == {"caught up"}
    assert (first.position, first.source_end, first.copy) == (500, 500, COPY)
    assert {first.executor, second.executor} == {""}
    assert first.node == second.node
    assert first.node in flow.driver
    # The source is asked because somebody has looked, and those do not wait.
    wait_until(
        lambda: served.api.partitions(FLOW).logs_as_of_ms, "an answer", timeout_s=_SEEN_S_MAX
    )
    told = served.api.partitions(FLOW).partitions
    assert {each.source_begin for each in told} == {0}
    assert all(each.leader is not None and each.leader >= 0 for each in told)
    (topic,) = served.api.topics(FLOW).topics
    assert (topic.topic, topic.copy, topic.records) == (TOPIC, COPY, 1000)
    assert topic.mirrored_share == 1.0
    assert served.api.lag_summary(FLOW).total_lag == 0
    names = {each.name for each in served.api.events(flow=FLOW).events}
    assert names
    assert served.api.plots(FLOW, PlotRange.DAY).since_ms is not None


def test_what_only_the_clusters_know(served: Served) -> None:
    """Groups, exact offsets, the plan, and where applications look."""
    api = served.api
    (group,) = api.groups(FLOW).groups
    assert (group.group, group.source_lag, group.is_active) == ("console-billing", 980, False)
    assert [(each.offset, each.copy) for each in group.places] == [(10, COPY), (10, COPY)]
    wait_until(lambda: is_followed(api), "on the target, too", timeout_s=_SEEN_S_MAX, pause_s=0.5)
    assert api.lag_summary(FLOW, "console-billing").max_lag == 490
    here = api.translate(FLOW, TOPIC, 1, 123)
    assert (here.other_topic, here.other_partition, here.is_exact) == (COPY, 1, True)
    assert here.other_offset is not None
    back = api.translate(FLOW, COPY, 1, here.other_offset, side="target")
    assert (back.other_topic, back.other_offset) == (TOPIC, 123)
    first = api.translate(FLOW, TOPIC, 1, "2020-01-01")
    assert (first.offset, first.other_topic, first.other_offset) == (0, COPY, 0)
    unknown = api.translate(FLOW, TOPIC, 1, 10_000)
    assert (unknown.other_offset, bool(unknown.why_unknown)) == (None, True)
    assert not api.plan(FLOW).changes
    place = api.logical_topic("Sconsole", TOPIC)
    assert (place.cluster, place.write, place.topics) == ("Sconsole", TOPIC, (TOPIC,))
    with pytest.raises(ApiRefused, match="is no topic's name") as refused:
        api.logical_topic("Sconsole", "no topic")
    assert refused.value.status == 400


def test_the_clusters(served: Served) -> None:
    """Both answer; what is on them is what is there, and nothing is missing without ACLs."""
    api, pair = served.api, served.pair

    def is_known() -> bool:
        found = api.clusters().clusters
        # The first survey may come before the first part of the map.
        counted = any(each.topic == OFFSET_MAP and each.records for each in found[-1].internal)
        return counted and all(each.missing_rights is not None for each in found)

    wait_until(is_known, "looked at", timeout_s=_SURVEYED_S_MAX, pause_s=0.5)
    source, target = api.clusters().clusters
    assert [each.answers for each in (source, target)] == [True, True]
    assert target.latency_ms is not None
    assert [(each.flow, each.end) for each in target.flows] == [(FLOW, "target")]
    assert source.bootstrap_servers == pair.a.bootstrap
    (broker,) = target.brokers
    assert (broker.is_controller, broker.unreachable) == (True, "")

    def has_asked_for_its_clock() -> bool:  # other tests may have made topics with brokers' times
        found = api.cluster("Tconsole")
        return found.clock_ahead_s == 0.0 or "LogAppendTime" in found.clock_unknown

    wait_until(has_asked_for_its_clock, "asked for its clock", timeout_s=_SEEN_S_MAX)
    assert target.features is not None
    assert "metadata.version" in {each.name for each in target.features}
    offset_map = next(each for each in target.internal if each.topic == OFFSET_MAP)
    assert (offset_map.partitions, offset_map.replicas, offset_map.doubt) == (1, 1, "")
    assert offset_map.bytes
    assert offset_map.cleanup_policy == "compact"
    assert not [each.topic for each in target.internal if each.topic == COPY]
    assert target.missing_rights == ()


def test_a_topic_is_explained(served: Served) -> None:
    """By the line of the file, whose folder is nobody's business; and so is one that is not."""
    found = served.api.explain(FLOW, TOPIC)
    assert (found.verdict, found.copy, found.partitions) == ("mirrored", COPY, 2)
    line = next(each.words for each in found.reasons if each.kind == "selected")
    assert f"({served.file.name}:" in line
    assert str(served.file.parent) not in line
    other = served.api.explain(FLOW, "console-other")
    assert (other.verdict, other.lag_records) == ("not mirrored", None)
    assert "not_named" in {each.kind for each in other.reasons}


def test_records_stand_beside_their_copies(served: Served) -> None:
    """The last ones, and those from an offset or a time on."""
    api = served.api
    last = api.records(FLOW, TOPIC, 1, limit=3)
    assert [each.presence for each in last.records] == ["both"] * 3
    assert (last.position, last.source.end, last.target.topic) == (500, 500, COPY)
    texts = []
    for each in last.records:
        assert each.source is not None
        assert each.source.value is not None
        texts.append((each.source.offset, each.source.value.text))
    assert texts == [(at, f"first-{at}") for at in (497, 498, 499)]
    here = api.records(FLOW, TOPIC, 1, at="123", limit=2)
    assert [each.presence for each in here.records] == ["both"] * 2
    assert [each.source and each.source.offset for each in here.records] == [123, 124]
    assert len(api.records(FLOW, TOPIC, 1, at="2020-01-01", limit=1).records) == 1
    copied = last.records[0].target
    assert copied is not None
    there = api.records(FLOW, TOPIC, 1, at=str(copied.offset), side="target", limit=2)
    assert [each.source and each.source.offset for each in there.records] == [497, 498]
    assert [each.presence for each in there.records] == ["both"] * 2
    with pytest.raises(ApiRefused, match="there is no console-seen-7") as refused:
        api.records(FLOW, TOPIC, 7)
    assert refused.value.status == 404


def test_an_order_is_seen_to_be_obeyed(served: Served) -> None:
    """What is paused stays where it is while the other partition goes on; then it is undone."""
    api, pair = served.api, served.pair
    paused = api.pause(FLOW, topic=TOPIC, partition=1, reason="a\n<b>test</b>", for_s=600)
    assert (paused.is_written, paused.is_in_effect) == (True, True)
    wait_until(lambda: states(api)[1] == "paused", "paused", timeout_s=_SEEN_S_MAX, pause_s=0.2)
    (reason,) = [each.reason for each in api.partitions(FLOW, state="paused").partitions]
    assert "anonymous@127.0.0.1: a <b>test</b>" in reason
    for number in range(2):
        write(pair.a, TOPIC, numbered("second", range(20)), partition=number)
    wait_until(
        lambda: len(read(pair.b, COPY, 0)) == 520, "copied", timeout_s=_SEEN_S_MAX, pause_s=0.2
    )
    assert len(read(pair.b, COPY, 1)) == 500
    skip = SeekRequest(reason="x", flow=FLOW, topic=TOPIC, partition=1, dry_run=True)
    tried = api.skip(skip)
    assert (tried.is_written, len(tried.steps)) == (False, 1)
    assert "gives up 1 source offsets" in tried.steps[0]
    back = SeekRequest(reason="x", flow=FLOW, topic=TOPIC, partition=1, to="earliest")
    with pytest.raises(ApiRefused, match="--allow-repeats"):
        api.seek(back)
    resumed = api.resume(FLOW, topic=TOPIC, partition=1, reason="over")
    assert resumed.is_in_effect
    wait_until(
        lambda: len(read(pair.b, COPY, 1)) == 520, "copied", timeout_s=_SEEN_S_MAX, pause_s=0.2
    )
    wait_until(lambda: has_plots(api), "plots of it", timeout_s=_SEEN_S_MAX, pause_s=0.5)


def test_a_reload_and_an_apply_are_seen(served: Served) -> None:
    """What lies on disk is told, then reloaded; what the plan says is on the target then."""
    api, pair = served.api, served.pair
    assert api.file_changes().state is FileState.SAME
    with served.file.open("a", encoding="utf-8") as lines:
        lines.write(f"{FLOW}.kmirror.slo.lag.seconds = 77\n")
    wait_until(lambda: api.file_changes().flows, "read", timeout_s=_SEEN_S_MAX, pause_s=0.5)
    (field,) = api.file_changes().flows[0].fields
    assert (field.name, field.after) == ("kmirror.slo.lag.seconds", "77")
    assert field.at_once
    tried = api.reload("x", dry_run=True)
    assert (tried.is_written, tried.is_in_effect, len(tried.steps)) == (False, False, 1)
    assert api.flow(FLOW).slo_lag_s != 77
    assert api.reload("another SLO").is_in_effect
    assert api.flow(FLOW).slo_lag_s == 77
    found = {each.name: each for each in api.settings(FLOW).settings}
    slo = found["kmirror.slo.lag.seconds"]
    assert (slo.value, slo.set_by) == ("77", "flow")
    change_settings(pair.a, TOPIC, {"retention.ms": "5000000"})
    wait_until(
        lambda: own_settings(pair.a, TOPIC).get("retention.ms") == "5000000",
        "changed",
        timeout_s=_SEEN_S_MAX,
    )
    compared = {each.name: each for each in api.topic_settings(FLOW, TOPIC).settings}
    assert (compared["retention.ms"].source, compared["retention.ms"].source_by) == (
        "5000000",
        "the topic",
    )
    # The driver may be faster: the end counts.
    assert not api.apply(FLOW, "x", dry_run=True).is_written
    assert api.apply(FLOW, "equal again").is_in_effect
    assert own_settings(pair.b, COPY)["retention.ms"] == "5000000"
    (event,) = [each for each in api.events(flow=FLOW).events if each.name == "plan.applied"]
    assert "anonymous@127.0.0.1: equal again" in event.text


@pytest.fixture
def served_alone(served: Served) -> Iterator[str]:
    """Run `kmirror console` on the same file, and give its address."""
    with serving("console", served.file) as address:
        yield address


def test_without_a_driver(served: Served, served_alone: str) -> None:
    """The clusters tell the same, and what they cannot tell is not known."""
    alone = ApiClient(served_alone)
    wait_until(lambda: alone.flow(FLOW).as_of_ms is not None, "known", timeout_s=60, pause_s=0.5)
    flow = alone.flow(FLOW)
    assert (flow.origin, flow.lag.records, flow.partitions) == (Origin.CLUSTERS, 0, 2)
    assert (flow.records_per_s, flow.slots) == (None, ())
    assert flow.generation == served.api.flow(FLOW).generation
    assert states(alone) == {0: "caught up", 1: "caught up"}
    assert alone.events().since_ms is None
    assert [each.group for each in alone.groups(FLOW).groups] == ["console-billing"]
    assert alone.file_changes().state is FileState.SAME
    assert "as this console has read it" in alone.file_changes().compared_with
    pages = RestClient(base=served_alone).with_headers(X_Kmirror_Part="1")
    page = pages.get("/config?disk=true").text
    assert "It has not changed since this console read it" in page
    assert "in effect: a reload" not in page
    assert "Only the flow" in pages.get(f"/flows/{FLOW.replace('>', '%3E')}/plots?range=1h").text
    with pytest.raises(ApiRefused, match="only shows what the clusters know"):
        alone.reload("x")
    with pytest.raises(ApiRefused, match="only shows what the clusters know") as refused:
        alone.pause(FLOW, reason="x")
    assert refused.value.status in {400, 403}


def test_groups_move_there_and_back(served: Served) -> None:
    """Looked at, then done, step by step; the driver stands still until the groups are back."""
    api, pair = served.api, served.pair
    plan = api.move_plan(FLOW, MoveVerb.FAILOVER)
    assert (plan.why_not, plan.lag_records, plan.is_held) == ("", 0, False)
    places = {(each.group, each.offset, each.copy) for each in plan.places}
    assert places == {("console-billing", 10, COPY)}
    moved = moved_to_its_end(api, MoveVerb.FAILOVER)
    assert (moved.state, moved.groups, moved.left) == (MoveState.DONE, ("console-billing",), ())
    assert [each.name for each in moved.steps] == ["look", "wait", "hold", "groups", "proof"]
    assert moved.loss is not None
    assert moved.loss.records == 0
    assert committed(pair.b, "console-billing", COPY) is not None
    assert api.move_plan(FLOW, MoveVerb.FAILBACK).is_held
    # At once: whether or not the driver has met the hold, it goes on when that is over.
    back = moved_to_its_end(api, MoveVerb.FAILBACK)
    assert (back.state, back.steps[-1].name) == (MoveState.DONE, "release")
    assert [each.number for each in api.moves()] == [2, 1]
    wait_until(lambda: api.flow(FLOW).state == "running", "driven", timeout_s=60, pause_s=0.5)
    names = {each.name for each in api.events(flow=FLOW).events}
    assert {"move.begun", "move.step", "move.ended"} <= names


@NEEDS_CHROMIUM
def test_every_page_in_a_browser(served: Served, browser: Browser) -> None:
    """Each has what is there, once the clusters have answered."""
    with console_page(browser, served.address, FLOW) as tab:
        topic = f"topic={TOPIC}&partition=1"
        for path, words in {
            "/": ("The flow is in sync", "Sconsole→Tconsole", "none lags"),
            tab.path: ("caught up", f"{TOPIC}-1", "520"),
            f"{tab.path}/topics": (COPY, "2"),
            f"{tab.path}/slots": ("Slot 0", "Slot 1"),
            f"{tab.path}/left-out": ("Nothing was left out",),
            f"{tab.path}/topics/{TOPIC}": (COPY, "2 partitions"),
            f"{tab.path}/explain?topic={TOPIC}": ("mirrored", served.file.name),
            f"{tab.path}/records?{topic}": ("second-19", "519"),
            "/groups": ("console-billing",),
            f"/groups/{tab.name}/console-billing": (f"{TOPIC}-1", COPY),
            "/events": ("equal again",),
            "/audit": ("it is switched off",),
            "/canary": (f"{FLOW}.kmirror.canary.enabled = true",),
            "/plan": ("Nothing to change",),
            f"/offsets?flow={tab.name}&side=source&{topic}&offset=123": ("Exactly",),
            f"/move?flow={tab.name}&kind=failover": ("Failover from Sconsole to Tconsole", "RPO"),
            "/config": (f"{FLOW}.kmirror.slo.lag.seconds", "a reload would change nothing"),
            "/clusters": (served.pair.a.bootstrap, OFFSET_MAP),
            "/api": ("/api/v1/flows",),
        }.items():
            tab.shows(path, *words)


@NEEDS_CHROMIUM
def test_orders_from_a_browser(served: Served, browser: Browser) -> None:
    """Each is said to be in effect, the page shows it, and the records are where they should be."""
    pair = served.pair
    with console_page(browser, served.address, FLOW) as tab:
        assert "in effect" in tab.order("pause", TOPIC, 0)
        tab.expect_state(f"{TOPIC}-0", "paused", "anonymous@127.0.0.1: pause by hand")
        assert "in effect" in tab.order("park", TOPIC, 1)
        tab.expect_state(f"{TOPIC}-1", "parked", "park by hand")
        for number in range(2):
            write(pair.a, TOPIC, numbered("third", range(5)), partition=number)
        assert "gives up 1 source offsets" in tab.order("skip", TOPIC, 1)
        for number in range(2):
            assert "in effect" in tab.order("resume", TOPIC, number)
            tab.expect_state(f"{TOPIC}-{number}", "caught up")
        assert "again" in tab.order("seek", TOPIC, 0, to="523", allow_repeats=True)
        wait_until(
            lambda: [len(read(pair.b, COPY, number)) for number in range(2)] == [527, 524],
            "two are there twice, and one never",
            timeout_s=_SEEN_S_MAX,
            pause_s=0.2,
        )
        with served.file.open("a", encoding="utf-8") as lines:
            lines.write(f"{FLOW}.kmirror.slo.rpo.seconds = 78\n")
        tab.shows("/config", "It differs from", "78")
        tab.act("Reload")
        tab.shows("/config", "a reload would change nothing", "78")
        change_settings(pair.a, TOPIC, {"retention.ms": "6000000"})
        tab.act("Apply", flow=FLOW)
        assert own_settings(pair.b, COPY)["retention.ms"] == "6000000"


@NEEDS_CHROMIUM
def test_groups_move_from_a_browser(served: Served, browser: Browser) -> None:
    """There, where they go on exactly, and back; each step is on the page."""
    api, pair = served.api, served.pair
    commit(pair.a, "console-billing", {TopicPartition(TOPIC, 1): 123})
    there_offset = api.translate(FLOW, TOPIC, 1, 123).other_offset
    with console_page(browser, served.address, FLOW) as tab:
        there = tab.move("failover")
        for words in ("look", "hold", "groups", "proof", "1 group goes on at Tconsole"):
            expect(there).to_contain_text(words)
        assert committed(pair.b, "console-billing", COPY, 1) == there_offset is not None
        expect(tab.move("failback")).to_contain_text("release")
    wait_until(lambda: api.flow(FLOW).state == "running", "driven", timeout_s=60, pause_s=0.5)
