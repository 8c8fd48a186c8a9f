"""What the records of `offset.storage.topic` say together: where source connectors are."""

from __future__ import annotations

from kmirror.wire.source_offsets import SourceOffset, source_key


class OffsetFold:
    """Takes the topic's records, those of one key in their order."""

    def __init__(self) -> None:
        self._offsets: dict[str, dict[bytes, SourceOffset]] = {}

    def take(self, record: SourceOffset) -> None:
        """Let a record count."""
        # Whoever wrote it, the same words in another order are the same partition.
        key = source_key(record.connector, record.partition)
        known = self._offsets.setdefault(record.connector, {})
        if record.offset is None:
            known.pop(key, None)
        else:
            known[key] = record

    def offsets(self, connector: str) -> tuple[SourceOffset, ...]:
        """Return where a connector is, in the order of its keys."""
        known = self._offsets.get(connector, {})
        return tuple(known[key] for key in sorted(known))
