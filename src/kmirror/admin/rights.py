"""Asks a cluster what this principal may do; asking changes nothing (KIP-430)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from typing import Any

from confluent_kafka import KafkaException, TopicCollection

from kmirror.admin import _errors
from kmirror.admin.client import KafkaAdmin
from kmirror.admin.requests import PER_REQUEST_MAX
from kmirror.errors import ClusterError, NotAuthorized
from kmirror.pieces import pieces
from kmirror.plans.access import Operation
from kmirror.plans.missing_rights import HIDDEN, Rights
from kmirror.plans.topics import NewTopic

_BY_NAME = {operation.name: operation for operation in Operation}


class RightsAdmin(KafkaAdmin):
    """A control plane that knows what it may do; its arguments are `KafkaAdmin`'s."""

    def topic_rights(self, names: Iterable[str]) -> Mapping[str, Rights]:
        """
        Return this principal's rights on topics, also on those that are not there.

        Args:
            names: Which topics.

        Raises:
            ClusterError: It did not answer.
        """
        found = self._asked(
            names,
            lambda chunk: self._requests.client.describe_topics(
                TopicCollection(list(chunk)),
                include_authorized_operations=True,
                request_timeout=self._timeout_s,
            ),
        )
        absent = [name for name, rights in found.items() if not rights.exists]
        refused = self._refused_creations(absent)
        create = frozenset({Operation.CREATE})
        for name in absent:
            known = found[name]
            found[name] = Rights(
                exists=known.exists,
                allowed=known.allowed | (frozenset() if name in refused else create),
                denied=known.denied | (create if name in refused else frozenset()),
            )
        return found

    def group_rights(self, names: Iterable[str]) -> Mapping[str, Rights]:
        """
        Return this principal's rights on groups, also on those that are not there.

        A cluster that never had a group tells nothing: the question would make Kafka's own topic.

        Args:
            names: Which groups.

        Raises:
            ClusterError: It did not answer.
        """
        if not self._may_ask_groups():
            return {}
        return self._asked(
            names,
            lambda chunk: self._requests.client.describe_consumer_groups(
                list(chunk),
                include_authorized_operations=True,
                request_timeout=self._timeout_s,
            ),
        )

    def cluster_rights(self, names: Iterable[str]) -> Mapping[str, Rights]:
        """
        Return this principal's rights on the cluster.

        Args:
            names: What the cluster is called as a resource.

        Raises:
            ClusterError: It did not answer.
        """
        return dict.fromkeys(names, _granted(self._requests.described(with_rights=True)))

    def _asked(self, names: Iterable[str], ask: _Ask) -> dict[str, Rights]:
        found: dict[str, Rights] = {}
        for chunk in pieces(sorted(set(names)), PER_REQUEST_MAX):
            for name, future in ask(chunk).items():
                found[name] = self._rights(name, future, ask)
        return found

    def _rights(self, name: str, future: Future[Any], ask: _Ask) -> Rights:
        try:
            return _granted(self._requests.answer(future))
        except (KafkaException, TimeoutError) as error:
            if _errors.is_denied(error):
                return HIDDEN
            if _errors.is_unknown_topic(error) or _errors.is_unknown_group(error):
                # Else it would have been refused: there is some right that brings Describe.
                return Rights(exists=False, allowed=frozenset({Operation.DESCRIBE}))
        try:
            # What passes by itself is asked again.
            again = self._requests.one(
                lambda: self._requests.answer(ask([name])[name]), f"ask for rights on {name}"
            )
        except ClusterError as error:
            if error.retriable:
                raise
            return Rights(exists=None)  # such as of a share group, which has no offsets to commit
        return _granted(again)

    def _refused_creations(self, names: Sequence[str]) -> set[str]:
        """Ask which topics may not be created; none is."""
        topics = [NewTopic(name=name, partitions=1, replication_factor=1) for name in names]
        failed = self.create_topics(topics, validate_only=True) if topics else {}
        return {name for name, error in failed.items() if isinstance(error, NotAuthorized)}


_Ask = Callable[[Sequence[str]], Mapping[str, Future[Any]]]


def _granted(described: Any) -> Rights:
    told = described.authorized_operations or ()
    allowed = frozenset(_BY_NAME[each.name] for each in told if each.name in _BY_NAME)
    return Rights(exists=True, allowed=allowed, denied=frozenset(Operation) - allowed)
