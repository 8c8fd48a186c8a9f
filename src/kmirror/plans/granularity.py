"""Which batches of a topic cannot travel whole, as far as its settings tell; pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kmirror.plans.clocks import STAMP_SETTING, STAMPED_BY_BROKERS

_COMPRESSION, _CLEANUP = "compression.type", "cleanup.policy"
_LIMIT = "max.message.bytes"


def exceptions(source: Mapping[str, str], target: Mapping[str, str]) -> tuple[str, ...]:
    """
    Say what is not copied as it is, and why; nothing when every batch is.

    The lanes decide batch by batch (`io.kmirror.batch.Packing`); these are the reasons that are
    known before a batch is seen.

    Args:
        source: Settings of a source topic, by name.
        target: Settings of its copy; empty when there is none yet.
    """
    return tuple(_exceptions(source, target))


def _exceptions(source: Mapping[str, str], target: Mapping[str, str]) -> Iterator[str]:
    if source.get(STAMP_SETTING) == STAMPED_BY_BROKERS:
        yield f"record by record: its timestamps are the source broker's ({STAMP_SETTING})"
    if "compact" in source.get(_CLEANUP, ""):
        yield f"record by record where compaction removed records from a batch ({_CLEANUP})"
    limit = _number(target, _LIMIT)
    if limit is not None and (_number(source, _LIMIT) or 0) > limit:
        yield f"record by record above {limit:,} bytes (the target's {_LIMIT})"
    codec = target.get(_COMPRESSION, "producer")
    if codec != "producer":
        yield f"the target compresses batches again, with {codec} ({_COMPRESSION})"


def _number(settings: Mapping[str, str], name: str) -> int | None:
    text = settings.get(name, "")
    return int(text) if text.isdigit() else None
