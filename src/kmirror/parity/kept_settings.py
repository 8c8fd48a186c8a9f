"""Settings that stay different on the target, put together where the cause is the same; pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kmirror.ends.topic_settings import SettingFailure, SettingSurvey
from kmirror.errors import NotAuthorized


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptSettings:
    """
    What stays as it is, for one topic or for several in the same way.

    Args:
        settings: The settings; empty if nobody could read them.
        topics: The topics, by name.
        why: The cause, for people; of several topics' errors it is the first.
    """

    settings: tuple[str, ...]
    topics: tuple[str, ...]
    why: str

    def __str__(self) -> str:
        what = ", ".join(self.settings) or "settings"
        more = len(self.topics) - 1
        others = f" and {more} other topic{'s' if more > 1 else ''}" if more else ""
        return f"{what} of {self.topics[0]}{others}: not kept equal: {self.why}"


def kept_settings(
    survey: SettingSurvey, refused: Sequence[SettingFailure]
) -> tuple[KeptSettings, ...]:
    """
    Say what stays different. What a cluster did not answer in time is not part of it.

    Args:
        survey: What was read and planned.
        refused: What the target did not change.
    """
    found = dict[tuple[tuple[str, ...], str], tuple[str, list[str]]]()
    for failure in (*survey.unread, *refused):
        if not failure.error.retriable:
            # The message names the topic; what has to be granted is the same for all.
            is_right = isinstance(failure.error, NotAuthorized)
            cause = failure.error.hint if is_right else failure.error.message
            at = found.setdefault((failure.names, cause), (str(failure.error), []))
            at[1].append(failure.topic)
    for left_out in survey.plan.left_out:
        at = found.setdefault(((left_out.name,), left_out.reason), (left_out.reason, []))
        at[1].append(left_out.topic)
    return tuple(
        KeptSettings(settings=settings, topics=tuple(sorted(topics)), why=why)
        for (settings, _), (why, topics) in found.items()
    )
