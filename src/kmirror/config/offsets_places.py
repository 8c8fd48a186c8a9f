"""The topics in which Connect keeps a flow's positions."""

from __future__ import annotations

from dataclasses import dataclass

from kmirror.config.client_properties import ClientProperties
from kmirror.config.settings import Settings
from kmirror.model import Flow
from kmirror.wire.flow_names import offsets_topic


@dataclass(frozen=True, slots=True, kw_only=True)
class OffsetsPlace:
    """
    A topic in which Connect keeps positions.

    Args:
        topic: Its name.
        client: How to reach the cluster that has it; `None` for the flow's target.
    """

    topic: str
    client: ClientProperties | None = None


def storage_topic(storage: Settings, flow: Flow) -> str:
    """Return the workers' topic, as the file names it, or else as MirrorMaker 2's driver does."""
    return storage.text_or_none("offset.storage.topic") or offsets_topic(flow.source)


def own_places(settings: Settings, workers: str) -> tuple[OffsetsPlace, ...]:
    """
    Return the connector's own topic, if it has one.

    Args:
        settings: The connector's.
        workers: The workers' topic.
    """
    topic = settings.text_or_none("offsets.storage.topic")
    return () if topic is None or topic == workers else (OffsetsPlace(topic=topic),)
