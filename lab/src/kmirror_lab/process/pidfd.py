"""A handle of whoever has a process number now."""

from __future__ import annotations

import errno
import os

_NOBODY = (errno.ESRCH, errno.EINVAL, errno.ENOENT)


def pidfd_of(pid: int) -> int | None:
    """
    Return a pidfd of a process; `None` when no process has the number.

    A number that was given back may be a thread's by now: that is EINVAL, and ENOENT since Linux
    6.15.

    Args:
        pid: The number.
    """
    try:
        return os.pidfd_open(pid)
    except OSError as error:
        if error.errno in _NOBODY:
            return None
        raise
