"""Notices that a file has changed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

_Stamp = tuple[int, int, int] | None


class FileWatch:
    """
    Files that somebody may write anew.

    Args:
        paths: They.
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        self._known = {path: _stamp(path) for path in paths}
        self._seen = dict(self._known)

    def follow(self, paths: Sequence[Path]) -> None:
        """Watch these from now on; those that were watched before count as they were."""
        self._known = {path: self._known.get(path, _stamp(path)) for path in paths}
        self._seen = dict(self._known)

    def renew(self) -> None:
        """Begin with what the files are now: somebody is about to read them."""
        self._known = {path: _stamp(path) for path in self._known}
        self._seen = dict(self._known)

    def has_changed(self) -> bool:
        """
        Tell whether one of them is another than it was, once for each change.

        A file that is being written counts when two looks have found it the same.
        """
        now, before = {path: _stamp(path) for path in self._known}, self._seen
        self._seen = now
        if now == self._known or now != before:
            return False
        self._known = now
        return True


def _stamp(path: Path) -> _Stamp:
    """Follow links: a mounted secret is exchanged by pointing a link elsewhere."""
    try:
        found = path.stat()
    except OSError:
        return None
    return (found.st_mtime_ns, found.st_size, found.st_ino)
