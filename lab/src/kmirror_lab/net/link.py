"""The link between two namespaces: made, told its settings, and its connections ended."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path

from kmirror.errors import EnvironmentProblem
from kmirror_lab.net import rules, settings_file
from kmirror_lab.net.namespace import run
from kmirror_lab.net.settings import LinkSettings, OneWay
from kmirror_lab.net.state import Kind, NetState
from kmirror_lab.process import process
from kmirror_lab.process.host import NAMESPACES, Host
from kmirror_lab.process.process import ProcessId

_SYSTEM = Path("/proc/sys/net")
_AVAILABLE = _SYSTEM / "ipv4" / "tcp_available_congestion_control"


def check_congestion(name: str) -> None:
    """
    Make sure that the kernel has a congestion control.

    Raises:
        EnvironmentProblem: It has others.
    """
    available = _AVAILABLE.read_text().split()
    if name not in available:
        raise EnvironmentProblem(
            f"the kernel has no congestion control {name}", hint=f"it has {', '.join(available)}"
        )


def quieten(host: Host) -> None:
    """Have a new namespace do nothing by itself, and forget each connection with its end."""
    with host.inside():
        # Where the kernel was built without IPv6, there is nothing to switch off.
        with contextlib.suppress(FileNotFoundError):
            (_SYSTEM / "ipv6" / "conf" / "all" / "disable_ipv6").write_text("1")
            (_SYSTEM / "ipv6" / "conf" / "default" / "disable_ipv6").write_text("1")
        # A connection would begin as slowly as the one before it ended.
        with contextlib.suppress(FileNotFoundError):
            (_SYSTEM / "ipv4" / "tcp_no_metrics_save").write_text("1")


def start_wire(folder: Path, names: tuple[str, str]) -> ProcessId:
    """Start the process that is the link where the kernel cannot delay."""
    command = [sys.executable, "-m", "kmirror_lab.net.wire", str(folder), *names]
    return process.start(command, log=log_of(folder), outlive=True)


def log_of(folder: Path) -> Path:
    """Name the file with what the link's process said."""
    return folder / "link.log"


def connect(folder: Path, state: NetState) -> None:
    """
    Join the two sides, each with its address.

    Raises:
        EnvironmentProblem: The kernel refused, or the wire ended.
    """
    first, second = state.sides
    if state.kind is Kind.NETEM:
        ends = ["netns", first.name, "type", "veth", "peer", "name", rules.DEVICE]
        run(["ip", "link", "add", rules.DEVICE, *ends, "netns", second.name])
    else:
        assert state.link is not None, "the wire was started"
        settings_file.wait_taken(folder, state.link, log_of(folder))
    for own, peer in ((first, second), (second, first)):
        for command in rules.address_commands(own.address, peer.address, state.congestion):
            run(command, host=state.host(own.name))


def apply(folder: Path, state: NetState, before: LinkSettings | None, now: LinkSettings) -> None:
    """
    Have the link do what is set.

    Args:
        folder: Where the settings are.
        state: Which link.
        before: What it does; what does not change is not touched. `None` is not known.
        now: What it shall do.

    Raises:
        EnvironmentProblem: A tool failed, or the link's process is gone.
    """
    if state.link is not None:
        settings_file.hand_over(folder, now, state.link, log_of(folder))
    else:
        settings_file.save(folder, now)
    if state.kind is Kind.PROXY:
        return
    first, second = (state.host(name) for name in state.names)
    netem = state.kind is Kind.NETEM
    _shape(first, second, before.there if before else None, now.there, netem=netem)
    _shape(second, first, before.back if before else None, now.back, netem=netem)


def _shape(source: Host, target: Host, before: OneWay | None, now: OneWay, *, netem: bool) -> None:
    """Tell the kernel of one direction what changes: a queue that is made anew is empty."""
    leaving = rules.leaving_commands(now, netem=netem)
    if before is None or leaving != rules.leaving_commands(before, netem=netem):
        for command in leaving:
            run(command, host=source)
    arriving = rules.arriving_rules(now)
    if before is None or arriving != rules.arriving_rules(before):
        run(["nft", "-f", "-"], host=target, text=arriving)


def reset(state: NetState) -> None:
    """
    End all TCP connections across the link, both ends by RST.

    Raises:
        EnvironmentProblem: The kernel cannot.
    """
    first, second = state.sides
    for own, peer in ((first, second), (second, first)):
        host = state.host(own.name)
        listing = rules.connections_command(peer.address)
        before = rules.established(run(listing, host=host))
        run(rules.reset_command(peer.address), host=host)
        # New ones may have been made at once.
        if before & rules.established(run(listing, host=host)):
            hint = "the kernel needs CONFIG_INET_DIAG_DESTROY"
            raise EnvironmentProblem(f"connections of {own.name} are still there", hint=hint)


def is_there(state: NetState) -> bool:
    """Return whether the sides and the link are as they were made."""
    if state.link is not None and not process.alive(state.link):
        return False
    if state.kind is Kind.PROXY:
        return True
    for side in state.sides:
        place = NAMESPACES / side.name
        if not place.exists() or place.stat().st_ino != side.inode:
            return False
    return True
