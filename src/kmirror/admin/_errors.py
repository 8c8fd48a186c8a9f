"""Kafka's errors in our words: the only place that looks at librdkafka's error codes."""

# ruff: noqa: SLF001  # librdkafka's own codes are public although they begin with an underscore

from __future__ import annotations

import threading
from collections.abc import Iterable

from confluent_kafka import KafkaError, KafkaException

from kmirror.errors import ClusterError, ClusterUnavailable, NotAuthorized, RecordRefused

_DENIED = {
    KafkaError.TOPIC_AUTHORIZATION_FAILED: "topic",
    KafkaError.GROUP_AUTHORIZATION_FAILED: "group",
    KafkaError.CLUSTER_AUTHORIZATION_FAILED: "cluster",
    KafkaError.TRANSACTIONAL_ID_AUTHORIZATION_FAILED: "transactional id",
}

_REFUSED_LOGIN = {
    KafkaError._AUTHENTICATION: "check user, password and mechanism (sasl.jaas.config)",
    KafkaError._SSL: "check ssl.truststore.*, ssl.keystore.* and security.protocol",
    KafkaError.SASL_AUTHENTICATION_FAILED: "check user and password (sasl.jaas.config)",
    KafkaError.UNSUPPORTED_SASL_MECHANISM: "check sasl.mechanism",
}

# Answers of a cluster that is alive and says "not yet".
_OUTDATED = {
    KafkaError.FENCED_LEADER_EPOCH,
    KafkaError.UNKNOWN_LEADER_EPOCH,
    KafkaError.NOT_LEADER_FOR_PARTITION,
}

_TRANSIENT = _OUTDATED | {
    KafkaError.COORDINATOR_LOAD_IN_PROGRESS,
    KafkaError.COORDINATOR_NOT_AVAILABLE,
    KafkaError.NOT_COORDINATOR,
    KafkaError.NOT_CONTROLLER,
    KafkaError.LEADER_NOT_AVAILABLE,
    KafkaError.REPLICA_NOT_AVAILABLE,
    KafkaError.OFFSET_NOT_AVAILABLE,
    KafkaError.UNSTABLE_OFFSET_COMMIT,
    KafkaError.CONCURRENT_TRANSACTIONS,
    KafkaError.BROKER_NOT_AVAILABLE,
}

_UNAVAILABLE = _TRANSIENT | {
    KafkaError._TRANSPORT,
    KafkaError._TIMED_OUT,
    KafkaError._TIMED_OUT_QUEUE,
    KafkaError._ALL_BROKERS_DOWN,
    KafkaError._RESOLVE,
    KafkaError._WAIT_COORD,
    KafkaError._MSG_TIMED_OUT,
    KafkaError.REQUEST_TIMED_OUT,
    KafkaError.NETWORK_EXCEPTION,
    KafkaError.THROTTLING_QUOTA_EXCEEDED,
    KafkaError.NOT_ENOUGH_REPLICAS,
    KafkaError.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
    KafkaError.KAFKA_STORAGE_ERROR,
}

_FENCED = {KafkaError._FENCED, KafkaError.PRODUCER_FENCED, KafkaError.INVALID_PRODUCER_EPOCH}

_UNKNOWN_TOPIC = {
    KafkaError.UNKNOWN_TOPIC_OR_PART,
    KafkaError._UNKNOWN_TOPIC,
    KafkaError._UNKNOWN_PARTITION,
    KafkaError.UNKNOWN_TOPIC_ID,
}

_REFUSED_RECORD = {
    KafkaError.MSG_SIZE_TOO_LARGE,
    KafkaError.INVALID_TIMESTAMP,
    KafkaError.INVALID_RECORD,
    KafkaError.RECORD_LIST_TOO_LARGE,
}

_HINTS = {
    KafkaError.INVALID_REPLICATION_FACTOR: "set replication.factor to the number of live brokers",
    KafkaError.POLICY_VIOLATION: "a policy of the cluster's own refused it: create.topic.policy or "
    "alter.config.policy",
    KafkaError.UNSUPPORTED_VERSION: "the brokers are too old for this request",
    KafkaError.UNKNOWN_MEMBER_ID: "the group has active members; stop them first",
    KafkaError.NON_EMPTY_GROUP: "the group has active members; stop them first",
    KafkaError.INVALID_CONFIG: "exclude the setting with config.properties.exclude",
    KafkaError.SECURITY_DISABLED: "it enforces no ACLs; sync.topic.acls.enabled = false leaves "
    "them alone",
    KafkaError.INVALID_TRANSACTION_TIMEOUT: "the brokers' transaction.max.timeout.ms is lower",
}


class ConnectionCause:
    """
    The last thing that librdkafka said about its connections.

    A wrong password or an unknown certificate fails a request only as "transport failure" or
    "timed out"; why, and at which address, is told to `error_cb` alone.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last: KafkaError | None = None
        self._outages = 0
        self._is_all_down = False

    def on_error(self, error: KafkaError) -> None:
        """Be librdkafka's `error_cb`."""
        with self._lock:
            is_all = error.code() == KafkaError._ALL_BROKERS_DOWN
            self._outages += is_all
            self._is_all_down |= is_all
            # "All brokers down" follows every cause and would hide it.
            if not is_all or self._last is None:
                self._last = error

    def last(self) -> KafkaError | None:
        """Return the newest cause."""
        with self._lock:
            return self._last

    def words(self) -> str:
        """Say it; empty when nothing is known."""
        told = self.last()
        return "" if told is None else told.str()

    @property
    def is_refusal(self) -> bool:
        """
        Whether no broker is left that takes our login and certificate, and whose we take.

        One of several that refuses us, such as one with a wrong certificate, is no reason to let
        go of the others.
        """
        with self._lock:
            told = self._last
            return self._is_all_down and told is not None and told.code() in _REFUSED_LOGIN

    @property
    def outages(self) -> int:
        """How often no broker at all could be reached so far."""
        with self._lock:
            return self._outages

    def clear(self) -> None:
        """Forget it: the cluster has answered."""
        with self._lock:
            self._last = None
            self._is_all_down = False


