"""Passwords are used and never shown; references are allowed or refused."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kmirror.config.client_defaults import producer_values
from kmirror.config.client_properties import ClientProperties
from kmirror.config.secret import Secret
from kmirror.errors import ConfigError
from kmirror.model import Flow
from tests.support.mirror_files import Load

AB = Flow("A", "B")
PASSWORD = "s3cr3t-and-never-shown"
PACKAGE = "org.apache.kafka.common.config.provider"
ENV = f"config.providers=env\nconfig.providers.env.class={PACKAGE}.EnvVarConfigProvider\n"
FILE = "config.providers=f\nconfig.providers.f.class=FileConfigProvider\n"
DIRECTORY = "config.providers=d\nconfig.providers.d.class=DirectoryConfigProvider\n"


def test_a_secret_prints_as_hidden() -> None:
    secret = Secret(PASSWORD)
    assert f"{secret} {secret!r} {secret!s} {secret:>9}" == "[hidden] [hidden] [hidden]  [hidden]"
    assert (secret == Secret(PASSWORD), secret == PASSWORD) == (True, False)
    assert secret.reveal() == PASSWORD


@pytest.mark.parametrize(
    "name",
    [
        "A.ssl.keystore.password",
        "B.producer.ssl.key.password",
        "A->B.source.admin.ssl.truststore.password",
        "ssl.keystore.key",
        "A.consumer.my.api.token",
        "A.admin.basic.auth.credentials",
    ],
)
def test_passwords_are_masked_everywhere(load_text: Load, name: str) -> None:
    config = load_text(f"{name} = {PASSWORD}\n")
    assert PASSWORD not in repr(config)
    assert PASSWORD not in str([str(warning) for warning in config.warnings])


def test_a_wrong_line_with_a_secret_is_masked_too(load_text: Load) -> None:
    with pytest.raises(ConfigError) as caught:
        load_text(
            f"A->X.ssl.key.password = {PASSWORD}\nA.sasl.jaas.config = {PASSWORD}\n"
            "A.security.protocol=SASL_SSL\nA.sasl.mechanism=PLAIN"
        )
    assert PASSWORD not in str(caught.value)
    assert "[hidden]" in str(caught.value)


def test_the_client_gets_the_password(load_text: Load) -> None:
    flow = load_text(f"A.ssl.keystore.password = {PASSWORD}\n").flow(AB)
    assert flow.source_consumer["ssl.keystore.password"] == Secret(PASSWORD)
    assert flow.source_consumer.reveal()["ssl.keystore.password"] == PASSWORD


def test_client_properties_are_values() -> None:
    one = ClientProperties({"a": "1", "p": Secret("x")})
    assert one == ClientProperties({"p": Secret("x"), "a": "1"})
    assert hash(one) == hash(ClientProperties({"p": Secret("x"), "a": "1"}))
    assert repr(one) == "ClientProperties(a=1, p=[hidden])"
    assert one.with_defaults({"a": "2", "b": "3"}).reveal() == {"a": "1", "b": "3", "p": "x"}
    assert one.overridden_by({"a": "2"}).reveal() == {"a": "2", "p": "x"}
    assert dict(one.without("p")) == {"a": "1"}


def test_an_environment_variable_is_read_if_allowed(load_text: Load) -> None:
    allowed = f"{ENV}config.providers.env.param.allowlist.pattern=KAFKA_.*\n"
    more = (
        allowed + "A.consumer.client.id = x-${env:KAFKA_ID}\nreplication.factor=${env:KAFKA_RF}\n"
    )
    more += "A.consumer.isolation.level = ${env:KAFKA_LEVEL}\n"
    environ = {"KAFKA_ID": "7", "KAFKA_RF": "3", "KAFKA_LEVEL": "read_uncommitted"}
    flow = load_text(more, environ=environ).flow(AB)
    assert flow.isolation_level == "read_uncommitted"
    assert flow.source_consumer["client.id"] == Secret("x-7")
    assert flow.replication_factor == 3


@pytest.mark.parametrize(
    ("allowed", "expected"),
    [
        ("", "param.allowlist.pattern does not allow HOME: add it"),
        ("config.providers.env.param.allowlist.pattern=KAFKA_.*\n", "does not allow HOME"),
        ("config.providers.env.param.allowlist.pattern=.*\n", "no environment variable HOME"),
        ("config.providers.env.param.allowlist.pattern=*\n", "expected a regex"),
    ],
)
def test_an_environment_variable_is_refused(load_text: Load, allowed: str, expected: str) -> None:
    with pytest.raises(ConfigError, match=expected):
        load_text(f"{ENV}{allowed}A.consumer.client.id = ${{env:HOME}}\n")


def test_half_a_character_names_nothing(load_text: Load) -> None:
    """Java's escapes can write one; no variable and no directory has it in its name."""
    allowed = f"{ENV}config.providers.env.param.allowlist.pattern=.*\n"
    with pytest.raises(ConfigError, match="UTF-8 cannot write"):
        load_text(f"{allowed}A.client.id = ${{env:\\ud800}}\n", environ=os.environ)
    allowed = f"{FILE}config.providers.f.param.allowed.paths=/tmp/\\ud800\n"
    with pytest.raises(ConfigError, match="does not allow"):
        load_text(f"{allowed}A.client.id = ${{f:/tmp/x:y}}\n")


