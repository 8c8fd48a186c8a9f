"""Which topics, settings and groups the user wants mirrored (MM2's default filters)."""

from __future__ import annotations

from collections.abc import Sequence

from kmirror.policy.regex import NamePattern, compile_any

TOPICS_DEFAULT = (".*",)
TOPICS_EXCLUDE_DEFAULT = (r"mm2.*\.internal", r".*\.replica", "__.*")
GROUPS_DEFAULT = (".*",)
GROUPS_EXCLUDE_DEFAULT = ("console-consumer-.*", "connect-.*", "__.*")
CONFIG_PROPERTIES_EXCLUDE_DEFAULT = (
    "follower.replication.throttled.replicas",
    "leader.replication.throttled.replicas",
    "message.timestamp.difference.max.ms",
    "log.message.timestamp.before.max.ms",
    "log.message.timestamp.after.max.ms",
    "message.timestamp.type",
    "unclean.leader.election.enable",
    "min.insync.replicas",
)
# MirrorMaker 2 excludes these by the brokers' names, which no topic's setting has.
_BROKERS_NAMES = {
    "message.timestamp.before.max.ms": "log.message.timestamp.before.max.ms",
    "message.timestamp.after.max.ms": "log.message.timestamp.after.max.ms",
}


class NameFilter:
    """
    Topics or groups by name: whole-name match of any regex of *include*, and of none of *exclude*.

    Args:
        include: Java regexes; none at all matches nothing.
        exclude: Java regexes; they win.

    Raises:
        RegexProblem: an alternative that Java refuses, or that takes more than linear time.
    """

    __slots__ = ("_exclude", "_include")

    def __init__(self, include: Sequence[str], exclude: Sequence[str] = ()) -> None:
        self._include = compile_any(include)
        self._exclude = compile_any(exclude)

    def includes(self, name: str) -> bool:
        """Whether *include* names it."""
        return _matches(self._include, name)

    def excludes(self, name: str) -> bool:
        """Whether *exclude* names it."""
        return _matches(self._exclude, name)

    def allows(self, name: str) -> bool:
        """Whether it is to be mirrored, as far as the user is concerned."""
        return self.includes(name) and not self.excludes(name)


class ConfigPropertyFilter:
    """
    Topic settings by name: everything but *exclude*.

    Args:
        exclude: Java regexes of setting names.

    Raises:
        RegexProblem: as for `NameFilter`.
    """

    __slots__ = ("_exclude",)

    def __init__(self, exclude: Sequence[str] = CONFIG_PROPERTIES_EXCLUDE_DEFAULT) -> None:
        self._exclude = compile_any(exclude)

    def allows(self, name: str) -> bool:
        """Whether the topic setting *name* is copied."""
        names = (name, _BROKERS_NAMES.get(name, name))
        return not any(_matches(self._exclude, each) for each in names)


def _matches(pattern: NamePattern | None, name: str) -> bool:
    return pattern is not None and pattern.matches(name)
