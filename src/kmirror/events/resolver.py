"""The events of `kmirror resolve`; part of the table."""

from __future__ import annotations

from logging import INFO, WARNING

from kmirror.events.event import Event

RESOLVER_LISTENING = Event(
    name="resolver.listening",
    level=INFO,
    text="telling applications where they work at {address}",
    meaning="Applications may ask there; see [the resolver](resolver.md).",
)
RESOLVER_OPEN = Event(
    name="resolver.open",
    level=WARNING,
    text="{address}: everybody who reaches this address may ask where applications work",
    meaning="They learn addresses of clusters and names of topics.",
    action="Listen on 127.0.0.1, or give `--users`.",
)
REGION_MOVED = Event(
    name="region.moved",
    level=INFO,
    text="applications of {region} work on {target}: {reason}",
    meaning="A failover or a failback; whoever listens to the resolver has been told.",
)
REGION_DOUBTFUL = Event(
    name="region.doubtful",
    level=WARNING,
    text="what was known of the {part} of {region} counts: {reason}",
    meaning="A cluster did not answer, or refused. The resolver answers with what it saw last.",
    action="Nothing for a cluster that is away. For one that refuses: give the file's "
    "principal Describe on the group and the topics that it names.",
)
REGION_CERTAIN = Event(
    name="region.certain",
    level=INFO,
    text="the {part} of {region} can be asked for again",
    meaning="The end of `region.doubtful`.",
)
RESOLVER_EVENTS = (
    RESOLVER_LISTENING,
    RESOLVER_OPEN,
    REGION_MOVED,
    REGION_DOUBTFUL,
    REGION_CERTAIN,
)
