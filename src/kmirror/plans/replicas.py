"""Copies with fewer replicas than their topics; pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kmirror.plans.accounts import Report
from kmirror.plans.snapshot import TopicState
from kmirror.plans.text import first_few


def compare_replicas(
    copies: Mapping[str, str],
    source: Mapping[str, TopicState],
    target: Mapping[str, TopicState],
    *,
    brokers: int,
    servers: str,
) -> Iterator[Report]:
    """
    Yield copies with fewer replicas, those with the same numbers together.

    Args:
        copies: The copies' names, by the topics'.
        source, target: All topics, by name.
        brokers: How many the target has.
        servers: Its `bootstrap.servers`.
    """
    found = dict[tuple[int, int], list[str]]()
    for topic, copy in sorted(copies.items()):
        wanted, there = source[topic].replicas, target[copy].replicas
        if there < wanted:
            found.setdefault((there, wanted), []).append(copy)
    for (there, wanted), names in sorted(found.items()):
        begin = f"replication factor {there} of {first_few(names)}: the source has {wanted}"
        if brokers < wanted:
            yield Report(
                kind="replication_factor",
                words=f"{begin}, but the target has {brokers} broker{'s' if brokers > 1 else ''}",
            )
            continue
        yield Report(
            kind="replication_factor",
            words=f"{begin}; name {wanted} brokers for each partition in more-replicas.json",
            commands=(
                f"kafka-reassign-partitions.sh --bootstrap-server {servers} "
                "--reassignment-json-file more-replicas.json --execute",
            ),
        )
