"""Settings of a client of which some are read from files, and read again when those change."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from kmirror.errors import MirrorError


class StoredSettings(Mapping[str, str]):
    """
    Settings as they were read last; nobody shows them, since passwords and keys are in clear text.

    Args:
        read: Reads them.

    Raises:
        MirrorError: They cannot be read.
    """

    def __init__(self, read: Callable[[], Mapping[str, str]]) -> None:
        self._read = read
        self._values = dict(read())

    def renewed(self) -> StoredSettings:
        """Return them as they are now; as they were where they cannot be read now."""
        try:
            return StoredSettings(self._read)
        except MirrorError:
            return self

    def __getitem__(self, name: str) -> str:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


def renewed(config: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return settings as they are now, if they come from files; otherwise the same."""
    return config.renewed() if isinstance(config, StoredSettings) else config