@pytest.mark.parametrize("key", ["A.bootstrap.servers", "replication.factor", "A.client.id"])
def test_a_refused_reference_is_one_problem(load_text: Load, key: str) -> None:
    """The text of the reference itself is not judged as well."""
    with pytest.raises(ConfigError) as caught:
        load_text(f"{ENV}{key} = ${{env:HOME}}\nB.security.protocol = ${{env:HOME}}\n")
    first, second = caught.value.problems
    assert (first.key, second.key) == (key, "B.security.protocol")
    for problem in (first, second):
        assert "does not allow HOME" in problem.expected


def test_a_wrong_value_from_a_reference_is_hidden(load_text: Load) -> None:
    more = f"{ENV}config.providers.env.param.allowlist.pattern=RF\nreplication.factor=${{env:RF}}\n"
    with pytest.raises(ConfigError) as caught:
        load_text(more, environ={"RF": PASSWORD})
    assert PASSWORD not in str(caught.value)


def test_files_are_read_below_an_allowed_directory(load_text: Load, tmp_path: Path) -> None:
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / "keys").write_text(f"pw={PASSWORD}\n")
    use = f"A.ssl.key.password=${{f:{tmp_path}/s/keys:pw}}\n"
    allowed = f"config.providers.f.param.allowed.paths=/nowhere,{tmp_path}/s\n"
    flow = load_text(FILE + allowed + use).flow(AB)
    assert flow.source_consumer.reveal()["ssl.key.password"] == PASSWORD
    whole = f"A.ssl.key.password=${{d:{tmp_path}/s:keys}}\n"
    flow = load_text(DIRECTORY + allowed.replace(".f.", ".d.") + whole).flow(AB)
    # As Kafka does, passwords are read without blanks at their ends.
    assert flow.source_consumer.reveal()["ssl.key.password"] == f"pw={PASSWORD}"


def test_files_are_refused_outside_it(load_text: Load, tmp_path: Path) -> None:
    inside = tmp_path / "in"
    inside.mkdir()
    (tmp_path / "outside").write_text("k=v")
    (tmp_path / "in-too").mkdir()
    (tmp_path / "in-too" / "f").write_text("k=v")
    (inside / "link").symlink_to(tmp_path / "outside")
    (inside / "big").write_text("k=" + "v" * 65_537)
    (inside / "ok").write_text("k=v")
    os.mkfifo(inside / "fifo")
    allowed = f"config.providers.f.param.allowed.paths={inside}\n"
    for path, expected in (
        (tmp_path / "outside", "does not allow"),
        (inside / ".." / "outside", "does not allow"),
        (inside / "link", "does not allow"),
        (tmp_path / "in-too" / "f", "does not allow"),
        (inside / "big", "larger than"),
        (inside / "fifo", "not a regular file"),
        (inside, "not a regular file"),
        (inside / "none", "cannot be read"),
        (f"{inside}/ok\\u0000", "has no NUL"),
        (f"{inside}/\\ud800", "UTF-8 cannot write"),
        (inside / "ok", "no key nokey"),
    ):
        with pytest.raises(ConfigError, match=expected):
            load_text(f"{FILE}{allowed}A.client.id=${{f:{path}:nokey}}\n")
    with pytest.raises(ConfigError, match="does not allow"):
        load_text(f"{FILE}A.client.id=${{f:{inside / 'ok'}:k}}\n")


def test_sparks_settings_are_never_shown(load_text: Load) -> None:
    """Spark and what it loads have passwords under names of their own."""
    line = f"kmirror.spark.hadoop.fs.azure.account.key.x = {PASSWORD}\n"
    config = load_text(line + line)
    assert config.spark == (("spark.hadoop.fs.azure.account.key.x", Secret(PASSWORD)),)
    assert "sets it again" in str(config.warnings[0])
    assert PASSWORD not in repr(config)


@pytest.mark.parametrize("role", ["A.consumer", "B.producer", "B.admin"])
def test_no_client_expands_references_itself(load_text: Load, role: str) -> None:
    """It would not ask the file's allow-lists."""
    config = load_text(f"{role}.config.providers = f\n")
    flow = config.flow(AB)
    for client in (flow.source_consumer, flow.target_producer, flow.target_admin):
        assert "config.providers" not in client
    assert "not applied" in str(config.warnings[0])


