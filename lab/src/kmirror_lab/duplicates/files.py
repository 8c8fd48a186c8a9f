"""What mirrors are told: their files, made of a scenario's lines."""

from __future__ import annotations

from collections.abc import Iterable

from kmirror_lab.cluster.mirror import ONE_COPY
from kmirror_lab.duplicates.result import Peer

SOURCE, TARGET = "us-east-1", "us-east-2"
TOPIC = "orders"
_PRODUCER, _CONSUMER = f"{TARGET}.producer.", f"{SOURCE}.consumer."

Lines = Iterable[tuple[str, str]]


def copy_of(peer: Peer) -> str:
    """Name the copy of the topic; MirrorMaker 1 does not rename."""
    return TOPIC if peer is Peer.MIRROR_MAKER_1 else f"{SOURCE}.{TOPIC}"


def client_id(peer: Peer) -> str:
    """Name the producer that writes the records, for a quota."""
    match peer:
        case Peer.MIRROR_MAKER:
            return "connector-producer-MirrorSourceConnector-0"
        case Peer.MIRROR_MAKER_1:
            return "producer-1"
        case Peer.KMIRROR:
            return f"{SOURCE}->{TARGET}|kmirror"


def mirror_file(source: str, target: str, more: Lines) -> str:
    """
    Write the `mm2.properties` of MirrorMaker 2 and of kmirror.

    Args:
        source: `bootstrap.servers` of the source.
        target: The same of the target.
        more: A scenario's lines.
    """
    return _text(
        [
            ("clusters", f"{SOURCE}, {TARGET}"),
            (f"{SOURCE}.bootstrap.servers", source),
            (f"{TARGET}.bootstrap.servers", target),
            (f"{SOURCE}->{TARGET}.enabled", "true"),
            (f"{SOURCE}->{TARGET}.topics", TOPIC),
            *((key, "1") for key in ONE_COPY),
            *more,
        ]
    )


def producer_file(target: str, more: Lines) -> str:
    """Write MirrorMaker 1's `producer.config`: what the scenario says of the target's producer."""
    return _text([("bootstrap.servers", target), *_of(_PRODUCER, more)])


def consumer_file(source: str, more: Lines) -> str:
    """Write MirrorMaker 1's `consumer.config`: what the scenario says of the source's consumer."""
    ours = [("group.id", "mirror-maker-1"), ("auto.offset.reset", "earliest")]
    return _text([("bootstrap.servers", source), *ours, *_of(_CONSUMER, more)])


def _of(prefix: str, lines: Lines) -> Lines:
    return [(key.removeprefix(prefix), value) for key, value in lines if key.startswith(prefix)]


def _text(lines: Lines) -> str:
    return "".join(f"{key} = {value}\n" for key, value in lines)
