"""MirrorMaker 2's files: real ones run unchanged, wrong ones end before anything is touched."""

from __future__ import annotations

from pathlib import Path

import pytest
from kmirror_lab.fixtures import ClusterPair

from kmirror.clock import SystemClock
from tests.support.bounded import copy_once, run_to_end
from tests.support.driver import DriverFactory
from tests.support.mirror_file import example, flow_lines, mirror_file
from tests.support.records import numbered, read, topics_of, write

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

DATA = Path(__file__).parents[1] / "data" / "mm2"
WRONG_S_MAX = 5.0


def test_the_customers_file(
    own_pair: ClusterPair, run_driver: DriverFactory, tmp_path: Path
) -> None:
    """It mirrors every topic; quotes in a list and settings at odd places are warned about."""
    a, b = own_pair
    for topic in ("topic_repeat_1", "orders"):
        a.create_topic(topic, partitions=2)
        for partition in range(2):
            write(a, topic, numbered(topic, range(100)), partition=partition)
    a.create_topic("left.internal")
    file = example(
        DATA / "customer-mm2.properties",
        tmp_path,
        {"10.100.0.10:9092": a.bootstrap, "10.100.0.11:9092": b.bootstrap},
    )
    driver = copy_once(run_driver, file)
    for topic in ("topic_repeat_1", "orders"):
        for partition in range(2):
            copy = read(b, f"us-west-2.{topic}", partition)
            assert copy == numbered(topic, range(100))
    assert "us-west-2.__consumer_offsets" not in topics_of(b)
    assert driver.lines("WARNING.*topics.blacklist")
    assert driver.lines("WARNING.*us-east-2.producer.retries")
    (inactive,) = driver.lines("not active yet")
    assert "status.storage.replication.factor" in inactive


def test_the_file_of_two_regions(
    own_pair: ClusterPair, run_driver: DriverFactory, tmp_path: Path
) -> None:
    """Both directions with the same topic names on both sides, in one process."""
    ends = {"kafka-a": own_pair.a, "kafka-b": own_pair.b}
    for alias, cluster in ends.items():
        for topic in ("payment-events", "user-actions", "not-listed"):
            cluster.create_topic(topic, partitions=2)
            write(cluster, topic, numbered(f"{alias} {topic}", range(100)), partition=1)
    three = {alias: ",".join(f"{alias}-{n}:9092" for n in (1, 2, 3)) for alias in ends}
    replaced = {three[alias]: cluster.bootstrap for alias, cluster in ends.items()}
    # The lab's clusters have one broker.
    replaced["replication.factor = 3"] = "replication.factor = 1"
    file = example(DATA / "two-regions-mm2.properties", tmp_path, replaced)
    driver = copy_once(run_driver, file)
    for source, target in (("kafka-a", "kafka-b"), ("kafka-b", "kafka-a")):
        for topic in ("payment-events", "user-actions"):
            copy = read(ends[target], f"{source}.{topic}", 1)
            assert copy == numbered(f"{source} {topic}", range(100))
        copies = {name for name in topics_of(ends[target]) if name.startswith(f"{source}.")}
        expected = {"payment-events", "user-actions", "checkpoints.internal"}
        assert copies == {f"{source}.{name}" for name in expected}
    assert not driver.lines("not active yet")


def test_only_some_clusters_and_references(
    own_pair: ClusterPair, run_driver: DriverFactory, tmp_path: Path
) -> None:
    """`--clusters` runs the flows into one target; an address comes from the environment."""
    a, b = own_pair
    a.create_topic("chosen")
    b.create_topic("chosen")
    write(a, "chosen", numbered("chosen", range(10)))
    write(b, "chosen", numbered("chosen", range(10)))
    file = mirror_file(
        tmp_path,
        {"I": a, "O": b},
        "config.providers = env",
        "config.providers.env.class = org.apache.kafka.common.config.provider.EnvVarConfigProvider",
        "config.providers.env.param.allowlist.pattern = LAB_.*",
        "I.bootstrap.servers = ${env:LAB_SOURCE}",
        "topics.exlude = x",
        "rest.advertised.port = 8083",
        *flow_lines("I->O", "chosen"),
        *flow_lines("O->I", "chosen"),
    )
    environ = {"LAB_SOURCE": a.bootstrap}
    driver = run_to_end(run_driver, file, "--until-caught-up", "--clusters", "O", environ=environ)
    assert read(b, "I.chosen") == numbered("chosen", range(10))
    assert "O.chosen" not in topics_of(a)
    (unknown,) = driver.lines("topics.exlude")
    assert "WARNING" in unknown
    assert "did you mean topics.exclude?" in unknown
    (inactive,) = driver.lines("not active yet")
    assert "rest.advertised.port" in inactive


def test_a_wrong_file(own_pair: ClusterPair, run_driver: DriverFactory, tmp_path: Path) -> None:
    """Exit code 2 within five seconds, all errors with their lines, and no cluster is touched."""
    a, b = own_pair
    before = topics_of(a), topics_of(b)
    file = mirror_file(
        tmp_path,
        {"A": a, "B": b},
        "replication.factor = many",
        "A->B.enabled = perhaps",
        "A->B.topics = (unclosed",
        "A->C.enabled = true",
        "A.ssl.truststore.password = ${env:SECRET}",
        "refresh.topics.interval.seconds = 0",
        "A->B.kmirror.position.missing = guess",
    )
    lines = file.read_text().splitlines()
    clock = SystemClock()
    began_s = clock.monotonic_s()
    driver = run_to_end(run_driver, file, code=2)
    took_s = clock.monotonic_s() - began_s
    for key in (
        "replication.factor = many",
        "A->B.enabled",
        "A->B.topics",
        "A->C.enabled",
        "refresh.topics.interval.seconds",
        "A->B.kmirror.position.missing",
    ):
        number = 1 + next(i for i, line in reversed([*enumerate(lines)]) if line.startswith(key))
        assert f"{file}:{number}: {key}" in driver.text, driver.text
    assert "expected" in driver.text
    assert (topics_of(a), topics_of(b)) == before
    assert took_s < WRONG_S_MAX


def test_a_reference_that_is_not_allowed(
    own_pair: ClusterPair, run_driver: DriverFactory, tmp_path: Path
) -> None:
    """Without an entry in the allow-list no variable leaves the environment."""
    file = mirror_file(
        tmp_path,
        {"A": own_pair.a, "B": own_pair.b},
        "config.providers = env",
        "config.providers.env.class = org.apache.kafka.common.config.provider.EnvVarConfigProvider",
        "config.providers.env.param.allowlist.pattern = LAB_.*",
        "A.bootstrap.servers = ${env:PRIVATE}",
        *flow_lines("A->B", ".*"),
    )
    driver = run_to_end(run_driver, file, code=2, environ={"PRIVATE": "do-not-tell:9092"})
    assert "config.providers.env.param.allowlist.pattern" in driver.text
    assert "do-not-tell" not in driver.text


def test_a_flow_nobody_asked_for(
    own_pair: ClusterPair, run_driver: DriverFactory, tmp_path: Path
) -> None:
    """`--clusters` with a stranger, or a file without a flow, ends with exit code 2."""
    ends = {"A": own_pair.a, "B": own_pair.b}
    file = mirror_file(tmp_path / "one", ends, *flow_lines("A->B", ".*"))
    driver = run_to_end(run_driver, file, "--clusters", "C", code=2)
    assert "--clusters C" in driver.text
    driver = run_to_end(run_driver, mirror_file(tmp_path / "none", ends), code=2)
    assert "No source->target replication flows." in driver.text
