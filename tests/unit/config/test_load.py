"""Whole files: what real users run, and what is resolved from it."""

from __future__ import annotations

from pathlib import Path

import pytest

from kmirror.config.load import MirrorConfig, load
from kmirror.config.secret import Secret
from kmirror.errors import ConfigError
from kmirror.model import Flow
from tests.support.mirror_files import Load

DATA = Path(__file__).parents[2] / "data" / "mm2"
AB, BA = Flow("A", "B"), Flow("B", "A")


def expected_of(error: ConfigError) -> str:
    return "\n".join(problem.expected for problem in error.problems)


def warnings_of(config: MirrorConfig) -> str:
    return "\n".join(map(str, config.warnings))


def test_the_file_behind_the_duplicates_loads_unchanged() -> None:
    config = load(DATA / "customer-mm2.properties", environ={})
    (flow,) = config.flows
    assert flow.flow == Flow("us-west-2", "us-east-2")
    assert flow.topics == (".*",)
    assert flow.topics_exclude == ('"*.internal', '__.*"')
    assert flow.replication_factor == 1
    # The file gives the topic to the *source*, where MM2 does not look for it.
    assert flow.offset_storage_topic == "mm2-offsets.us-west-2.internal"
    assert (flow.offset_storage_partitions, flow.offset_storage_replication_factor) == (25, 1)
    assert flow.exactly_once
    assert flow.isolation_level == "read_committed"
    assert dict(flow.target_producer) == {
        "bootstrap.servers": "10.100.0.11:9092",
        "request.timeout.ms": "5000",
    }
    assert flow.topic_selection().selects("orders")
    assert '"*.internal and __.*": quotes are part of it' in config.warnings[0].expected
    told = [(problem.where.rpartition(":")[2], problem.key) for problem in config.warnings]
    assert told == [
        ("9", "topics.blacklist"),
        ("27", "us-east-2.producer.request.timeout.ms"),
        ("28", "us-east-2.producer.retries"),
    ]
    assert flow.consumers.emit_checkpoints_interval_s == 10
    assert "status.storage.replication.factor" in config.inactive_keys
    assert len(set(config.inactive_keys)) == len(config.inactive_keys)


def test_the_two_region_tutorial_loads_unchanged() -> None:
    config = load(DATA / "two-regions-mm2.properties", environ={})
    assert [str(flow.flow) for flow in config.flows] == ["kafka-a->kafka-b", "kafka-b->kafka-a"]
    assert not config.warnings
    flow = config.flow(Flow("kafka-b", "kafka-a"))
    assert flow.topics == ("payment-events", "user-actions")
    assert flow.slots == 4
    assert flow.replication_factor == 3
    assert (
        flow.source_consumer["bootstrap.servers"] == "kafka-b-1:9092,kafka-b-2:9092,kafka-b-3:9092"
    )
    assert str(config.cluster("kafka-a").admin["bootstrap.servers"]).startswith("kafka-a-1")


def test_defaults(load_text: Load) -> None:
    flow = load_text().flow(AB)
    assert flow.refresh_topics_interval_s == 5
    assert (flow.commit_interval_ms, flow.commit_bytes_max, flow.batch_duration_s) == (
        100,
        16 << 20,
        86_400,
    )
    assert (flow.slots, flow.where, flow.select) == (None, None, ())
    choices = (flow.position_missing, flow.topic_recreated, flow.data_gap, flow.log_truncated)
    assert [choice.values for choice in choices] == [("fail",)] * 4
    assert flow.auto_offset_reset == "earliest"
    assert flow.connector_name == "MirrorSourceConnector"
    assert flow.use_defaults_from == "target"
    assert (flow.admin_timeout_s, flow.admin_request_timeout_s) == (60, 10)


