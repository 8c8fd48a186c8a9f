"""In which generation each topic's copy is, and how the next one begins."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from typing import Any

from kmirror.admin.base import ClusterAdmin
from kmirror.admin.connect_offsets import StoredPositions, read_connect_offsets
from kmirror.admin.internal_writer import InternalRecord, InternalWriter
from kmirror.clock import Clock
from kmirror.config.flows import FlowConfig
from kmirror.ends.clients import FlowClients, open_clients
from kmirror.ends.connect_copies import SecondCopy, write_copies
from kmirror.ends.facts import mm2_key
from kmirror.errors import NotAuthorized
from kmirror.events.emit import emit
from kmirror.events.gaps import GENERATION_BEGUN
from kmirror.model import TopicPartition
from kmirror.policy.selection import generation_name
from kmirror.wire.copy_generations import CopyGeneration
from kmirror.wire.murmur2 import partition_for_key


def with_generations(config: FlowConfig, clients: FlowClients) -> FlowConfig:
    """
    Return a flow of the file with the generations that its copies are in.

    Args:
        config: The flow.
        clients: Its clients; only the target is asked.

    Raises:
        ClusterError: The target did not answer, or lets nobody read where it is written.
    """
    return with_generations_on(config, clients.target, clients.target_rdkafka)


def with_generations_on(
    config: FlowConfig, target: ClusterAdmin, rdkafka: Mapping[str, Any]
) -> FlowConfig:
    """
    Do the same for who has no other clients.

    Args:
        config: The flow.
        target: The target's control plane.
        rdkafka: librdkafka settings for the target.

    Raises:
        ClusterError: As `with_generations`.
    """
    stored = read_connect_offsets(
        target,
        rdkafka,
        config.offset_storage_topic,
        timeout_s=config.admin_timeout_s,
    )
    return in_generations(config, stored)


def in_generations(config: FlowConfig, stored: StoredPositions) -> FlowConfig:
    """
    Do the same for who has read the topic.

    Args:
        config: The flow.
        stored: What its `offset_storage_topic` says.
    """
    found = {
        each.topic: each.number for each in stored.generations if each.flow == str(config.flow)
    }
    later = {topic: number for topic, number in found.items() if number > 1}
    return replace(config, generations=tuple(sorted(later.items())))


def with_readable_generations(config: FlowConfig, clients: FlowClients) -> FlowConfig:
    """
    Return the same for commands, which go on without the right to read it: all copies are first.

    Raises:
        ClusterError: The target did not answer.
    """
    with suppress(NotAuthorized):
        return with_generations(config, clients)
    return config


@contextmanager
def open_readable(config: FlowConfig, clock: Clock) -> Iterator[tuple[FlowConfig, FlowClients]]:
    """
    Open the clients of a flow, until the context ends, and give it as `with_readable_generations`.

    Args:
        config: The flow.
        clock: Where time comes from.

    Raises:
        ClusterError: The target did not answer.
    """
    with closing(open_clients(config, clock, looks=True)) as clients:
        yield with_readable_generations(config, clients), clients


def next_numbers(
    config: FlowConfig, topics: Collection[str], source: Iterable[str], target: Collection[str]
) -> Mapping[str, int]:
    """
    Choose the generations to begin: the next ones whose names are free.

    Args:
        config: The flow, with the generations that its copies are in.
        topics: The topics, by their names on the source.
        source: All topics of the source.
        target: All of the target.
    """
    selection = config.topic_selection()
    copies = {config.policy.format_remote_topic(config.flow.source, each) for each in source}
    taken = copies | set(target)
    known = dict(config.generations)
    numbers: dict[str, int] = {}
    for topic in topics:
        number = known.get(topic, 1) + 1
        first = selection.first_copy(topic)
        while generation_name(first, number) in taken:
            number += 1
        numbers[topic] = number
    return numbers


def begin_generations(
    config: FlowConfig, clients: FlowClients, topics: Collection[str]
) -> FlowConfig:
    """
    Begin the next generation of topics' copies; what they have so far is left as it is.

    Only the flow's owner may call this, with all lanes at rest.

    Args:
        config: The flow, with the generations that its copies are in.
        clients: Its clients.
        topics: The topics, by their names on the source.

    Returns:
        The flow with the new generations.

    Raises:
        ClusterError: It was not written; doing it again does no harm.
    """
    there, copies = clients.source.topics(), clients.target.topics()
    numbers = next_numbers(config, topics, there, copies)
    partitions = copies[config.offset_storage_topic].partitions
    timeout_s = config.admin_timeout_s
    places = [
        TopicPartition(topic, number)
        for topic in topics
        if topic in there
        for number in range(there[topic].partitions)
    ]
    # First of all: the second copy's positions are those of the copy that ends here.
    copy = SecondCopy(
        positions=[(mm2_key(config, place), 0) for place in places],
        generation=0,
        timeout_s=timeout_s,
    )
    write_copies(config, clients.target, clients.target_rdkafka, copy, partitions=partitions)
    records = []
    for topic, number in numbers.items():
        key, value = CopyGeneration(flow=str(config.flow), topic=topic, number=number).encode()
        at = partition_for_key(key, partitions)
        records.append(InternalRecord(key=key, value=value, partition=at))
    cluster = f"cluster {config.flow.target}"
    with closing(
        InternalWriter(clients.target_rdkafka, cluster=cluster, timeout_s=timeout_s)
    ) as writer:
        writer.write(config.offset_storage_topic, records)
    generations = dict(config.generations) | dict(numbers)
    begun = replace(config, generations=tuple(sorted(generations.items())))
    selection = begun.topic_selection()
    for topic, number in numbers.items():
        emit(
            GENERATION_BEGUN,
            flow=config.flow,
            topic=topic,
            copy=selection.remote_topic(topic),
            copy_generation=number,
        )
    return begun
