"""A Connect worker's file."""

from __future__ import annotations

from pathlib import Path

import pytest

from kmirror.config.override_policy import OverridePolicy
from kmirror.config.worker import flow_defaults, load_worker
from kmirror.errors import ConfigError
from tests.support.connect_files import ENV_PROVIDER, EXAMPLES, WORKER, worker

ANY = "connector.client.config.override."


def test_the_example_of_people_who_run_it() -> None:
    config = load_worker(EXAMPLES / "connect-distributed.properties", environ={})
    assert config.bootstrap_servers == "B:9092"
    assert config.group_id == "connect-cluster"
    storages = (config.config_storage, config.offset_storage, config.status_storage)
    assert [(each.name, each.partitions, each.replication_factor) for each in storages if each] == [
        ("connect-configs", 1, 3),
        ("connect-offsets", 25, 3),
        ("connect-status", 5, 3),
    ]
    assert [str(each) for each in config.server.listeners] == ["http://localhost:8080"]
    assert config.inactive_keys == ("offset.flush.interval.ms", "plugin.path")
    (warning,) = config.warnings
    assert warning.where.endswith(":17")
    assert "not read" in warning.expected


def test_where_its_metrics_are(tmp_path: Path) -> None:
    """What is a driver's alone is no setting of its flows."""
    config = worker(tmp_path, "kmirror.metrics.listen = 127.0.0.1:9404\nkmirror.poison = skip\n")
    assert str(config.metrics.listener) == "http://127.0.0.1:9404"
    assert list(flow_defaults(config)) == ["kmirror.poison"]


def test_where_its_console_is(tmp_path: Path) -> None:
    """As in a driver's file, with the same keys."""
    lines = "kmirror.console = 127.0.0.1:8089\nkmirror.console.users.file = /users\n"
    config = worker(tmp_path, f"{lines}kmirror.console.hosts = mirror.example\n").console
    assert str(config.listener) == "http://127.0.0.1:8089"
    assert (str(config.users_file), config.anonymous_role) == ("/users", "none")
    assert config.hosts == ("mirror.example",)
    assert worker(tmp_path).console.listener is None


def test_a_console_at_no_address_is_refused_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"worker.properties:8: kmirror.console = here: expected"):
        worker(tmp_path, "kmirror.console = here\n")


def test_a_standalone_worker_needs_no_topics(tmp_path: Path) -> None:
    path = tmp_path / "worker.properties"
    path.write_text("bootstrap.servers = b:1\noffset.storage.file.filename = /tmp/offsets\n")
    config = load_worker(path, environ={}, standalone=True)
    assert config.inactive_keys == ("offset.storage.file.filename",)
    assert (config.group_id, config.config_storage, config.offset_storage) == ("", None, None)


def test_positions_that_a_standalone_worker_has_left_are_told(tmp_path: Path) -> None:
    """Who does not know of them would copy all again."""
    left, path = tmp_path / "connect.offsets", tmp_path / "worker.properties"
    path.write_text(f"bootstrap.servers = b:1\noffset.storage.file.filename = {left}\n")
    for content, count in (None, 0), ("", 0), ("x", 1):
        if content is not None:
            left.write_text(content)
        warnings = load_worker(path, environ={}, standalone=True).warnings
        assert [each.where for each in warnings] == [f"{path}:2"] * count
        assert all("set its offsets first" in each.expected for each in warnings)


