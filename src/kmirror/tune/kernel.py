"""
The kernel's settings for sockets, and what they should be for the links that are known.

A connection holds *bandwidth x round trip* bytes; its buffers need twice that, since a lost packet
costs another round trip. The kernel sizes them itself (`-1` in Kafka's clients) up to the third
number of `tcp_rmem` and `tcp_wmem`. Buffers of a fixed size, such as MirrorMaker's 64 KiB, are
limited by `net.core.*_max` instead.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kmirror.model import Flow
from kmirror.tune.link import LONG_MS, Link, Measured, power_above
from kmirror.tune.link_units import size_text

KERNEL_NAMES = (
    "net.core.rmem_default",
    "net.core.rmem_max",
    "net.core.wmem_default",
    "net.core.wmem_max",
    "net.core.optmem_max",
    "net.ipv4.tcp_rmem",
    "net.ipv4.tcp_wmem",
    "net.ipv4.tcp_window_scaling",
    "net.ipv4.tcp_slow_start_after_idle",
)
_SCALING, _SLOW_START = KERNEL_NAMES[-2:]
# What a socket begins with; Kafka's guides name these for machines with long links.
_DEFAULT_BYTES, _SEND_DEFAULT_BYTES = 128 * 1024, 64 * 1024
_OPTIONS_BYTES = 64 * 1024
_BYTES_MAX = 1 << 30
# What TCP sends at first, ten segments; each round trip doubles it.
FIRST_BYTES = 14_600
# What it sends after two of them; a slow start costs time where a link holds more.
SLOW_START_BYTES = FIRST_BYTES << 2
# The numbers of tcp_rmem and tcp_wmem.
_THREE = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelSettings:
    """
    What the kernel of a machine says.

    Args:
        values: The numbers of each setting that could be read, by name.
    """

    values: Mapping[str, tuple[int, ...]]

    def numbers(self, name: str) -> tuple[int, ...] | None:
        """Return a setting's numbers: one, or three for `tcp_rmem`; None if it is not there."""
        return self.values.get(name)


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelAdvice:
    """
    A setting of the kernel.

    Args:
        name: As `sysctl` calls it.
        today: Its value; empty if it could not be read.
        wanted: What it should be; the same where it is enough.
        why: What it does, with its arithmetic.
    """

    name: str
    today: str
    wanted: str
    why: str

    @property
    def changes(self) -> bool:
        """Whether it should be another one."""
        return self.wanted != self.today

    @property
    def line(self) -> str:
        """The line for `sysctl.conf`."""
        return f"{self.name} = {self.wanted}"


def advise_kernel(
    kernel: KernelSettings, measured: Mapping[Flow, Measured]
) -> tuple[KernelAdvice, ...]:
    """
    Return every setting with today's value and the one that the links need.

    Args:
        kernel: Of the machine that runs the mirror.
        measured: The flows' links; those whose rate or round trip is unknown change nothing.
    """
    receive = _Side([each.source for each in measured.values()])
    send = _Side([each.target for each in measured.values()])
    return tuple(
        _advice(name, kernel.numbers(name), receive if "rmem" in name else send, receive, send)
        for name in KERNEL_NAMES
    )


class _Side:
    """The links over which a machine receives, or sends."""

    def __init__(self, links: list[Link]) -> None:
        self.long = any((link.rtt_ms or 0.0) >= LONG_MS for link in links)
        self.product = max((link.product_bytes or 0 for link in links), default=0)

    @property
    def buffer_bytes(self) -> int:
        return min(_BYTES_MAX, power_above(2 * self.product)) if self.long and self.product else 0

    @property
    def says(self) -> str:
        if not self.long:
            return "no long link"
        if not self.product:
            return "unknown: --bandwidth says what the link carries"
        return f"twice the {size_text(self.product)} that the link holds (bandwidth x round trip)"


def _advice(
    name: str, today: tuple[int, ...] | None, side: _Side, receive: _Side, send: _Side
) -> KernelAdvice:
    if today is None:
        return KernelAdvice(name=name, today="", wanted="", why="this machine does not say")
    long = receive.long or send.long
    wanted, why = today, "no long link"
    if name == _SCALING:
        wanted, why = (1,), "without it a connection carries 64 KiB per round trip at most"
    elif name == _SLOW_START:
        pauses = send.long and send.product > SLOW_START_BYTES
        wanted = (0,) if pauses else today
        why = "with 1 a connection that pauses starts slowly again; kmirror's producers take turns"
    elif name.endswith("optmem_max"):
        wanted = (max(today[0], _OPTIONS_BYTES),) if long else today
        why = "room for a socket's options; it does not depend on the link"
    elif name.endswith("_default"):
        wanted = (max(today[0], _DEFAULT_BYTES),) if long else today
        why = "what a socket begins with; TCP begins with the second number of tcp_rmem or tcp_wmem"
    elif name.endswith("_max"):
        wanted, why = (max(today[0], side.buffer_bytes),), f"for fixed buffers: {side.says}"
    elif len(today) == _THREE:
        first = _DEFAULT_BYTES if name.endswith("rmem") else _SEND_DEFAULT_BYTES
        second = max(today[1], first) if side.long else today[1]
        wanted = (today[0], second, max(today[2], side.buffer_bytes))
        why = f"least, first and largest buffer of a connection: {side.says}"
    return KernelAdvice(name=name, today=_text(today), wanted=_text(wanted), why=why)


def _text(numbers: tuple[int, ...]) -> str:
    return " ".join(map(str, numbers))
