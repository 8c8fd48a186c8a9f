"""Where `kmirror lab` keeps what outlives a command."""

from __future__ import annotations

from pathlib import Path

from kmirror.jvm.cache import cache_home


def lab_place(folder: Path | None) -> Path:
    """Return the folder of `kmirror lab up`: the one named, or that in the cache."""
    return (folder or cache_home() / "lab").absolute()


def net_place(folder: Path | None) -> Path:
    """Return the folder of `kmirror lab net up`: the one named, or that in the cache."""
    return (folder or cache_home() / "net").absolute()
