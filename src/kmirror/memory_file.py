"""Files that lie nowhere: OpenSSL reads keys from files alone."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def memory_file(text: str) -> Iterator[str]:
    """Give *text* as the path of a file, which is in this process's memory only."""
    descriptor = os.memfd_create("kmirror-pem", os.MFD_CLOEXEC)
    try:
        os.write(descriptor, text.encode())
        yield f"/proc/self/fd/{descriptor}"
    finally:
        os.close(descriptor)
