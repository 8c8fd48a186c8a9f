"""The events of what is kept equal besides records; part of the table."""

from __future__ import annotations

from kmirror.events.topic_acls import TOPIC_ACL_EVENTS
from kmirror.events.topic_settings import TOPIC_SETTINGS_EVENTS

PARITY_EVENTS = (*TOPIC_SETTINGS_EVENTS, *TOPIC_ACL_EVENTS)