def kafka_error(error: BaseException | KafkaError) -> KafkaError:
    """Return the `KafkaError` inside whatever the library raised."""
    if isinstance(error, KafkaError):
        return error
    if isinstance(error, KafkaException) and error.args and isinstance(error.args[0], KafkaError):
        return error.args[0]
    if isinstance(error, TimeoutError):
        return KafkaError(KafkaError._TIMED_OUT)
    return KafkaError(KafkaError._FAIL, str(error))


def translate(
    error: BaseException | KafkaError,
    *,
    cluster: str,
    doing: str,
    cause: ConnectionCause | None = None,
    needs: str = "",
) -> ClusterError:
    """
    Translate Kafka's error into ours.

    Args:
        error: What the library raised or returned.
        cluster: The cluster's alias and addresses, as the message shall name it.
        doing: What was being done, as in "could not <doing>".
        cause: What `error_cb` was told.
        needs: The operation that an ACL has to allow, such as `AlterConfigs`.
    """
    kafka = kafka_error(error)
    code = kafka.code()
    told = cause.last() if cause is not None else None
    if code == KafkaError._FATAL and told is not None:
        code, kafka = told.code(), told  # what made the client useless, and not that it is
    if code in _DENIED:
        return NotAuthorized(
            f"{cluster}: not authorized to {doing}: {kafka.str()}",
            hint=f"grant this principal {needs or 'the missing operation'} on the {_DENIED[code]}",
        )
    if code in _UNAVAILABLE and told is not None and told.code() in _REFUSED_LOGIN:
        code, kafka = told.code(), told
    if code in _REFUSED_LOGIN:
        return NotAuthorized(
            f"{cluster}: could not {doing}: {kafka.str()}", hint=_REFUSED_LOGIN[code]
        )
    if code in _UNAVAILABLE:
        # Whoever says that offsets are not stable is there.
        why = kafka if told is None or code == KafkaError.UNSTABLE_OFFSET_COMMIT else told
        return ClusterUnavailable(f"{cluster}: could not {doing}: {why.str()}")
    message = f"{cluster}: could not {doing}: {kafka.str()} ({kafka.name()})"
    translated = ClusterError(message, hint=_HINTS.get(code, ""))
    if kafka.retriable():
        translated = ClusterUnavailable(message, hint=_HINTS.get(code, ""))
    return translated


def is_denied(error: BaseException | KafkaError) -> bool:
    """Return whether an ACL is missing."""
    return kafka_error(error).code() in _DENIED


def is_transient(error: BaseException | KafkaError) -> bool:
    """Return whether a living cluster asked to be asked again, a moment later."""
    return kafka_error(error).code() in _TRANSIENT


def is_passing(error: BaseException | KafkaError) -> bool:
    """
    Return whether a reader goes on by itself after this: its connection comes back.

    Our readers have a group in name only. The library asks for its coordinator all the same, and
    not being allowed to is no obstacle to reading.
    """
    kafka = kafka_error(error)
    needless = kafka.code() == KafkaError.GROUP_AUTHORIZATION_FAILED
    return needless or kafka.code() in _UNAVAILABLE or kafka.retriable()


def is_fenced(error: BaseException | KafkaError) -> bool:
    """Return whether a newer producer took this transactional id."""
    return kafka_error(error).code() in _FENCED


def is_unknown_topic(error: BaseException | KafkaError) -> bool:
    """Return whether the topic or partition does not exist (any more)."""
    return kafka_error(error).code() in _UNKNOWN_TOPIC


def is_unknown_group(error: BaseException | KafkaError) -> bool:
    """Return whether a group does not exist: brokers say so since Kafka 4.0 (KIP-1043)."""
    return kafka_error(error).code() == KafkaError.GROUP_ID_NOT_FOUND


def is_leaderless(error: BaseException | KafkaError) -> bool:
    """Return whether none of the partitions asked for has a leader, or none exists."""
    return kafka_error(error).code() == KafkaError._NOENT


def all_lack_leaders(errors: Iterable[BaseException]) -> bool:
    """Return whether every one of *errors* is about a partition whose leader does not act yet."""
    return all(is_leaderless(error) or is_outdated(error) for error in errors)


def is_outdated(error: BaseException | KafkaError) -> bool:
    """Return whether the client knows a leader that is none any more, or is one anew."""
    return kafka_error(error).code() in _OUTDATED


def is_topic_exists(error: BaseException | KafkaError) -> bool:
    """Return whether a topic to be created exists already."""
    return kafka_error(error).code() == KafkaError.TOPIC_ALREADY_EXISTS


def is_invalid_partitions(error: BaseException | KafkaError) -> bool:
    """Return whether a number of partitions was refused: there may be that many already."""
    return kafka_error(error).code() == KafkaError.INVALID_PARTITIONS


def refused_record(error: BaseException | KafkaError, what: str) -> RecordRefused | None:
    """Return the error for a record that no retry will bring through; `None` for other errors."""
    kafka = kafka_error(error)
    if kafka.code() not in _REFUSED_RECORD:
        return None
    return RecordRefused(f"{what}: {kafka.str()}")
