"""
Folders for temporary files, of which none stays for ever.

A folder belongs to the process that holds a lock on it (flock): the kernel lets go of it however
the process ends, and in whatever container. So whoever finds one without a holder may remove it.
systemd-tmpfiles keeps to the same rule, and leaves what is locked alone.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_PREFIX = "kmirror-run-"


@contextmanager
def work_folder(parent: Path | None = None) -> Iterator[Path]:
    """
    Yield a folder that is gone after the block; what dead processes left beside it goes first.

    Args:
        parent: Where; among the system's temporary files without.
    """
    place = parent or Path(tempfile.gettempdir())
    place.mkdir(parents=True, exist_ok=True)
    _remove_left(place)
    folder, lock = _make(place)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def is_same(place: Path, opened: int) -> bool:
    """Tell whether a file or folder that was opened is still the one at its place."""
    try:
        return os.path.samestat(place.stat(), os.fstat(opened))
    except FileNotFoundError:
        return False


def _make(place: Path) -> tuple[Path, int]:
    while True:
        folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=place))
        # Before it is locked, another process may take it for one that was left.
        with suppress(FileNotFoundError):
            lock = _open(folder)
            _lock(lock)
            if is_same(folder, lock):
                return folder, lock
            os.close(lock)


def _lock(folder: int) -> None:
    # Some network file systems cannot lock folders: nobody removes what is left there.
    with suppress(OSError):
        fcntl.flock(folder, fcntl.LOCK_EX)


def _remove_left(place: Path) -> None:
    for folder in place.glob(f"{_PREFIX}*/"):
        with suppress(OSError):  # another user's, or gone meanwhile
            lock = _open(folder)
            try:
                if os.fstat(lock).st_uid == os.geteuid():
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(lock)


def _open(folder: Path) -> int:
    return os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
