"""Where a lab's processes live: on this machine's loopback, or in a network namespace of it."""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from kmirror.errors import EnvironmentProblem
from kmirror_lab.process.ports import LOOPBACK

NAMESPACES = Path("/run/netns")
_CLONE_NEWNET = 0x40000000
_libc = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """
    An address, and the network namespace that has it.

    Args:
        address: Where servers listen.
        namespace: A name that `ip netns` knows; empty is where we are.
    """

    address: str = LOOPBACK
    namespace: str = ""

    def command(self, words: Sequence[str | Path]) -> list[str]:
        """Write *words* so that they run there; the process is the program itself, no wrapper."""
        prefix = [tool("ip"), "netns", "exec", self.namespace] if self.namespace else []
        return [*prefix, *(str(word) for word in words)]

    @contextlib.contextmanager
    def inside(self) -> Iterator[None]:
        """
        Have the current thread open its sockets there.

        Threads that start meanwhile stay there for good: so a Kafka client that is made inside
        works from everywhere.
        """
        if not self.namespace:
            yield
            return
        with contextlib.ExitStack() as handles:
            home = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
            handles.callback(os.close, home)
            there = os.open(NAMESPACES / self.namespace, os.O_RDONLY)
            handles.callback(os.close, there)
            enter(there)
            try:
                yield
            finally:
                enter(home)


HERE = Host()


def enter(handle: int) -> None:
    """
    Move the current thread into the network namespace that *handle* is an open file of.

    Raises:
        OSError: The kernel refused.
    """
    if _libc.setns(handle, _CLONE_NEWNET) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"cannot enter a network namespace: {os.strerror(number)}")


def tool(name: str, *, package: str = "iproute2") -> str:
    """
    Find a program of the system's, also where only root looks.

    Raises:
        EnvironmentProblem: It is not installed; the hint names *package*.
    """
    found = shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin")
    if found is None:
        raise EnvironmentProblem(f"`{name}` is missing", hint=f"install the package {package}")
    return found
