"""Where `kmirror top` finds its figures: a console that somebody serves, or the clusters."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

from kmirror.api.answers import EventList, EventView, PartitionList, TopicList
from kmirror.api.client import ApiClient
from kmirror.api.flows import FlowView, PartitionView, TopicView
from kmirror.api.orders import Ordered
from kmirror.config.load import MirrorConfig
from kmirror.config.server import Listener
from kmirror.console.choices import RowChoice
from kmirror.console.console import Console
from kmirror.errors import ApiRefused, OrderRefused

ROWS_MAX = 500
_ANSWER_S_MAX = 2.0


class Source(Protocol):
    """Whoever answers `kmirror top`; an error of kmirror's, or of the network, may come instead."""

    def flows(self) -> tuple[FlowView, ...]:
        """Return all flows."""
        ...

    def topics(self, flow: str) -> TopicList:
        """Return a flow's topics, the worst first."""
        ...

    def partitions(self, flow: str, *, text: str) -> PartitionList:
        """Return a flow's partitions that have a text, the worst first."""
        ...

    def events(self, flow: str) -> EventList:
        """Return events of a flow, the newest first."""
        ...

    def pause(self, flow: str, topic: str | None, partition: int | None, reason: str) -> Ordered:
        """Order that something is not copied."""
        ...

    def resume(self, flow: str, topic: str | None, partition: int | None, reason: str) -> Ordered:
        """Order that something is copied again."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """
    What a source said.

    Args:
        flows: All flows.
        flow: The one that the others are of; empty without a flow.
        partitions, topics, events: Its.
    """

    flows: tuple[FlowView, ...] = ()
    flow: str = ""
    partitions: tuple[PartitionView, ...] = ()
    topics: tuple[TopicView, ...] = ()
    events: tuple[EventView, ...] = ()


def look(source: Source, flow: str | None, text: str) -> Look:
    """
    Ask for everything.

    Args:
        source: Who is asked.
        flow: Which flow's partitions, topics and events; `None` for the first one's.
        text: Only those that have it.
    """
    flows, wanted = source.flows(), text.casefold()
    name = flow or (flows[0].name if flows else None)
    if name is None:
        return Look()
    topics = source.topics(name).topics
    events = source.events(name).events
    return Look(
        flows=flows,
        flow=name,
        partitions=source.partitions(name, text=text).partitions,
        topics=tuple(each for each in topics if wanted in each.topic.casefold()),
        events=tuple(each for each in events if wanted in each.text.casefold()),
    )


class ServedSource:
    """
    A console that somebody serves.

    Args:
        api: Asks it.
    """

    def __init__(self, api: ApiClient) -> None:
        self._api = api

    def flows(self) -> tuple[FlowView, ...]:
        """Return all flows."""
        return self._api.flows()

    def topics(self, flow: str) -> TopicList:
        """Return a flow's topics, the worst first."""
        return self._api.topics(flow)

    def partitions(self, flow: str, *, text: str) -> PartitionList:
        """Return a flow's partitions that have a text, the worst first."""
        return self._api.partitions(flow, text=text or None, limit=ROWS_MAX)

    def events(self, flow: str) -> EventList:
        """Return events of a flow, the newest first."""
        return self._api.events(flow=flow, limit=ROWS_MAX)

    def pause(self, flow: str, topic: str | None, partition: int | None, reason: str) -> Ordered:
        """Order that something is not copied."""
        return self._api.pause(flow, topic=topic, partition=partition, reason=reason)

    def resume(self, flow: str, topic: str | None, partition: int | None, reason: str) -> Ordered:
        """Order that something is copied again."""
        return self._api.resume(flow, topic=topic, partition=partition, reason=reason)


class ClustersSource:
    """
    The clusters of a file, whoever drives its flows.

    Args:
        console: Asks them.
    """

    def __init__(self, console: Console) -> None:
        self._console = console

    def flows(self) -> tuple[FlowView, ...]:
        """Return all flows."""
        return self._console.flows().flows

    def topics(self, flow: str) -> TopicList:
        """Return a flow's topics, the worst first."""
        return self._console.topics(flow)

    def partitions(self, flow: str, *, text: str) -> PartitionList:
        """Return a flow's partitions that have a text, the worst first."""
        return self._console.partitions(flow, RowChoice(text=text, limit=ROWS_MAX))

    def events(self, flow: str) -> EventList:
        """Return nothing: events are the driver's."""
        return self._console.events(flow=flow)

    def pause(self, flow: str, topic: str | None, partition: int | None, reason: str) -> Ordered:
        """
        Refuse: `kmirror pause` does it.

        Raises:
            OrderRefused: Always.
        """
        raise _no_orders("pause", flow, topic, partition, reason)

    def resume(self, flow: str, topic: str | None, partition: int | None, reason: str) -> Ordered:
        """
        Refuse: `kmirror resume` does it.

        Raises:
            OrderRefused: Always.
        """
        raise _no_orders("resume", flow, topic, partition, reason)


def _no_orders(
    verb: str, flow: str, topic: str | None, partition: int | None, reason: str
) -> OrderRefused:
    place = "" if topic is None else f" {topic}" if partition is None else f" {topic}:{partition}"
    return OrderRefused(
        "the driver's console is not reached, and this view gives no orders",
        hint=f"`kmirror {verb} FILE '{flow}'{place} --reason '{reason}'` does",
    )


def served_at(config: MirrorConfig, token: str | None = None) -> ApiClient | None:
    """
    Return a client for the console of a file's driver; `None` when none answers.

    Args:
        config: The file.
        token: To log in with; `None` for none.
    """
    at = config.console.listener
    if at is None or at.port == 0:
        return None
    local = Listener(scheme=at.scheme, host=at.host or "127.0.0.1", port=at.port)
    with suppress(OSError, ApiRefused, ValueError):
        if ApiClient(str(local), token=token, timeout_s=_ANSWER_S_MAX).server().has_driver:
            return ApiClient(str(local), token=token)
    return None