@pytest.mark.parametrize("timeout_s", [2, 60, 300])
def test_a_limit_of_administrative_steps_is_nobodys_to_cut(load_text: Load, timeout_s: int) -> None:
    """Not even where it is MirrorMaker 2's default: who writes it wants it."""
    flow = load_text(f"A->B.admin.timeout.ms = {timeout_s * 1000}\n").flow(AB)
    assert (flow.admin_timeout_s, flow.admin_request_timeout_s) == (timeout_s, timeout_s)


def test_six_mistakes_are_six_problems_with_their_lines(load_text: Load) -> None:
    more = """\
replication.factor = two
topics = (a
A->C.enabled = true
replication.policy.class = com.example.MyPolicy
A->B.kmirror.commit.interval.ms = 1
sync.topic.acls.enabled = yes
"""
    with pytest.raises(ConfigError) as caught:
        load_text(more)
    lines = [int(problem.where.rpartition(":")[2]) for problem in caught.value.problems]
    assert lines == [5, 6, 7, 8, 9, 10]
    assert "did you mean" not in expected_of(caught.value)


def test_a_key_given_twice_counts_last(load_text: Load) -> None:
    config = load_text("replication.factor = x\nreplication.factor = 3\n")
    assert config.flow(AB).replication_factor == 3
    assert "line 6 sets it again" in warnings_of(config)


@pytest.mark.parametrize(
    ("more", "consumer", "value"),
    [
        ("security.protocol=SSL", "security.protocol", "SSL"),
        ("security.protocol=SSL\nA.security.protocol=PLAINTEXT", "security.protocol", "PLAINTEXT"),
        ("A.client.rack=x\nA.consumer.client.rack=y", "client.rack", "y"),
        ("A.consumer.max.poll.records=1", "max.poll.records", "1"),
        (
            "A.consumer.max.poll.records=1\nA->B.source.consumer.max.poll.records=2",
            "max.poll.records",
            "2",
        ),
        (
            "A.consumer.max.poll.records=1\nA->B.consumer.max.poll.records=2",
            "max.poll.records",
            "1",
        ),
        ("A->B.consumer.max.poll.records=2", "max.poll.records", "2"),
    ],
)
def test_precedence_of_the_source_consumer(
    load_text: Load, more: str, consumer: str, value: str
) -> None:
    assert load_text(more).flow(AB).source_consumer[consumer] == value


@pytest.mark.parametrize(
    ("more", "value"),
    [
        ("linger.ms=1", None),
        ("producer.linger.ms=1", None),
        ("A->B.producer.linger.ms=1", None),
        ("A->B.target.producer.linger.ms=1", None),
        ("B.linger.ms=1", None),
        ("A.producer.linger.ms=1", None),
        ("B.producer.linger.ms=1", "1"),
        ("B.producer.linger.ms=1\nA->B.producer.override.linger.ms=2", "2"),
    ],
)
def test_what_reaches_the_producer_of_the_records(
    load_text: Load, more: str, value: str | None
) -> None:
    config = load_text(more)
    assert config.flow(AB).target_producer.get("linger.ms") == value
    if value is None and not more.startswith("A.producer"):
        assert ".producer.linger.ms" in config.warnings[0].expected


@pytest.mark.parametrize(
    ("more", "topic"),
    [
        ("B.offset.storage.topic=t1", "t1"),
        ("B.offset.storage.topic=t1\noffset.storage.topic=t2", "t2"),
        ("A.offset.storage.topic=t1", "mm2-offsets.A.internal"),
        ("A->B.offset.storage.topic=t1", "mm2-offsets.A.internal"),
    ],
)
def test_where_mm2_keeps_its_positions(load_text: Load, more: str, topic: str) -> None:
    """`workerConfig`: the target's, and the top level wins over it."""
    assert load_text(more).flow(AB).offset_storage_topic == topic


def test_flow_keys_win_over_top_level(load_text: Load) -> None:
    own = "A->B.topics=b\nA->B.kmirror.exactly.once=false"
    config = load_text(f"topics=a\nkmirror.exactly.once=true\n{own}")
    flow = config.flow(AB)
    assert flow.topics == ("b",)
    assert not flow.exactly_once


