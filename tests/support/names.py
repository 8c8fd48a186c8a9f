"""Names of machines that mean what a test wants, for the programs that it starts."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

Started = TypeVar("Started")

_HOSTS = b"/etc/hosts"
_CLONE_NEWNS = 0x00020000
_MS_BIND, _MS_REC, _MS_PRIVATE = 0x1000, 0x4000, 0x40000
_libc = ctypes.CDLL(None, use_errno=True)


def with_names(hosts: Path, start: Callable[[], Started]) -> Started:
    """
    Call *start* where *hosts* is /etc/hosts; the processes that it starts stay there.

    Args:
        hosts: May be written anew at any time, but not replaced.
        start: What to call, in another thread.
    """

    def call() -> Started:
        # Mounts of a thread's own: it ends with this call.
        _check(_libc.unshare(_CLONE_NEWNS))
        _check(_libc.mount(b"none", b"/", None, _MS_REC | _MS_PRIVATE, None))
        _check(_libc.mount(os.fsencode(hosts), _HOSTS, None, _MS_BIND, None))
        return start()

    with ThreadPoolExecutor(max_workers=1) as pool:
        return pool.submit(call).result()


def _check(result: int) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
