"""Topic ids (KIP-516) as Java prints them: URL-safe base64 without padding."""

from __future__ import annotations

import base64
from uuid import UUID


def topic_id_text(topic_id: UUID | None) -> str:
    """Return an id as Java prints it; empty for none."""
    if topic_id is None:
        return ""
    return base64.urlsafe_b64encode(topic_id.bytes).decode().rstrip("=")


def topic_id_of(text: str) -> UUID | None:
    """Return the id that Java prints as *text*; `None` for an empty one."""
    return UUID(bytes=base64.urlsafe_b64decode(f"{text}==")) if text else None


NO_TOPIC_ID = topic_id_text(UUID(int=0))
"""What brokers say that know no ids: their ZooKeeper keeps topics of before Kafka 2.8."""
