"""Where kmirror keeps what it fetched or built, and how two processes share it."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from kmirror.waits import waiting


def cache_home(environ: Mapping[str, str] = os.environ) -> Path:
    """
    Return the folder for files that can be fetched or built again.

    Args:
        environ: `KMIRROR_HOME` names the folder itself, `XDG_CACHE_HOME` its parent;
            `~/.cache/kmirror` without either.
    """
    own = environ.get("KMIRROR_HOME")
    if own:
        return Path(own).expanduser().absolute()
    shared = environ.get("XDG_CACHE_HOME")
    return (Path(shared) if shared else Path.home() / ".cache") / "kmirror"


def make_once(folder: Path, build: Callable[[Path], None]) -> Path:
    """
    Return *folder*, built completely and by one process only.

    It is built beside its place and renamed, so that a process killed half way leaves no
    half-filled folder behind; whoever comes second waits for the lock and finds it there.

    Args:
        folder: The folder wanted; when it exists it is complete.
        build: Fills the empty folder it is given.
    """
    if folder.is_dir():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    with (folder.parent / f"{folder.name}.lock").open("w") as lock:
        with waiting("for another process", f"it makes {folder}"):
            fcntl.flock(lock, fcntl.LOCK_EX)
        if folder.is_dir():
            return folder
        draft = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
        try:
            build(draft)
            draft.chmod(0o755)
            draft.rename(folder)
        except BaseException:
            shutil.rmtree(draft, ignore_errors=True)
            raise
    return folder
