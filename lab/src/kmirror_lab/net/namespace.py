"""Network namespaces: made, filled with processes, and removed with all of them."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from kmirror.errors import EnvironmentProblem
from kmirror_lab.process import process
from kmirror_lab.process.host import NAMESPACES, Host, tool
from kmirror_lab.process.process import ProcessId
from kmirror_lab.process.waiting import wait_until

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}")
_COMMAND_S_MAX = 30
_REMOVE_S_MAX = 10
_PACKAGES = {"ip": "iproute2", "tc": "iproute2", "ss": "iproute2", "nft": "nftables"}
_PACKAGES |= {"ping": "iputils-ping", "unshare": "util-linux"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Namespace:
    """
    A namespace that cannot be confused with a later one of the same name.

    Args:
        name: As `ip netns` knows it.
        inode: Its number in the kernel; 0 while it is being made.
    """

    name: str
    inode: int = 0


def check_name(name: str) -> str:
    """
    Return *name* back.

    Raises:
        ValueError: No namespace, file or cluster can be called that.
    """
    if _NAME.fullmatch(name) is None:
        raise ValueError(f"{name!r}: letters, digits, `.`, `_` and `-` make a name, 63 at most")
    return name


def require_tools() -> None:
    """
    Make sure that everything is installed.

    Raises:
        EnvironmentProblem: Something is not; all that is missing is named at once.
    """
    missing = []
    for name, package in _PACKAGES.items():
        try:
            tool(name, package=package)
        except EnvironmentProblem:
            missing.append((name, package))
    if missing:
        names = ", ".join(name for name, _ in missing)
        packages = " ".join(sorted({package for _, package in missing}))
        raise EnvironmentProblem(
            f"network namespaces need programs that are not there: {names}",
            hint=f"apt install {packages}",
        )


def why_not() -> str:
    """Say why this process cannot make namespaces; empty when it can."""
    if os.geteuid() != 0:
        return "network namespaces need root"
    if not Path("/dev/net/tun").exists() and not has_netem():
        return "the kernel has neither netem nor /dev/net/tun"
    try:
        run(["unshare", "--net", "true"])
    except EnvironmentProblem as problem:
        return f"the system refuses network namespaces: {problem.message}"
    return ""


def has_netem() -> bool:
    """Return whether the kernel can delay packets by itself."""
    try:
        run(["unshare", "--net", "tc", "qdisc", "add", "dev", "lo", "root", "netem"])
    except EnvironmentProblem:
        return False
    return True


def run(words: Sequence[str], *, host: Host | None = None, text: str = "") -> str:
    """
    Run one of the system's programs to its end, and give what it wrote.

    Args:
        words: The command; its program is looked for.
        host: Where it runs; here without.
        text: Its input.

    Raises:
        EnvironmentProblem: It failed, or is not installed.
    """
    command = [tool(words[0], package=_PACKAGES.get(words[0], words[0])), *words[1:]]
    done = subprocess.run(
        host.command(command) if host else command,
        input=text,
        capture_output=True,
        text=True,
        timeout=_COMMAND_S_MAX,
        check=False,
    )
    if done.returncode != 0:
        raise EnvironmentProblem(f"`{' '.join(words)}` failed: {done.stderr.strip()}")
    return done.stdout


def exists(name: str) -> bool:
    """Return whether there is a namespace of that name."""
    return (NAMESPACES / name).exists()


def create(name: str) -> Namespace:
    """
    Make a namespace.

    Raises:
        EnvironmentProblem: There is one of that name already, or the kernel refused.
    """
    run(["ip", "netns", "add", name])
    return Namespace(name=name, inode=(NAMESPACES / name).stat().st_ino)


def remove(namespace: Namespace, *, grace_s: float) -> None:
    """
    End every process inside, then remove the namespace; another one of its name is left alone.

    Args:
        namespace: Which.
        grace_s: How long processes may take to end by themselves.

    Raises:
        EnvironmentProblem: This process is inside itself, or processes did not go.
    """
    place = NAMESPACES / namespace.name
    inode = place.stat().st_ino if place.exists() else 0
    # Without its name it may be gone, and its number may be another one's.
    if not inode or namespace.inode not in (0, inode):
        return
    if namespace.inode:
        if _inode_of("self") == inode:
            raise EnvironmentProblem(f"{namespace.name} cannot be removed from within")
        _end_all(inode, grace_s)
        wait_until(_emptied(inode), f"{namespace.name} is empty", timeout_s=_REMOVE_S_MAX)
    elif processes(inode):
        # One that was just being made has none: somebody else was quicker with the name.
        return
    run(["ip", "netns", "delete", namespace.name])


def processes(inode: int) -> list[ProcessId]:
    """Return the processes in the namespace of that number."""
    numbers = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    # First who it is, then where: whoever has the number later is never taken for it.
    known = [identity for number in numbers if (identity := process.identify(number))]
    return [identity for identity in known if _inode_of(str(identity.pid)) == inode]


def _end_all(inode: int, grace_s: float) -> None:
    found = processes(inode)
    for entry in found:
        process.send(entry, signal.SIGTERM)
        # A frozen process would keep the request for later.
        process.send(entry, signal.SIGCONT)
    deadline_s = time.monotonic() + grace_s
    for entry in found:
        process.wait_end(entry, timeout_s=max(0.0, deadline_s - time.monotonic()))


def _emptied(inode: int) -> Callable[[], bool]:
    def emptied() -> bool:
        left = processes(inode)
        for found in left:
            process.kill(found)
        return not left

    return emptied


def _inode_of(pid: str) -> int:
    try:
        return Path(f"/proc/{pid}/ns/net").stat().st_ino
    except OSError:
        return 0