def test_a_value_stays_on_its_line(load_text: Load) -> None:
    """What would begin a line of the log, or steer a terminal, is shown as its escape."""
    with pytest.raises(ConfigError) as caught:
        load_text("replication.factor = 1\\n12:00 INFO all is well\\u001b[2J\n")
    assert len(str(caught.value).splitlines()) == 2
    assert "\x1b" not in str(caught.value)
    assert r"1\n12:00 INFO all is well\x1b[2J" in str(caught.value)


def test_unknown_providers(load_text: Load) -> None:
    config = load_text("A.consumer.client.id = ${vault:x:y}\n")
    assert config.flow(AB).source_consumer["client.id"] == "${vault:x:y}"
    assert "taken literally" in str(config.warnings[0])
    with pytest.raises(ConfigError, match="Java classes cannot be loaded"):
        load_text("config.providers=v\nconfig.providers.v.class=com.x.Vault\n")
    with pytest.raises(ConfigError, match=r"mm2\.properties:5: config\.providers\.v\.class"):
        load_text("config.providers=v\n")


REFERRED = f"{ENV}config.providers.env.param.allowlist.pattern=PW\n"


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("A.bootstrap.servers", "hunter2"),
        ("A.bootstrap.servers", "a:9092, hunter2"),
        ("kmirror.poison", "hunter2"),
        ("kmirror.poison", "park, orders: hunter2"),
        ("kmirror.priority", "hunter2\\thunter2"),
        ("kmirror.limit.bytes.per.second", "hunter2"),
        ("kmirror.topic.deletion", "hunter2"),
        ("kmirror.acls.principals", "hunter2"),
        ("topics", "orders, hunter2-*"),
    ],
)
def test_no_part_of_what_a_reference_brings_is_quoted(load_text: Load, key: str, text: str) -> None:
    """What was expected is said with the value, with a part of a list, or with a word of it."""
    text = text.replace("\\t", "\t")
    more = f"{REFERRED}{key} = ${{env:PW}}\n"
    try:
        said = [str(warning) for warning in load_text(more, environ={"PW": text}).warnings]
    except ConfigError as error:
        said = [str(problem) for problem in error.problems]
    assert any("[hidden]" in line.partition("[hidden]")[2] for line in said), said
    assert "ter2" not in str(said)


def test_another_line_does_not_quote_it_either(load_text: Load) -> None:
    more = f"{REFERRED}B.producer.buffer.memory = ${{env:PW}}\nB.producer.batch.size = 70000\n"
    with pytest.raises(ConfigError, match=r"buffer\.memory, which is \[hidden\]"):
        load_text(more, environ={"PW": "65432"})


LOGIN = "org.apache.kafka.common.security.plain.PlainLoginModule required"


@pytest.mark.parametrize(
    "line",
    [
        f'A.sasl.jass.config = {LOGIN} username="u" password="{PASSWORD}";',
        f'A.sasl.jass.config = {LOGIN} \\\n  username="u" \\\n  password="{PASSWORD}";',
        f'A.sasl.jaas.config = {LOGIN} \\\n  a="k"\nusername="u" password="{PASSWORD}";',
        f'clientId="kmirror" clientSecret="{PASSWORD}";',
        f'A.client.id = x\\\n  {LOGIN} password="{PASSWORD}";\nA.client.id = x',
        f"value.converter.basic.auth.user.info = u:{PASSWORD}",
        f"producer.override.basic.auth.user.info = u:{PASSWORD}",
        f"pass\\ password\\={PASSWORD} = x",
    ],
)
def test_a_login_under_another_name_is_hidden(load_text: Load, line: str) -> None:
    """Misspelt, cut off by a missing backslash, or of a name that no table has."""
    warnings = load_text(f"{line}\n").warnings
    assert "[hidden]" in str(warnings)
    assert PASSWORD not in str(warnings)


def test_sql_about_a_password_is_shown(load_text: Load) -> None:
    config = load_text("A->B.kmirror.where = key <> 'password='\n")
    assert not config.entries["A->B.kmirror.where"].secret


@pytest.mark.parametrize("name", ["transaction.timeout.ms", "buffer.memory"])
def test_a_reference_may_bring_a_number(load_text: Load, name: str) -> None:
    more = f"{REFERRED}kmirror.exactly.once = true\nB.producer.{name} = ${{env:PW}}\n"
    flow = load_text(more, environ={"PW": "8000000"}).flow(AB)
    assert flow.target_producer[name] == Secret("8000000")
    assert int(producer_values(flow.target_producer)["batch.size"]) > 0


def test_a_time_out_that_a_reference_brings_is_not_shown(load_text: Load) -> None:
    more = f"{REFERRED}B.producer.transaction.timeout.ms = ${{env:PW}}\n"
    more += "kmirror.exactly.once = true\nkmirror.commit.interval.ms = 5000\n"
    with pytest.raises(ConfigError, match=r"timeout\.ms, \[hidden\]"):
        load_text(more, environ={"PW": "8000"})
