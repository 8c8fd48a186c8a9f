"""Two clusters to try with: topics that are sent to, and what of that arrives."""

from __future__ import annotations

import re
import threading
import uuid
from collections import deque
from dataclasses import dataclass, field

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from kmirror.clock import Clock
from kmirror.errors import BadRequest, ClusterUnavailable
from kmirror_lab.cluster.clients import admin_client
from kmirror_lab.cluster.state import ClusterState
from kmirror_lab.web.counter import Counter
from kmirror_lab.web.groups import groups_of
from kmirror_lab.web.sender import Sender, Sending
from kmirror_lab.web.view import Arrived, GroupView, TopicView

TOPIC = "topic001"
"""The topic of those who name none, as the guides of MirrorMaker 1 have it."""

_TOPIC_NAME = re.compile(r"(?!\.{1,2}$)[a-zA-Z0-9._-]{1,200}")
_TOPICS_MAX = 20
_SENDINGS_MAX = 8
_SENDINGS_SHOWN = 5
_ANSWER_S_MAX = 30.0


@dataclass(slots=True, kw_only=True)
class _Topic:
    """
    A topic that was sent to.

    Args:
        sender: Its producer.
        counters: Cluster and topic, to what counts there.
        sendings: What was sent for a time, the newest last.
    """

    sender: Sender
    counters: dict[tuple[str, str], Counter]
    sendings: deque[Sending] = field(default_factory=lambda: deque(maxlen=_SENDINGS_SHOWN))


class TryOut:
    """
    Sends to one cluster, and counts on both.

    Args:
        source: The cluster that is sent to.
        target: The one that a mirror copies to.
        partitions: Of topics that are made.
        clock: Where time comes from.
    """

    def __init__(
        self, source: ClusterState, target: ClusterState, *, partitions: int, clock: Clock
    ) -> None:
        self.source = source
        self.target = target
        self._partitions = partitions
        self._clock = clock
        self._admin: AdminClient = admin_client(source.bootstrap)
        self._lock = threading.Lock()
        self._topics: dict[str, _Topic] = {}

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics that were sent to, or prepared."""
        return tuple(self._topics)

    def prepare(self, name: str) -> None:
        """
        Make a topic on both clusters, where it is not there, and count what comes into it.

        Raises:
            BadRequest: That is no name, or there are too many.
            ClusterUnavailable: A cluster does not answer, or refuses.
        """
        self._topic(name)

    def send(self, name: str, records: int) -> range:
        """
        Send records to a topic; see `Sender.send`.

        Raises:
            BadRequest, ClusterUnavailable: As `prepare`.
        """
        return self._topic(name).sender.send(records)

    def begin(self, name: str, *, seconds: float, rate: int) -> Sending:
        """
        Begin to send to a topic for a time; see `Sending`.

        Raises:
            BadRequest, ClusterUnavailable: As `prepare`.
        """
        topic = self._topic(name)
        with self._lock:
            if sum(map(_goes_on, self._topics.values())) >= _SENDINGS_MAX:
                raise BadRequest(f"{_SENDINGS_MAX} sendings go on already; stop one")
            sending = Sending(seconds, rate)
            topic.sendings.append(sending)
        threading.Thread(
            target=topic.sender.send_for, args=(sending,), name=f"sending-{name}", daemon=True
        ).start()
        return sending

    def stop(self) -> None:
        """Stop whatever is being sent, and wait for the last acknowledgement."""
        for topic in list(self._topics.values()):
            for sending in list(topic.sendings):
                if not sending.ended.is_set():
                    sending.stop.set()
                    sending.ended.wait(_ANSWER_S_MAX)

    def reset(self, name: str) -> None:
        """Count anew: what is sent to a topic from now on."""
        self.stop()
        with self._lock:
            topic = self._topics.pop(name, None)
        if topic is not None:
            _close(topic)
            self._topic(name)

    def look(self, name: str) -> TopicView:
        """
        Look at a topic.

        Raises:
            BadRequest: That is no name.
        """
        _check(name)
        topic = self._topics.get(name)
        if topic is None:
            return TopicView(topic=name)
        groups: tuple[GroupView, ...] = ()
        trouble = ""
        try:
            groups = groups_of(self._admin, name)
        except ClusterUnavailable as error:
            trouble = f"{self.source.name}: {error}"
        return TopicView(
            topic=name,
            sent=topic.sender.acknowledged,
            sendings=tuple(each.text for each in reversed(topic.sendings)),
            is_sending=_goes_on(topic) > 0,
            arrived=tuple(
                Arrived(cluster=cluster, topic=copy, counted=each.counted, trouble=each.trouble)
                for (cluster, copy), each in topic.counters.items()
                if each.is_there or copy == name
            ),
            groups=groups,
            trouble=trouble,
        )

    def close(self) -> None:
        """Stop sending and counting."""
        self.stop()
        for topic in self._topics.values():
            _close(topic)

    def _topic(self, name: str) -> _Topic:
        _check(name)
        with self._lock:
            found = self._topics.get(name)
            if found is not None:
                return found
            if len(self._topics) >= _TOPICS_MAX:
                raise BadRequest(f"{_TOPICS_MAX} topics are in use; start anew to try others")
            self._topics[name] = made = self._made(name)
            return made

    def _made(self, name: str) -> _Topic:
        partitions = self._ensure(self.source, name)
        self._ensure(self.target, name)
        run = uuid.uuid4().hex
        places = [
            (self.source, name),
            (self.target, name),
            # What a flow of `kmirror run` and MirrorMaker 2 call the copy.
            (self.target, f"{self.source.name}.{name}"),
        ]
        return _Topic(
            sender=Sender(self.source.bootstrap, name, partitions, run, self._clock),
            counters={
                (cluster.name, topic): Counter(cluster.bootstrap, topic, run, self._clock)
                for cluster, topic in places
            },
        )

    def _ensure(self, cluster: ClusterState, name: str) -> int:
        """Make a topic that is not there; return how many partitions it has."""
        admin = admin_client(cluster.bootstrap)
        new = NewTopic(name, num_partitions=self._partitions, replication_factor=-1)
        try:
            admin.create_topics([new], request_timeout=_ANSWER_S_MAX)[name].result()
            return self._partitions
        except KafkaException as error:
            if error.args[0].code() != KafkaError.TOPIC_ALREADY_EXISTS:
                raise ClusterUnavailable(f"{cluster.name}: {error.args[0].str()}") from error
        return len(admin.list_topics(name, timeout=_ANSWER_S_MAX).topics[name].partitions)


def _check(name: str) -> None:
    if _TOPIC_NAME.fullmatch(name) is None:
        raise BadRequest("topic: expected letters, digits, dots, underscores and hyphens")


def _goes_on(topic: _Topic) -> int:
    return sum(not each.ended.is_set() for each in topic.sendings)


def _close(topic: _Topic) -> None:
    for each in topic.counters.values():
        each.end()
    for each in topic.counters.values():
        each.close()
