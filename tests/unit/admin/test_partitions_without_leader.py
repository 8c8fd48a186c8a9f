"""Partitions that have no leader yet, asked about together with others, in virtual time."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import Future
from typing import Any

import pytest
from confluent_kafka import OFFSET_INVALID, KafkaError, KafkaException
from confluent_kafka import TopicPartition as KafkaPartition
from confluent_kafka.admin import (
    ClusterMetadata,
    ListOffsetsResultInfo,
    PartitionMetadata,
    TopicMetadata,
)

from kmirror.admin.client import KafkaAdmin
from kmirror.clock import ManualClock
from kmirror.errors import ClusterError, ClusterUnavailable
from kmirror.model import TopicPartition

LED, LEADERLESS = TopicPartition("t", 0), TopicPartition("t", 1)
TIMEOUT_S = 10.0


class Brokers:
    """Answers for every partition but one, whose leader does not know of it."""

    asked = listings = 0

    def list_offsets(
        self, asked: Iterable[KafkaPartition], **_: object
    ) -> dict[KafkaPartition, Future[Any]]:
        self.asked += 1
        answers: dict[KafkaPartition, Future[Any]] = {place: Future() for place in asked}
        for place, answer in answers.items():
            self.settle(place, answer)
        return answers

    def settle(self, place: KafkaPartition, answer: Future[Any]) -> None:
        """Answer for one partition."""
        if place.partition == LEADERLESS.partition:
            answer.set_exception(KafkaException(KafkaError(KafkaError.NOT_LEADER_FOR_PARTITION)))
        else:
            answer.set_result(ListOffsetsResultInfo(7, -1, -1))

    def list_topics(self, **_: object) -> ClusterMetadata:
        self.listings += 1
        cluster, topic = ClusterMetadata(), TopicMetadata()
        topic.partitions = {number: PartitionMetadata() for number in (0, 1)}
        cluster.topics = {"t": topic}
        return cluster

    def poll(self, _: float) -> None:
        """Serve no callbacks."""


@pytest.fixture
def clock() -> ManualClock:
    """Give a clock that moves when somebody waits."""
    return ManualClock()


@pytest.fixture
def admin(clock: ManualClock, monkeypatch: pytest.MonkeyPatch) -> KafkaAdmin:
    """Give a control plane of those brokers."""
    admin = KafkaAdmin("A", {"bootstrap.servers": "a:1"}, timeout_s=TIMEOUT_S, clock=clock)
    monkeypatch.setattr(admin._requests, "_client", Brokers())
    return admin


def test_others_do_not_wait_for_it(admin: KafkaAdmin, clock: ManualClock) -> None:
    """It is left out after a moment, which is not to be taken for empty."""
    assert admin.offsets([LED, LEADERLESS], partial=True) == {LED: 7}
    assert clock.monotonic_s() < TIMEOUT_S / 2


def test_alone_it_is_a_failure(admin: KafkaAdmin, clock: ManualClock) -> None:
    """Nobody else waits, so it has all the time there is."""
    with pytest.raises(ClusterError, match="t-1"):
        admin.offsets([LEADERLESS], partial=True)
    assert clock.monotonic_s() >= TIMEOUT_S


def test_who_needs_all_of_them_gets_all_or_none(admin: KafkaAdmin) -> None:
    """What is left out could be taken for copied."""
    with pytest.raises(ClusterError, match="t-1"):
        admin.offsets([LED, LEADERLESS])


class Nobody(Brokers):
    """No partition has a leader yet when they are asked for the first time."""

    def settle(self, place: KafkaPartition, answer: Future[Any]) -> None:  # noqa: ARG002  # all alike
        if self.asked == 1:
            answer.set_exception(KafkaException(KafkaError(KafkaError._NOENT)))
        else:
            answer.set_result(ListOffsetsResultInfo(7, -1, -1))


def test_topics_are_listed_once_for_all_that_lack_a_leader(
    admin: KafkaAdmin, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which may be thousands that were just made; what is not among them does not exist."""
    brokers = Nobody()
    monkeypatch.setattr(admin._requests, "_client", brokers)
    absent = TopicPartition("t", 2)
    assert admin.offsets([LED, LEADERLESS, absent]) == {LED: 7, LEADERLESS: 7}
    assert (brokers.asked, brokers.listings) == (2, 1)


class Silence(Brokers):
    """The leader of one partition is dead: the library makes an answer up, which is no error."""

    def settle(self, place: KafkaPartition, answer: Future[Any]) -> None:
        is_silent = place.partition == LEADERLESS.partition
        answer.set_result(ListOffsetsResultInfo(OFFSET_INVALID if is_silent else 7, -1, -1))


@pytest.fixture
def silent(admin: KafkaAdmin, monkeypatch: pytest.MonkeyPatch) -> Silence:
    """Give the brokers of a control plane, one of which is dead."""
    brokers = Silence()
    monkeypatch.setattr(admin._requests, "_client", brokers)
    return brokers


def test_a_dead_leader_is_left_out(admin: KafkaAdmin, silent: Silence) -> None:
    """While it rests, too."""
    for _ in range(2):
        assert admin.offsets([LED, LEADERLESS], partial=True) == {LED: 7}
    assert silent.asked == 2


def test_who_needs_a_dead_leader_gets_none(admin: KafkaAdmin, silent: Silence) -> None:
    """Whether it was asked just now or rests."""
    for _ in range(2):
        with pytest.raises(ClusterUnavailable, match="t-1: its leader does not answer"):
            admin.offsets([LED, LEADERLESS])
    assert silent.asked == 2


@pytest.mark.parametrize("partial", [True, False])
def test_a_dead_cluster_has_not_answered(admin: KafkaAdmin, silent: Silence, partial: bool) -> None:
    """Nor is why it cannot be reached forgotten; nobody is asked while all of them rest."""
    why = "Connection refused"
    admin._cause.on_error(KafkaError(KafkaError._TRANSPORT, why))
    for _ in range(2):
        with pytest.raises(ClusterUnavailable, match=f"t-1: {why}"):
            admin.offsets([LEADERLESS], partial=partial)
    assert silent.asked == 1
