"""How fast a flow may read, and which of its topics come first."""

from __future__ import annotations

from dataclasses import dataclass

from kmirror.policy.per_topic import PerTopic
from kmirror.units import size


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitRules:
    """
    What the file says.

    Args:
        flow: Bytes a second for the whole flow; `None` for no limit.
        topics: The same for each topic.
        priority: The class of each topic; `A` comes first.
    """

    flow: int | None
    topics: PerTopic[int | None]
    priority: PerTopic[str]

    def __bool__(self) -> bool:
        limited = self.flow is not None or any(rate is not None for rate in self.topics.values)
        return limited or len(set(self.priority.values)) > 1

    @property
    def words(self) -> str:
        """The limits for people; empty when there are none."""
        flow = "" if self.flow is None else f"at most {size(self.flow)}/s"
        named = [(regex, rate) for regex, rate in self.topics.chosen if rate is not None]
        topics = [f"{regex} at most {size(rate)}/s" for regex, rate in named]
        if self.topics.default is not None:
            topics.append(f"each topic at most {size(self.topics.default)}/s")
        return ", ".join(filter(None, (flow, *topics)))

    def __str__(self) -> str:
        return "; ".join(
            (
                f"flow {'none' if self.flow is None else self.flow}",
                f"topics {self.topics}",
                f"priority {self.priority}",
            )
        )
