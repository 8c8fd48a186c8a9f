"""What the file says about how fast a flow may read, and when."""

from __future__ import annotations

from kmirror.config.limits_values import FIRST_CLASS, bytes_per_second, priority_class
from kmirror.config.settings import Settings
from kmirror.policy.limits import LimitRules
from kmirror.policy.per_topic import PerTopic
from kmirror.policy.window import Window, read_window


def build_limits(settings: Settings) -> LimitRules:
    """Read a flow's limits and priorities."""
    flow = settings.value("kmirror.flow.limit.bytes.per.second")
    topics: PerTopic[int | None] = settings.per_topic(
        "kmirror.limit.bytes.per.second", None, bytes_per_second
    )
    return LimitRules(
        flow=flow if isinstance(flow, int) else None,
        topics=topics,
        priority=settings.per_topic("kmirror.priority", FIRST_CLASS, priority_class),
    )


def build_window(settings: Settings) -> Window | None:
    """Read when the flow copies; `None` for always."""
    text = settings.text_or_none("kmirror.window")
    return None if text is None else read_window(text)
