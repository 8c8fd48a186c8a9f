"""Reads the kernel's settings for sockets."""

from __future__ import annotations

from pathlib import Path

from kmirror.tune.kernel import KERNEL_NAMES, KernelSettings

PROC_SYS = Path("/proc/sys")
_BYTES_MAX = 256


def read_kernel(folder: Path = PROC_SYS) -> KernelSettings:
    """
    Read the settings of this machine.

    Args:
        folder: Where the kernel shows them, one file for each.

    Returns:
        Those that are there and hold numbers; a container sees only some of them.
    """
    found = {name: _numbers(folder.joinpath(*name.split("."))) for name in KERNEL_NAMES}
    return KernelSettings(values={name: numbers for name, numbers in found.items() if numbers})


def _numbers(file: Path) -> tuple[int, ...]:
    try:
        with file.open("rb") as opened:
            words = opened.read(_BYTES_MAX).split()
    except OSError:
        return ()
    return tuple(map(int, words)) if all(word.isdigit() for word in words) else ()
