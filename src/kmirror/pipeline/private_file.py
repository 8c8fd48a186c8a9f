"""Files that hold secrets: written for this user only, where nobody else can put another one."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

from kmirror.errors import EnvironmentProblem

_FILE_MODE = 0o600
_FOLDER_MODE = 0o700


def write_private(path: Path, text: str) -> None:
    """
    Replace the file at *path* as a whole; readers see the old one or the new one.

    Args:
        path: The file. Its folder is made when it is missing.
        text: What it shall hold.

    Raises:
        EnvironmentProblem: Somebody else may write to the folder, or it is a link: what lies there
            could be read, or exchanged, by others.
    """
    make_private_folder(path.parent)
    _check_way(path.parent)
    folder = _open_folder(path.parent)
    draft = f"{path.name}.draft"
    try:
        with suppress(FileNotFoundError):
            os.unlink(draft, dir_fd=folder)  # of a write that failed
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(draft, flags, _FILE_MODE, dir_fd=folder)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        os.rename(draft, path.name, src_dir_fd=folder, dst_dir_fd=folder)
    finally:
        os.close(folder)


def make_private_folder(folder: Path) -> None:
    """
    Make a folder, and those above, where they are missing: cleaners remove what looks forgotten.

    Args:
        folder: It.

    Raises:
        EnvironmentProblem: There is no room for it, or it may not be made there.
    """
    for missing in reversed([each for each in (folder, *folder.parents) if not each.exists()]):
        try:
            missing.mkdir(mode=_FOLDER_MODE, exist_ok=True)
        except OSError as error:
            raise EnvironmentProblem(f"{missing}: {error.strerror}") from error


def _open_folder(folder: Path) -> int:
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError as error:
        raise _unsafe(folder, f"cannot be opened as a folder: {error.strerror}") from error
    found = os.fstat(descriptor)
    if found.st_uid != os.geteuid():
        os.close(descriptor)
        raise _unsafe(folder, f"belongs to user {found.st_uid}")
    if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        os.close(descriptor)
        raise _unsafe(folder, "may be written to by others")
    return descriptor


def _check_way(folder: Path) -> None:
    """Whoever may rename a folder on the way may put another one in its place."""
    for parent in folder.parent.resolve().joinpath(folder.name).parents:
        found = parent.stat()
        if found.st_mode & stat.S_IWOTH and not found.st_mode & stat.S_ISVTX:
            raise _unsafe(parent, "may be written to by everybody")
        if found.st_uid not in {0, os.geteuid()}:
            raise _unsafe(parent, f"belongs to user {found.st_uid}")


def _unsafe(folder: Path, why: str) -> EnvironmentProblem:
    return EnvironmentProblem(
        f"no place for passwords: {folder} {why}",
        hint="remove it, or set TMPDIR to a folder of mode 0700 that belongs to kmirror's user",
    )
