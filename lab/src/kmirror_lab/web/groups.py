"""The consumer groups of a topic: owners, log sizes and offsets, as Kafka managers show them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from confluent_kafka import ConsumerGroupState, ConsumerGroupTopicPartitions, KafkaException
from confluent_kafka.admin import AdminClient
from confluent_kafka.admin._group import ConsumerGroupDescription

from kmirror.errors import ClusterUnavailable
from kmirror_lab.oracle.ends import ends
from kmirror_lab.web.view import GroupView, OwnedPartition

_ANSWER_S_MAX = 5
_GROUPS_MAX = 50
_IDLE = frozenset({ConsumerGroupState.EMPTY, ConsumerGroupState.DEAD})


def groups_of(admin: AdminClient, topic: str) -> tuple[GroupView, ...]:
    """
    Return the groups that have a partition of a topic, or an offset in it.

    Args:
        admin: Of the cluster.
        topic: The topic.

    Raises:
        ClusterUnavailable: The cluster does not answer, or refuses.
    """
    try:
        return tuple(_found(admin, topic))
    except KafkaException as error:
        raise ClusterUnavailable(error.args[0].str()) from error


def _found(admin: AdminClient, topic: str) -> Iterator[GroupView]:
    found = ends(admin, [topic], committed=False)
    log_sizes = {place.partition: end for place, end in found.items()}
    names = _names(admin)
    if not log_sizes or not names:
        return
    described = admin.describe_consumer_groups(names, request_timeout=_ANSWER_S_MAX)
    committed = {
        name: admin.list_consumer_group_offsets(
            [ConsumerGroupTopicPartitions(name)], request_timeout=_ANSWER_S_MAX
        )[name]
        for name in names
    }
    for name in names:
        group = described[name].result()
        offsets = _of_topic(committed[name].result(), topic)
        owners = _owners(group, topic)
        if offsets or owners:
            yield GroupView(
                group=name,
                state=str(group.state).rpartition(".")[2].replace("_", " ").lower(),
                partitions=tuple(
                    OwnedPartition(
                        partition=number,
                        log_size=end,
                        offset=offsets.get(number),
                        owner=owners.get(number, ("", ""))[0],
                        member=owners.get(number, ("", ""))[1],
                    )
                    for number, end in sorted(log_sizes.items())
                ),
            )


def _names(admin: AdminClient) -> list[str]:
    """Return the groups that count: those with members first."""
    listed = admin.list_consumer_groups(request_timeout=_ANSWER_S_MAX).result().valid
    listed.sort(key=lambda each: (each.state in _IDLE, each.group_id))
    return [each.group_id for each in listed[:_GROUPS_MAX]]


def _of_topic(committed: ConsumerGroupTopicPartitions, topic: str) -> Mapping[int, int]:
    return {
        each.partition: each.offset
        for each in committed.topic_partitions or ()
        if each.topic == topic and each.offset >= 0
    }


def _owners(group: ConsumerGroupDescription, topic: str) -> Mapping[int, tuple[str, str]]:
    """Return client id and member id by partition."""
    return {
        place.partition: (member.client_id, member.member_id)
        for member in group.members
        for place in member.assignment.topic_partitions
        if place.topic == topic
    }