def test_all_that_connect_requires_is_missed_at_once(tmp_path: Path) -> None:
    path = tmp_path / "worker.properties"
    path.write_text("bootstrap.servers = b:1\n")
    with pytest.raises(ConfigError) as caught:
        load_worker(path, environ={})
    assert [problem.key for problem in caught.value.problems] == [
        "group.id",
        "config.storage.topic",
        "offset.storage.topic",
        "status.storage.topic",
    ]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("bootstrap.servers = b", "host:port"),
        ("offset.flush.interval.ms = soon", "whole number"),
        ("config.storage.topic = a b", "letters, digits"),
        ("status.storage.topic = connect-configs", "another topic than config.storage.topic"),
        (f"{ANY}policy = com.x.Mine", "None, All, Principal, Allowlist"),
        ("exactly.once.source.support = yes", "disabled, preparing, enabled"),
        ("producer.linger.ms = x", "whole number"),
        ("kmirror.slots = many", "whole number"),
        ("kmirror.spark.speculation = true", "expected false"),
        ("sasl.mechanism = GSSAPI\nsecurity.protocol = SASL_SSL", "GSSAPI"),
    ],
)
def test_it_is_a_problem_with_its_line(tmp_path: Path, line: str, expected: str) -> None:
    with pytest.raises(ConfigError) as caught:
        worker(tmp_path, f"{line}\n")
    problem = caught.value.problems[0]
    assert expected in problem.expected
    assert int(problem.where.rpartition(":")[2]) in (8, 9)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("ofset.storage.partitions = 3", "did you mean offset.storage.partitions?"),
        ("producer.linger.msec = 3", "did you mean producer.linger.ms?"),
        ("key.converter = org.apache.kafka.connect.json.JsonConverter", "carry bytes"),
        ("header.converter = org.apache.kafka.connect.json.JsonConverter", "no copy"),
        ("internal.key.converter = x", "removed in Kafka 3.0"),
        ("plugin.path = /x", "not read"),
        ("kmirror.nodes = several", "workers with one group.id share flows"),
        ("offset.flush.timeout.ms = 5 # s", "# begins a comment"),
        (f"{ANY}policy = Allowlist", "nothing may be overridden"),
        (f"{ANY}allowlist = linger.ms", "policy = Allowlist"),
    ],
)
def test_it_is_doubted(tmp_path: Path, line: str, expected: str) -> None:
    if "#" in line:
        with pytest.raises(ConfigError, match="begins a comment"):
            worker(tmp_path, line)
        return
    assert any(expected in each.expected for each in worker(tmp_path, line).warnings)


def test_lines_that_others_read_are_known(tmp_path: Path) -> None:
    text = (
        "listeners = http://[::1]:8083\nadmin.listeners =\nkmirror.rest.insecure = false\n"
        "key.converter.schemas.enable = true\nretries = 5\n"
        "config.storage.min.insync.replicas = 2\nkmirror.spark.executor.memory = 2g\n"
    )
    config = worker(tmp_path, text)
    assert config.warnings == ()
    assert [str(each) for each in config.server.listeners] == ["http://[::1]:8083"]
    assert config.server.admin_listeners == ()
    assert config.config_storage is not None
    assert config.config_storage.settings == (("min.insync.replicas", "2"),)
    assert [name for name, _ in config.spark] == ["spark.executor.memory"]


def test_the_workers_own_client_has_what_stands_without_prefix(tmp_path: Path) -> None:
    """As Connect: what begins with producer. is for connectors."""
    text = (
        "security.protocol = SSL\nproducer.security.protocol = SASL_SSL\nproducer.linger.ms = 1\n"
    )
    config = worker(tmp_path, text)
    assert config.client.reveal() == {"bootstrap.servers": "b:9092", "security.protocol": "SSL"}
    assert {name: each.text for name, each in config.entries("producer.").items()} == {
        "security.protocol": "SASL_SSL",
        "linger.ms": "1",
    }


@pytest.mark.parametrize(
    ("lines", "refused"),
    [
        ("", ""),
        (f"{ANY}policy = None", "linger.ms sasl.mechanism"),
        (f"{ANY}policy = Principal", "linger.ms"),
        (f"{ANY}policy = Allowlist\n{ANY}allowlist = linger.ms, acks", "sasl.mechanism"),
        (f"{ANY}policy = NoneConnectorClientConfigOverridePolicy", "linger.ms sasl.mechanism"),
        (f"{ANY}policy = org.apache.X.AllConnectorClientConfigOverridePolicy", ""),
    ],
)
def test_override_policies(tmp_path: Path, lines: str, refused: str) -> None:
    policy: OverridePolicy = worker(tmp_path, lines).override_policy
    found = [name for name in ("linger.ms", "sasl.mechanism") if policy.refusal(name)]
    assert found == refused.split()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("clusters = A, B", "write kmirror run"),
        ("A->B.enabled = true", "write kmirror run"),
        ("name = x\nconnector.class = y", "--standalone"),
        ('{"a": 1}', "is JSON"),
    ],
)
def test_other_files_are_known_again(tmp_path: Path, text: str, expected: str) -> None:
    path = tmp_path / "x"
    path.write_text(text)
    with pytest.raises(ConfigError, match=expected):
        load_worker(path, environ={})


def test_references_are_read_behind_their_allow_list(tmp_path: Path) -> None:
    text = f"{ENV_PROVIDER}GROUP\n"
    path = tmp_path / "worker.properties"
    path.write_text(WORKER.replace("= connect\n", "= ${env:GROUP}\n") + text)
    assert load_worker(path, environ={"GROUP": "g"}).group_id == "g"
    path.write_text(WORKER.replace("= connect\n", "= ${env:HOME}\n") + text)
    with pytest.raises(ConfigError, match="does not allow HOME"):
        load_worker(path, environ={"HOME": "x"})
