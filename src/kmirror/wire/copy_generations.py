"""
Which generation of its copy a topic is in: records of the topic `mm2-offsets.<S>.internal`.

They stand beside MirrorMaker 2's positions, because these survive the flow's group: the topic is
compacted and nothing in it expires. The key has Connect's form with a connector that nobody has, so
MirrorMaker 2 keeps it and asks for it never.
"""

from __future__ import annotations

from dataclasses import dataclass

from kmirror.wire.json_text import compact, parsed

_CONNECTOR = "kmirror-generations"
GENERATION_MAX = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyGeneration:
    """
    The generation of one topic's copy.

    Args:
        flow: `S->T`.
        topic: The topic, by its name on the source.
        number: 1 is the copy with the topic's own name; from 2 on the name says the number.
    """

    flow: str
    topic: str
    number: int

    def encode(self) -> tuple[bytes, bytes]:
        """Return key and value."""
        key = [_CONNECTOR, {"flow": self.flow, "topic": self.topic}]
        return compact(key), compact({"generation": self.number})


def decode_generation(key: bytes | None, value: bytes | None) -> CopyGeneration | None:
    """Read one record; `None` when it is none of these."""
    place, fields = parsed(key), parsed(value)
    match place, fields:
        case [str(name), {"flow": str(flow), "topic": str(topic)}], {"generation": int(number)}:
            if name == _CONNECTOR and 1 <= number <= GENERATION_MAX:
                return CopyGeneration(flow=flow, topic=topic, number=number)
    return None
