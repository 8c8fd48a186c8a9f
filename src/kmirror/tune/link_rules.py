"""What the network itself asks for: sockets' buffers, and the side to run on."""

from __future__ import annotations

from collections.abc import Iterator

from kmirror.tune.case import Case
from kmirror.tune.finding import KMIRROR_ONLY, Finding, Level, Line
from kmirror.tune.kernel import FIRST_BYTES, SLOW_START_BYTES
from kmirror.tune.link import LONG_MS, Link
from kmirror.tune.link_units import rate_text, size_text, time_text
from kmirror.tune.section import Section

_BY_THE_SYSTEM = "-1"
# Linux's usual largest values of tcp_rmem and tcp_wmem.
_RECEIVE_BYTES_MAX = 6 * 1024 * 1024
_SEND_BYTES_MAX = 4 * 1024 * 1024
_CLEARLY = 2.0


def receive_buffer(case: Case) -> Iterator[Finding]:
    """Judge the consumer's socket buffer: a fixed one limits the bytes in flight."""
    yield from _socket(case, case.consumer, "receive.buffer.bytes", case.measured.source)


def send_buffer(case: Case) -> Iterator[Finding]:
    """Judge the producer's socket buffer."""
    yield from _socket(case, case.producer, "send.buffer.bytes", case.measured.target)


def _socket(case: Case, section: Section, name: str, link: Link) -> Iterator[Finding]:
    size, product = section.number(name), link.product_bytes
    if size is None or size < 0 or link.rtt_ms is None or link.rtt_ms < LONG_MS:
        return
    if product is not None and size >= 2 * product:
        return
    limit = 1000 * size / link.rtt_ms
    held = f"the link holds {size_text(product)} (bandwidth x round trip)" if product else ""
    yield Finding(
        level=Level.WARNING if product and size < product else Level.ADVICE,
        flow=str(case.flow),
        lines=(section.line(name),),
        says=f"each connection is limited to {rate_text(limit)}",
        why=f"{size_text(size)} per round trip of {time_text(link.rtt_ms)}"
        + (f"; {held}" if held else "")
        + ". -1 lets the system size the buffer as the link needs it; the brokers' "
        "socket.send.buffer.bytes and socket.receive.buffer.bytes limit in the same way",
        instead=(section.setting(name, _BY_THE_SYSTEM),),
        kmirror=section.kmirror_text(name) or "-1 unless the file says otherwise",
        concerns=section.concerns(name),
    )


def system_buffers(case: Case) -> Iterator[Finding]:
    """Note the system's own limit for socket buffers."""
    for link, most, setting in (
        (case.measured.source, _RECEIVE_BYTES_MAX, "net.ipv4.tcp_rmem"),
        (case.measured.target, _SEND_BYTES_MAX, "net.ipv4.tcp_wmem"),
    ):
        product = link.product_bytes
        if product is not None and 2 * product > most:
            yield Finding(
                level=Level.ADVICE,
                flow=str(case.flow),
                lines=(Line(key=f"sysctl {setting}", value=size_text(most), where=None),),
                says=f"the link holds {size_text(product)}, and Linux's usual limit is "
                f"{size_text(most)} for a connection",
                why=f"the third number of {setting} should be twice the link's bandwidth x round "
                f"trip, {2 * product} bytes, here and on the brokers; or use more tasks, each with "
                "connections of its own",
            )


def slow_start(case: Case) -> Iterator[Finding]:
    """Note TCP slow start: kmirror's two producers pause in turn."""
    link = case.measured.target
    product = link.product_bytes
    if link.rtt_ms is None or link.rtt_ms < LONG_MS or product is None:
        return
    if product <= SLOW_START_BYTES:
        return
    yield Finding(
        level=Level.ADVICE,
        flow=str(case.flow),
        lines=(Line(key="sysctl net.ipv4.tcp_slow_start_after_idle", value="1", where=None),),
        says=f"after each commit, TCP starts slowly again on the link to {case.flow.target}, from "
        f"{size_text(FIRST_BYTES)} to {size_text(product)}",
        why=f"that takes some round trips of {time_text(link.rtt_ms)}. With 0 on kmirror's machine "
        "a connection keeps its speed: 8.8 instead of 7.9 Mbit/s of 10 at 100 ms",
        kmirror="two producers take turns, so each pauses while the other one writes",
        concerns=KMIRROR_ONLY,
    )


def placement(case: Case) -> Iterator[Finding]:
    """Judge where the mirror runs: writing over a long link is what causes duplicates."""
    far, near = case.measured.target.rtt_ms, case.measured.source.rtt_ms
    if far is None or near is None or far < LONG_MS or far < _CLEARLY * near:
        return
    yield Finding(
        level=Level.ADVICE if _clear_text_only_here(case) else Level.WARNING,
        flow=str(case.flow),
        lines=(),
        says=f"it runs beside {case.flow.source} ({time_text(near)}), and writes over "
        f"{time_text(far)} to {case.flow.target}",
        why=_placement_text(case),
        kmirror="writes nothing twice in either place, but each commit takes round trips "
        "to the target",
    )


def _placement_text(case: Case) -> str:
    if _clear_text_only_here(case):
        return (
            "usually it should run beside the target: a read that is repeated does no harm, a "
            f"write may. But {case.flow.source} is not encrypted and {case.flow.target} is: read "
            "from afar, records would cross the link in clear text. So stay, with idempotence and "
            f"long time-outs, or give {case.flow.source} a TLS listener and move"
        )
    return (
        "run it beside the target: a read that is repeated does no harm, a write may, and commits "
        "wait for the target"
    )


def _clear_text_only_here(case: Case) -> bool:
    return case.target_encrypted and not case.source_encrypted


def third_place(case: Case) -> Iterator[Finding]:
    """Judge a mirror that is beside neither cluster: it waits for both."""
    far, near = case.measured.target.rtt_ms, case.measured.source.rtt_ms
    if far is None or near is None or min(far, near) < LONG_MS or not case.measured.placed:
        return
    yield Finding(
        level=Level.ADVICE,
        flow=str(case.flow),
        lines=(),
        says=f"it runs beside neither cluster: {time_text(near)} from {case.flow.source}, "
        f"{time_text(far)} from {case.flow.target}",
        why="records cross two long links, and the second one by writes; run it beside the target. "
        "One cluster for each data centre, whose clients use that one only, and a mirror beside "
        "each target, keep long links out of everything but the copy",
    )


def clear_text(case: Case) -> Iterator[Finding]:
    """Judge encryption: the distant end needs it."""
    near, far = case.measured.target.rtt_ms, case.measured.source.rtt_ms
    if case.source_encrypted or near is None or far is None:
        return
    if far < LONG_MS or far < _CLEARLY * near:
        return
    exception = (
        f"; or run beside {case.flow.source}, whose records then leave it through "
        f"{case.flow.target}'s TLS"
        if case.target_encrypted
        else ""
    )
    yield Finding(
        level=Level.ADVICE,
        flow=str(case.flow),
        lines=(
            Line(key=f"{case.flow.source}.security.protocol", value="no encryption", where=None),
        ),
        says=f"records come over {time_text(far)} from {case.flow.source} in clear text",
        why=f"it runs where it should, beside the target; use a TLS listener of the "
        f"source{exception}",
    )


LINK_RULES = (receive_buffer, send_buffer, placement, third_place, clear_text)
# Where the kernel's own settings are not known.
USUAL_KERNEL_RULES = (system_buffers, slow_start)
