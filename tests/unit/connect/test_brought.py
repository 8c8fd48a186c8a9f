"""What references bring is in no answer, whatever an operator asks to have checked."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kmirror.config.keys.transforms import TRANSFORM_PACKAGE
from kmirror.connect.model import CheckedConfig, TargetState
from kmirror.connect.validation import errors_of, validate
from kmirror.errors import AlreadyExists, BadRequest
from tests.support.connect_files import CHECKPOINT, ENV_PROVIDER, SOURCE, connector
from tests.support.standing_worker import ADMIN, Standing

ALLOWED = f"{ENV_PROVIDER}A\nkmirror.connect.allowed.servers = a:9092,b:9092\n"
# Secrets that are words, lists, renames, aliases and regexes.
SECRETS = (
    *("S3CR3T", " S3CR3T , S3CR3T", "S3CR3T:a:S3CR3T,S3CR3T", "S3CR3T->S3CR3T", "S'S3CR3T\\3("),
    *("S3CR3T required;", "org.x.S3CR3T", "S3CR3T,\nS3CR3T"),
)
SHOWN = re.compile(r"S3CR|3CR3|\?S|\?<S")
WRITTEN = ("x${env:A}y", "(?${env:A}", "(?<${env:A}>a)(?<${env:A}>b)", "a, ${env:A}")
CASES = [(each, "${env:A}") for each in SECRETS] + [(SECRETS[0], each) for each in WRITTEN]
PLACES = (
    *("connector.plugin.version", "transforms", "predicates", "clusters", "metric.reporters"),
    *("source.cluster.alias", "target.cluster.alias", "source.cluster.bootstrap.servers"),
    *("target.cluster.bootstrap.servers", "producer.override.bootstrap.servers", "topics"),
    *("source.cluster.metric.reporters", "transforms.t.renames", "transforms.t.type", "tasks.max"),
    *("source.cluster.sasl.jaas.config", "source.consumer.isolation.level", "topics.exclude"),
    *("kmirror.acls.principals", "kmirror.deletion", "key.converter", "header.converter"),
    *("producer.override.acks", "producer.override.linger.ms", "replication.policy.separator"),
    *("sasl.oauthbearer.token.endpoint.url", "ssl.truststore.location", "kmirror.where"),
    *("kmirror.limits.topics", "transforms.t.predicate", "transforms.t.negate", "name"),
    *("exactly.once.support", "transaction.boundary", "offset-syncs.topic.location", "connector"),
    *("replication.policy.class", "topic.filter.class", "errors.tolerance", "errors.retry.timeout"),
    *("predicates.p.type", "predicates.p.pattern", "topic.creation.groups", "config.action.reload"),
)


def sent(key: str, text: str, kind: str = SOURCE) -> dict[str, str]:
    """Give a connector with transforms, predicates, and a setting more."""
    return connector(
        kind,
        name="n",
        transforms="t",
        transforms__t__type=f"{TRANSFORM_PACKAGE}ReplaceField$Key",
        predicates="p",
        predicates__p__type=f"{TRANSFORM_PACKAGE}predicates.TopicNameMatches",
        predicates__p__pattern="a",
    ) | {key: text}


def refusal(folder: Path, secret: str, config: dict[str, str]) -> str:
    """Post a connector; give what the worker says against it."""
    herder = Standing(folder, more=ALLOWED, environ={"A": secret}).herder
    try:
        herder.create("n", config, TargetState.STOPPED, ADMIN)
    except (BadRequest, AlreadyExists) as error:
        return str(error)
    return ""


def shown(checked: CheckedConfig, key: str) -> str | None:
    """Give the value that a check shows of a setting."""
    return {value.name: value.value for _, value in checked.configs}.get(key)


@pytest.mark.parametrize("key", PLACES)
def test_it_is_in_no_answer(key: str, tmp_path: Path) -> None:
    """Neither where settings are checked, nor where a connector is refused."""
    for secret, text in CASES:
        config = Standing(tmp_path, more=ALLOWED, environ={"A": secret}).config
        for kind in (SOURCE, CHECKPOINT):
            posted = sent(key, text, kind)
            checked = validate(kind, posted, config, {"other": connector()})
            assert not SHOWN.search(repr(checked)), (text, errors_of(checked))
            assert shown(checked, key) in {None, text, "[hidden]"}
        for more in ({}, {"clusters": "A, B", "A->B.enabled": "true", f"A.{key}": text}):
            said = refusal(tmp_path, secret, {**more, **sent(key, text)})
            assert not SHOWN.search(said), (text, said)


def test_names_of_settings_come_from_no_reference(tmp_path: Path) -> None:
    """Everybody sees them, so what they are made of is no secret."""
    config = Standing(tmp_path, more=ALLOWED, environ={"A": "S3CR3T"}).config
    for key in ("transforms", "predicates", "clusters"):
        checked = validate(SOURCE, sent(key, "${env:A}"), config)
        assert "expected names, and no reference" in "\n".join(errors_of(checked))
        assert "expected names" in refusal(tmp_path, "S3CR3T", sent(key, "${env:A}"))


def test_a_short_text_is_hidden_where_it_stands_alone(tmp_path: Path) -> None:
    """It is in every other word by chance, and what is said must stay readable."""
    config = Standing(tmp_path, more=ALLOWED, environ={"A": "007"}).config
    error, *_ = errors_of(validate(SOURCE, sent("tasks.max", "-${env:A}"), config))
    assert error == "Invalid value [hidden] for configuration tasks.max: Value must be at least 1"
    config = Standing(tmp_path, more=ALLOWED, environ={"A": "a"}).config
    checked = validate(SOURCE, sent("tasks.max", "${env:A}"), config)
    error, *_ = errors_of(checked)
    assert error == (
        "Invalid value [hidden] for configuration tasks.max: Not [hidden] number of type INT"
    )
