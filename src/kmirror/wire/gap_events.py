"""
The records of the topic `kmirror-events` on a target: gaps, the newest of each kind and partition,
and each record that a copy has gone on without.

Key and value are text: the key joins flow, kind, topic and partition by `|`, which no topic's name
has, and of what was left out the offset, too; the value is a JSON object. Readers ignore fields
that they do not know.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

from kmirror.wire.json_text import compact, parsed

VERSION = 1
PARKED = "parked"
RESOLVED = "resolved"
_LEFT_OUT = frozenset({"skip", "dlq"})  # the values of `policy.poison` that give something up


@dataclass(frozen=True, slots=True, kw_only=True)
class GapEvent:
    """
    A gap that was found, or something that was left out, and what was done about it.

    Args:
        flow: `S->T`.
        kind: What made it: `overtaken`, `truncated` and so on, or `too_large` and so on.
        topic: The topic, by its name on the source.
        partition: Its partition.
        copy: The topic on the target.
        log: Whose offsets the next two are: `source` or `target`.
        start: The first offset of the gap; `None` when it is not known.
        end: The offset behind it; `None` when it is not known.
        records: How many offsets that is, so at most as many records; `None` when not known.
        reaction: What the file says to do.
        status: `parked` while an operator has to decide, `resolved` when the copy goes on.
        offset: The source offset at which it goes on; `None` while it does not.
        metric: The name under which such gaps are counted.
        reason: The same in words.
        at_ms: When it was found, milliseconds since the epoch.
        letter_topic: The topic for dead letters, if that has it.
        letter: The offset there.
    """

    flow: str
    kind: str
    topic: str
    partition: int
    copy: str
    log: str
    start: int | None
    end: int | None
    records: int | None
    reaction: str
    status: str
    offset: int | None
    metric: str
    reason: str
    at_ms: int
    letter_topic: str | None = None
    letter: int | None = None

    @property
    def key(self) -> bytes:
        """What makes a later finding take the place of this one."""
        place = f"{self.flow}|{self.kind}|{self.topic}|{self.partition}"
        return (f"{place}|{self.start}" if self.is_left_out else place).encode()

    @property
    def is_left_out(self) -> bool:
        """Whether it is something that the copy has gone on without, by `kmirror.poison`."""
        return self.reaction in _LEFT_OUT

    @property
    def is_parked(self) -> bool:
        """Whether the partition stands still before the gap."""
        return self.status == PARKED

    def encode(self) -> tuple[bytes, bytes]:
        """Return key and value."""
        fields = asdict(self)
        # The last offset, and not the one behind it: people read it, too.
        start, end = fields.pop("start"), fields.pop("end")
        fields |= {"from": start, "to": None if end is None else end - 1}
        return self.key, compact({"version": VERSION, **fields})


def decode_gap(value: bytes | None) -> GapEvent | None:
    """Read a record's value; `None` when it is none of ours."""
    fields = parsed(value)
    match fields:
        case {
            "version": 1,
            "flow": str(flow),
            "kind": str(kind),
            "topic": str(topic),
            "partition": int(partition),
            "at_ms": int(at_ms),
        }:
            last = _number(fields, "to")
            return GapEvent(
                flow=flow,
                kind=kind,
                topic=topic,
                partition=partition,
                copy=_text(fields, "copy"),
                log=_text(fields, "log"),
                start=_number(fields, "from"),
                end=None if last is None else last + 1,
                records=_number(fields, "records"),
                reaction=_text(fields, "reaction"),
                status=_text(fields, "status"),
                offset=_number(fields, "offset"),
                metric=_text(fields, "metric"),
                reason=_text(fields, "reason"),
                at_ms=at_ms,
                letter_topic=_text(fields, "letter_topic") or None,
                letter=_number(fields, "letter"),
            )
    return None


def _text(fields: dict[str, object], name: str) -> str:
    value = fields.get(name)
    return value if isinstance(value, str) else ""


def _number(fields: dict[str, object], name: str) -> int | None:
    value = fields.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else None
