"""Measuring a link between two namespaces, one thing after the other."""

from __future__ import annotations

from kmirror_lab.net import measure
from kmirror_lab.net.measure import Stretch
from kmirror_lab.net.proof import Proof
from kmirror_lab.net.settings import LinkSettings
from kmirror_lab.net.state import NetState
from kmirror_lab.process.host import Host


def prove(state: NetState, settings: LinkSettings, *, seconds: float, iperf3: bool | None) -> Proof:
    """
    Measure what a link does, on its own: other traffic would be measured, too.

    Args:
        state: Which link.
        settings: What it shall do.
        seconds: How long each transfer is measured.
        iperf3: Whether it makes the transfers; `None` is whether it is installed.

    Raises:
        EnvironmentProblem: `ping` is missing.
    """
    first, second = (state.host(name) for name in state.names)
    chosen = measure.has_iperf3() if iperf3 is None else iperf3
    pinged = measure.ping(first, second, settings)
    there = measure.probe(first, second, settings.there)
    back = measure.probe(second, first, settings.back)
    if not settings.cut:

        def rate(source: Host, target: Host) -> float | None:
            if chosen:
                return measure.iperf3(source, target, seconds=seconds, rtt_s=settings.rtt_s)
            return measure.transfer(Stretch(source=source, target=target), seconds=seconds)

        there = measure.with_rate(there, rate(first, second))
        back = measure.with_rate(back, rate(second, first))
    return Proof(
        names=state.names,
        settings=settings,
        ping=pinged,
        there=there,
        back=back,
        transfer="iperf3" if chosen else measure.OWN,
    )
