"""Requests to one cluster: in pieces, again while it says "not yet", with errors in our words."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from functools import cache
from typing import Any, TypeVar

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka import TopicPartition as KafkaPartition
from confluent_kafka.admin import (  # type: ignore[attr-defined]  # public, but not in __all__
    AdminClient,
    ClusterMetadata,
    TopicMetadata,
)

from kmirror.admin import _errors, _values
from kmirror.admin.renewal import Renewal
from kmirror.clock import Clock
from kmirror.errors import ClusterError, MirrorError, NotAuthorized
from kmirror.pieces import pieces
from kmirror.waits import waiting

PER_REQUEST_MAX = 1000  # topics or partitions in one request: an answer stays below a few MiB
_ANSWER_GRACE_S = 5.0  # for an answer that is lost: librdkafka keeps the deadline itself
_RETRY_PAUSE_S = 0.05
_NO_TOPIC = "?"  # no name that a topic can have: an answer about the cluster, and nothing is made
_LEADERLESS_S_MAX = 2.0  # others wait so long for partitions that have no leader yet

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")


class Requests:
    """
    Asks a cluster through librdkafka's admin client.

    Args:
        name: The cluster, as messages name it.
        config: librdkafka settings.
        cause: Is told why connections fail.
        timeout_s: Deadline of every request, seconds.
        clock: Where time comes from.
    """

    def __init__(
        self,
        name: str,
        config: Mapping[str, Any],
        cause: _errors.ConnectionCause,
        *,
        timeout_s: float,
        clock: Clock,
    ) -> None:
        self._name = name
        self._cause = cause
        self._timeout_s = timeout_s
        self._clock = clock
        self._never = threading.Event()
        self._renewal = Renewal(config, {}, cause=cause, cluster=name, doing="connect", clock=clock)
        self._lock = threading.Lock()
        self._client: AdminClient = self._renewal.open(AdminClient)
        # Somebody may have asked it a moment ago; who waits for an answer keeps it.
        self._before: AdminClient | None = None
        self.renewals = 0

    @property
    def client(self) -> AdminClient:
        """What asks; another one if this one was refused, since it keeps old certificates."""
        with self._lock, suppress(ClusterError):
            if self._renewal.is_due:
                self._before, self._client = self._client, self._renewal.open(AdminClient)
                self.renewals += 1
            elif not self._renewal.is_recent:
                self._before = None  # it would go on to connect to brokers that refuse it
        return self._client

    def close(self) -> None:
        """
        Let go of connections: the library does when nothing refers to the client any more.

        A thread that still waits for an answer keeps the client until it has one.
        """
        del self._client
        self._before = None

    def metadata(self) -> Mapping[str, TopicMetadata]:
        """Ask for all topics; one request."""
        try:
            with self._waiting("list topics"):
                metadata = self.client.list_topics(timeout=self._timeout_s)
        except KafkaException as error:
            raise self._translated(error, "list topics") from error
        self._cause.clear()
        return metadata.topics

    def cluster(self) -> ClusterMetadata:
        """
        Ask for the brokers, the controller and the cluster's id; one small request.

        Not by `describe_cluster`: librdkafka (2.16) ends the process when a broker that has just
        started answers that it knows no brokers yet.
        """
        return self.one(self._brokers, "describe the cluster")

    def _brokers(self) -> ClusterMetadata:
        metadata = self.client.list_topics(_NO_TOPIC, timeout=self._timeout_s)
        if not metadata.brokers:
            raise KafkaException(KafkaError(KafkaError.BROKER_NOT_AVAILABLE))
        return metadata

    def described(self, doing: str = "describe the cluster", *, with_rights: bool = False) -> Any:
        """
        Ask for what only `describe_cluster` tells, racks and rights, when brokers are known.

        Args:
            doing: What for, as in "could not <doing>".
            with_rights: Ask for this principal's rights.
        """
        self.cluster()
        return self.one(
            lambda: self.answer(
                self.client.describe_cluster(
                    include_authorized_operations=with_rights, request_timeout=self._timeout_s
                )
            ),
            doing,
        )

    def one(self, call: Callable[[], T], doing: str) -> T:
        """
        Ask one question and wait for the answer.

        Args:
            call: Asks, and waits.
            doing: What for, as in "could not <doing>".
        """
        deadline_s = self._clock.monotonic_s() + self._timeout_s
        with self._waiting(doing):
            while True:
                try:
                    answer = call()
                except (KafkaException, TimeoutError) as error:
                    if not self._may_retry(error, deadline_s):
                        raise self._translated(error, doing) from error
                    continue
                self._cause.clear()
                return answer

    def many(
        self,
        items: Sequence[K],
        ask: Callable[[Collection[K]], Mapping[K, Future[Any]]],
        doing: str,
        *,
        partial: bool = False,
        needs: str = "",
        refused: dict[K, NotAuthorized] | None = None,
        tells: Callable[[Any], bool] = lambda _answer: True,
    ) -> dict[K, Any]:
        """
        Ask about items, piece by piece; what does not exist is left out of the answer.

        Args:
            items: What about.
            ask: Sends one request.
            doing: What for, as in "could not <doing> <item>".
            partial: Items whose leaders do not act yet are left out after a moment.
            needs: The operation that an ACL has to allow, for the hint.
            refused: Gets the items about which we may not ask; without it, one refusal fails all.
            tells: Whether an answer is a broker's: the library makes some up when none has come.
        """
        answers: dict[K, Any] = {}
        more = f" and {len(items) - 1} more" if len(items) > 1 else ""
        about = f" {_values.label(items[0])}{more}" if items else ""
        with self._waiting(doing + about):
            for piece in pieces(items, PER_REQUEST_MAX):
                answers |= self._ask(
                    piece, ask, doing, partial=partial, needs=needs, refused=refused
                )
        if items and (not answers or any(map(tells, answers.values()))):
            self._cause.clear()
        return answers

    def _ask(
        self,
        pending: Collection[K],
        ask: Callable[[Collection[K]], Mapping[K, Future[Any]]],
        doing: str,
        *,
        partial: bool,
        needs: str,
        refused: dict[K, NotAuthorized] | None,
    ) -> dict[K, Any]:
        began_s = self._clock.monotonic_s()
        answers: dict[K, Any] = {}
        while pending:
            again: dict[K, BaseException] = {}
            is_absent = self._absence()
            for item, future in ask(pending).items():
                try:
                    answers[item] = self.answer(future)
                except (KafkaException, TimeoutError) as error:
                    if _errors.is_unknown_topic(error) or is_absent(item, error):
                        continue
                    # Only the first one waits; the others have had their pause by then.
                    if again or self._may_retry(error, began_s + self._timeout_s):
                        again[item] = error
                        continue
                    failure = self._translated(error, f"{doing} {_values.label(item)}", needs)
                    if refused is None or not isinstance(failure, NotAuthorized):
                        raise failure from error
                    refused[item] = failure
            pending = again
            if partial and answers and self._clock.monotonic_s() - began_s > _LEADERLESS_S_MAX:
                pending = () if _errors.all_lack_leaders(again.values()) else again
        return answers

    def answer(self, future: Future[Any]) -> Any:
        """Wait for an answer of the library."""
        return future.result(timeout=self._timeout_s + _ANSWER_GRACE_S)

    def failures(
        self,
        futures: Mapping[K, Future[Any]],
        doing: str,
        harmless: Callable[[BaseException], bool] = lambda _error: False,
        *,
        needs: str = "",
    ) -> dict[str, MirrorError]:
        """
        Wait for the answers to orders; gives what failed, by name.

        Args:
            futures: The answers.
            doing: What was ordered, as in "could not <doing> <name>".
            harmless: Whether an error says that there was nothing to do.
            needs: The operation that an ACL has to allow, for the hint.
        """
        failed: dict[str, MirrorError] = {}
        with self._waiting(doing):
            for item, future in futures.items():
                try:
                    self.answer(future)
                except (KafkaException, TimeoutError) as error:
                    if not harmless(error):
                        name = _values.label(item)
                        failed[name] = self._translated(error, f"{doing} {name}", needs)
        return failed

    def unanswered(self, doing: str) -> ClusterError:
        """Return the error for a question that no leader has answered, and that is not put now."""
        silence = KafkaError(KafkaError._TIMED_OUT, "its leader does not answer")  # noqa: SLF001  # a public code
        return self._translated(silence, doing)

    @contextmanager
    def _waiting(self, doing: str) -> Iterator[None]:
        # An answer to a client that is being destroyed ends the process: librdkafka's parser of
        # metadata then returns neither a result nor an error (`rd_kafka_admin_response_parse`).
        asked = self.client
        with waiting(f"for {self._name}", doing, why=self._why):
            yield
        del asked

    def _why(self) -> str:
        """Say what keeps connections from coming about; empty when that is not known."""
        with suppress(AttributeError):  # not open yet, or closed meanwhile
            self._client.poll(0)  # Serves error_cb, which may know.
        return self._cause.words()

    def _absence(self) -> Callable[[object, BaseException], bool]:
        """Return what tells partitions that do not exist from those that only lack a leader now."""
        # All of a request lack one together: what there is is asked for once.
        topics = cache(lambda: _values.topic_states(self.metadata()))

        def is_absent(item: object, error: BaseException) -> bool:
            if not isinstance(item, KafkaPartition) or not _errors.is_leaderless(error):
                return False
            topic = topics().get(item.topic)
            return topic is None or item.partition >= topic.partitions

        return is_absent

    def _may_retry(self, error: BaseException, deadline_s: float) -> bool:
        """Return whether *error* passes by itself and there is time; if so, pause."""
        passes = _errors.is_transient(error) or _errors.is_leaderless(error)
        if not passes or self._clock.monotonic_s() >= deadline_s:
            return False
        self._clock.wait(self._never, _RETRY_PAUSE_S)
        if _errors.is_outdated(error):
            # The library goes on with the leaders that it knows, for minutes.
            with suppress(KafkaException):
                self.client.list_topics(timeout=self._timeout_s)
        return True

    def _translated(
        self, error: BaseException | KafkaError, doing: str, needs: str = ""
    ) -> ClusterError:
        self._why()
        return _errors.translate(
            error, cluster=self._name, doing=doing, cause=self._cause, needs=needs
        )