def test_use_defaults_from_works_below_a_flow_only(load_text: Load) -> None:
    """The trap of mm2: its top level drops keys that only the filter knows."""
    config = load_text("use.defaults.from=source")
    assert config.flow(AB).use_defaults_from == "target"
    assert "S->T.use.defaults.from" in warnings_of(config)
    flow = load_text("A->B.use.defaults.from=source").flow(AB)
    assert flow.use_defaults_from == "source"


def test_own_keys_are_read(load_text: Load) -> None:
    config = load_text(
        "kmirror.slots=3\ntasks.max=8\nkmirror.where=topic = 'a'\n"
        "kmirror.select.value=upper(value)\n"
        "kmirror.spark.executor.memory=1g\nA->B.kmirror.position.missing=adopt\n"
    )
    flow = config.flow(AB)
    assert flow.slots == 3
    assert flow.where is not None
    assert flow.where.sql == "topic = 'a'"
    assert [(column, text.sql) for column, text in flow.select] == [("value", "upper(value)")]
    assert flow.position_missing.values == ("adopt",)
    assert config.spark == (("spark.executor.memory", Secret("1g")),)


def test_a_negative_interval_switches_refreshing_off(load_text: Load) -> None:
    assert not load_text("refresh.topics.interval.seconds=-1").flow(AB).refresh_topics_enabled


def test_consumer_settings_with_blanks_behind_them(load_text: Load) -> None:
    own = "A.consumer.auto.offset.reset=latest \nA.consumer.isolation.level=read_committed "
    flow = load_text(own).flow(AB)
    assert flow.auto_offset_reset == flow.source_consumer["auto.offset.reset"] == "latest"
    assert flow.isolation_level == "read_committed"


def test_only_flows_into_the_wanted_clusters(load_text: Load) -> None:
    both = "B->A.enabled = true"
    assert [f.flow for f in load_text(both, clusters=["A"]).flows] == [BA]
    with pytest.raises(ConfigError, match="No source->target replication flows"):
        load_text(clusters=["A"])
    with pytest.raises(ConfigError, match="--clusters C"):
        load_text(both, clusters=["C"])


def test_enabled_at_top_level_enables_what_writes_heartbeats(load_text: Load) -> None:
    """MM2's own surprise: `enabled` is a connector key."""
    assert len(load_text("enabled=true").flows) == 2
    config = load_text("enabled=true\nemit.heartbeats.enabled=false")
    assert [flow.flow for flow in config.flows] == [AB]


def test_an_old_name_counts_where_the_new_one_is_absent(load_text: Load) -> None:
    assert load_text("topics.blacklist=a").flow(AB).topics_exclude == ("a",)
    config = load_text("topics.exclude=b\nA->B.topics.blacklist=a")
    assert config.flow(AB).topics_exclude == ("b",)
    assert "has no effect: topics.exclude is set, too" in warnings_of(config)


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        load(tmp_path / "none.properties", environ={})
    broken = tmp_path / "broken.properties"
    broken.write_text("a=1\nb=\\uzzzz\n")
    with pytest.raises(ConfigError, match=r"broken.properties:2: file"):
        load(broken, environ={})
    broken.write_bytes(b"#" * ((1 << 20) + 1))
    with pytest.raises(ConfigError, match="larger than"):
        load(broken, environ={})


def test_an_empty_file_says_what_is_missing(load_text: Load) -> None:
    with pytest.raises(ConfigError, match="clusters: expected the aliases"):
        load_text(base="")


def test_problems_carry_no_duplicates_for_two_flows(load_text: Load) -> None:
    with pytest.raises(ConfigError) as caught:
        load_text("B->A.enabled=true\nreplication.factor=0\n")
    assert len(caught.value.problems) == 1
