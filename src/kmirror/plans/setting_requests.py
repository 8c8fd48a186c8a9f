"""
In which requests settings of topics are changed; pure.

A request is at most 1 MiB, whatever is in it, and a KRaft controller takes none that becomes more
than 10,000 records of its log: one for each setting.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from kmirror.plans.topic_settings import SettingChange

BYTES_MAX = 1 << 20
SETTINGS_MAX = 5_000
# What Kafka's protocol puts around a name, a value or a list, and what comes before all of them.
_FIELD_BYTES = 8
_HEAD_BYTES = 512


def alterations(
    changes: Sequence[SettingChange],
) -> Iterator[Mapping[str, Sequence[SettingChange]]]:
    """
    Yield the changes of each request, by topic.

    A topic is in one request: its changes are made together, or none of them is. A broker takes no
    value beyond 32,767 bytes, so only a topic of dozens of such values would need several.
    """
    request = dict[str, list[SettingChange]]()
    total, count = _HEAD_BYTES, 0
    for part in _parts(changes):
        topic, size = part[0].topic, sum(map(_bytes, part))
        is_full = total + size > BYTES_MAX or count + len(part) > SETTINGS_MAX
        if request and (is_full or topic in request):
            yield request
            request, total, count = {}, _HEAD_BYTES, 0
        request[topic] = part
        total, count = total + size, count + len(part)
    if request:
        yield request


def _parts(changes: Sequence[SettingChange]) -> Iterator[list[SettingChange]]:
    """Yield each topic's changes; in pieces if they would not fit a request alone."""
    for _, of_topic in groupby(sorted(changes, key=_topic), key=_topic):
        part, size = list[SettingChange](), _HEAD_BYTES
        for change in of_topic:
            if part and size + _bytes(change) > BYTES_MAX:
                yield part
                part, size = [], _HEAD_BYTES
            part.append(change)
            size += _bytes(change)
        yield part


def _topic(change: SettingChange) -> str:
    return change.topic


def _bytes(change: SettingChange) -> int:
    """How much a change adds to a request, at most."""
    texts = (change.topic, change.name, change.after or "")
    return sum(len(text.encode()) + _FIELD_BYTES for text in texts)
