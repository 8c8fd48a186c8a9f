"""
Keys and values that people write for MirrorMaker 2 and that mean something else, or nothing.

MirrorMaker 2 drops them in silence, and a driver that obeyed them would copy otherwise than it did.
So they are not mapped to what was meant, but named, with what to write.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from kmirror.config.client_settings import SETTINGS_OF_ROLE
from kmirror.config.keys.key import split_list
from kmirror.config.keys.table import CLIENT_NAMES, KEYS
from kmirror.config.place import Place

_CLIENT = re.compile(
    r"(?:(?P<end>source|target)\.)?(?P<cluster>cluster\.)?"
    r"(?P<role>producer|consumer|admin)\.(?P<override>override\.)?(?P<name>.+)"
)
_CONNECTION = re.compile(r"(?P<end>source|target)\.cluster\.(?P<name>.+)")
# What a flow reads; see `resolve.end_client` and `resolve.data_producer`.
_OF_FLOWS = re.compile(
    r"(source\.)?consumer\.(?!override\.).+|(source\.|target\.)?admin\.(?!override\.).+"
    r"|producer\.override\..+|(source\.|target\.)?producer\.(?!override\.).+"
    r"|target\.consumer\.(?!override\.).+"
)
_OTHER_NAMES = {
    "topics": (
        *("whitelist", "topics.whitelist", "topic.whitelist", "topics.include"),
        *("topics.regex", "topics.pattern", "topic.regex"),
    ),
    "groups": ("groups.whitelist", "group.whitelist", "groups.include", "groups.regex"),
    "topics.exclude": ("blacklist", "topic.blacklist", "topics.excludes"),
    "groups.exclude": ("group.blacklist", "groups.excludes"),
    "tasks.max": ("num.streams",),
}
_RIGHT_NAMES = {wrong: right for right, names in _OTHER_NAMES.items() for wrong in names}
# Kafka 3.9's and older default of `topics.exclude`, however its brackets are written.
_OLD_EXCLUDE = frozenset({".*[-.]internal", ".*[.-]internal"})
_COMMENT = re.compile(r"\s#")
COMMENT_WORDS = "# begins a comment only at the start of a line; here it is part of the value"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ends:
    """
    The clusters that are read, and those that are written to, by alias.

    Args:
        sources, targets: In the order of the file.
    """

    sources: tuple[str, ...]
    targets: tuple[str, ...]


def mistaken_key(place: Place, ends: Ends) -> str | None:
    """
    Say what to write instead of a key that nobody reads.

    Args:
        place: Where it stands.
        ends: The clusters of the flows that are switched on.

    Returns:
        Words for the operator; `None` for a key that is no such one.
    """
    right = _RIGHT_NAMES.get(place.name)
    if right is not None and place.cluster is None:
        return f"MirrorMaker 2 has no such key: write {_before(place)}{right}"
    client = _CLIENT.fullmatch(place.name)
    # `admin.timeout.ms` looks like a client's, and is none.
    if client is not None and place.name not in KEYS:
        return _mistaken_client(place, ends, client)
    connection = _CONNECTION.fullmatch(place.name)
    if connection is not None:
        return _mistaken_connection(place, ends, connection)
    return None


def old_exclude(text: str) -> str | None:
    r"""
    Say what the old default of `topics.exclude` leaves out that today's does not.

    Args:
        text: The value. `.*[\-\.]internal` was there up to Kafka 3.9.
    """
    for item in split_list(text):
        if item.replace("\\", "") in _OLD_EXCLUDE:
            return (
                f"{item} is of Kafka 3.9's default, and leaves out topics of your own that end in "
                "-internal or .internal; write mm2.*\\\\.internal in its place, as today's does"
            )
    return None


def has_comment(text: str) -> bool:
    """Whether a value ends in what looks like a comment."""
    return _COMMENT.search(text) is not None


def _mistaken_client(place: Place, ends: Ends, found: re.Match[str]) -> str | None:
    role, name, end = found["role"], found["name"], found["end"]
    is_plain = end is None and found["override"] is None
    is_known = name in SETTINGS_OF_ROLE[role] or name in CLIENT_NAMES
    if _is_read(place, is_plain=is_plain) or not (is_known or is_plain):
        return None
    begin = "has no effect at top level" if is_plain else "MirrorMaker 2 reads no such key"
    if role == "consumer" and end == "target":
        return f"{begin}, and nothing that it would set: records are only read from the source"
    return f"{begin}: write {_client_form(place, ends, role, end, name)}"


def _is_read(place: Place, *, is_plain: bool) -> bool:
    if place.flow is not None:
        return _OF_FLOWS.fullmatch(place.name) is not None
    return place.cluster is not None and is_plain


def _client_form(place: Place, ends: Ends, role: str, end: str | None, name: str) -> str:
    if place.flow is not None:
        return _flow_form(place, role, end, name)
    if place.cluster is not None:
        return f"{place.cluster}.{role}.{name}"
    if role == "producer" or end == "target":
        return _forms(ends.targets, "T", f"{role}.{name}")
    if role == "admin" and end is None:
        return _forms({*ends.sources, *ends.targets}, "A", f"{role}.{name}")
    return _forms(ends.sources, "S", f"{role}.{name}")


def _flow_form(place: Place, role: str, end: str | None, name: str) -> str:
    assert place.flow is not None
    if role == "producer":
        return f"{place.flow.target}.producer.{name}, or {place.flow}.producer.override.{name}"
    return f"{place.flow}.{end or 'source'}.{role}.{name}"


def _mistaken_connection(place: Place, ends: Ends, found: re.Match[str]) -> str | None:
    name, end = found["name"], found["end"]
    if place.name in {"source.cluster.alias", "target.cluster.alias"}:
        return None
    if place.flow is not None:
        if name in CLIENT_NAMES:
            return None
        roles = [role for role, names in SETTINGS_OF_ROLE.items() if name in names]
        forms = [
            _flow_form(place, role, end, name)
            for role in roles
            if role == "admin" or (role == "consumer") is (end == "source")
        ]
        return f"reaches no client: write {' or '.join(forms)}" if forms else None
    if name not in CLIENT_NAMES or place.cluster is not None:
        return None
    aliases, letter = (ends.sources, "S") if end == "source" else (ends.targets, "T")
    return (
        "belongs to a connector of Kafka Connect, not to the driver's file: write "
        f"{_forms(aliases, letter, name)}"
    )


def _forms(aliases: Collection[str], letter: str, name: str) -> str:
    if 0 < len(aliases) <= 2:
        return " or ".join(f"{alias}.{name}" for alias in sorted(aliases))
    whose = {"S": "the source's", "T": "the target's", "A": "a cluster's"}[letter]
    return f"{letter}.{name} with {whose} alias"


def _before(place: Place) -> str:
    return "" if place.flow is None else f"{place.flow}."
