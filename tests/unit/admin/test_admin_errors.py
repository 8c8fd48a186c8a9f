"""Kafka's errors in our words."""

from __future__ import annotations

import pytest
from confluent_kafka import KafkaError, KafkaException

from kmirror.admin import _errors
from kmirror.admin.client import KafkaAdmin
from kmirror.errors import ClusterError, ClusterUnavailable, NotAuthorized, RecordRefused


def translated(code: int, cause: _errors.ConnectionCause | None = None) -> ClusterError:
    """Translate an error met while listing topics."""
    error = KafkaException(KafkaError(code))
    return _errors.translate(error, cluster="B (b1:9092)", doing="list topics", cause=cause)


@pytest.mark.parametrize(
    ("code", "kind", "retriable"),
    [
        (KafkaError.TOPIC_AUTHORIZATION_FAILED, NotAuthorized, False),
        (KafkaError.TRANSACTIONAL_ID_AUTHORIZATION_FAILED, NotAuthorized, False),
        (KafkaError._TRANSPORT, ClusterUnavailable, True),
        (KafkaError.COORDINATOR_LOAD_IN_PROGRESS, ClusterUnavailable, True),
        (KafkaError.INVALID_CONFIG, ClusterError, False),
        (KafkaError.UNKNOWN, ClusterError, False),
    ],
)
def test_table(code: int, kind: type[ClusterError], retriable: bool) -> None:
    """Class, retriability, the cluster's name and what was being done."""
    error = translated(code)
    assert type(error) is kind
    assert error.retriable is retriable
    assert "B (b1:9092)" in error.message
    assert "list topics" in error.message


@pytest.mark.parametrize("code", [KafkaError._TRANSPORT, KafkaError._TIMED_OUT])
def test_a_refused_login_looks_like_a_timeout(code: int) -> None:
    """Only `error_cb` knows."""
    cause = _errors.ConnectionCause()
    cause.on_error(KafkaError(KafkaError._AUTHENTICATION, "b1:9092: wrong password"))
    cause.on_error(KafkaError(KafkaError._ALL_BROKERS_DOWN))
    error = translated(code, cause)
    assert type(error) is NotAuthorized
    assert "b1:9092: wrong password" in error.message
    cause.clear()
    assert type(translated(code, cause)) is ClusterUnavailable


def test_outages_are_counted() -> None:
    """One broker that cannot be reached is none, and what hides the cause is not it."""
    cause = _errors.ConnectionCause()
    cause.on_error(KafkaError(KafkaError._TRANSPORT, "b1:9092: Connection refused"))
    assert cause.outages == 0
    cause.on_error(KafkaError(KafkaError._ALL_BROKERS_DOWN))
    assert (cause.outages, cause.words()) == (1, "b1:9092: Connection refused")
    cause.clear()
    assert (cause.outages, cause.words()) == (1, "")


def test_predicates() -> None:
    """What callers ask instead of comparing codes."""
    assert _errors.is_fenced(KafkaException(KafkaError(KafkaError.PRODUCER_FENCED)))
    assert _errors.is_unknown_topic(KafkaError(KafkaError.UNKNOWN_TOPIC_OR_PART))
    assert _errors.is_transient(KafkaError(KafkaError.UNSTABLE_OFFSET_COMMIT))
    assert not _errors.is_transient(TimeoutError())
    assert _errors.is_passing(KafkaError(KafkaError._TRANSPORT))
    refused = _errors.refused_record(KafkaError(KafkaError.MSG_SIZE_TOO_LARGE), "t-0 offset 5")
    assert isinstance(refused, RecordRefused)
    assert "t-0 offset 5" in refused.message
    assert _errors.refused_record(KafkaError(KafkaError._TRANSPORT), "t-0") is None


def test_an_unreachable_cluster_is_named_with_its_address() -> None:
    """Nothing listens on port 1."""
    with (
        KafkaAdmin("B", {"bootstrap.servers": "127.0.0.1:1"}, timeout_s=0.5) as admin,
        pytest.raises(ClusterUnavailable, match=r"127\.0\.0\.1:1.*Connection refused"),
    ):
        admin.describe()


def test_an_unknown_setting_is_refused_at_once() -> None:
    """Before any connection is made."""
    with pytest.raises(ClusterError, match=r"nonsense\.setting"):
        KafkaAdmin("B", {"bootstrap.servers": "127.0.0.1:1", "nonsense.setting": "1"})
