"""Looks once an hour when the certificates end that the brokers of a flow show."""

from __future__ import annotations

import threading
from collections.abc import Mapping

from kmirror.admin.base import ClusterAdmin
from kmirror.admin.shown_certificates import has_tls, shown_ends
from kmirror.clock import Clock
from kmirror.ends.clients import FlowClients
from kmirror.errors import ClusterError
from kmirror.model import Flow
from kmirror.state.meter import Meter

_INTERVAL_S = 3600.0
# A broker's listener that does not answer for so long is not asked any more this time.
_STEP_S_MAX = 5.0


class BrokerCertificates:
    """
    Looks in threads that end by themselves: nobody waits for a broker that does not answer.

    Args:
        flow: The flow.
        clients: Its clients.
        meter: Receives when they end, and remembers when that was asked: a flow that begins again
            and again does not ask again and again.
        clock: Where time comes from.
    """

    def __init__(self, flow: Flow, clients: FlowClients, meter: Meter, clock: Clock) -> None:
        self._flow = flow
        self._clients = clients
        self._meter = meter
        self._clock = clock

    def look(self) -> None:
        """Begin to look, if the last time was an hour ago; who was away is asked sooner."""
        now_s, looked_s = self._clock.monotonic_s(), self._meter.certificates_looked_s
        if looked_s is not None and now_s - looked_s < _INTERVAL_S:
            return
        self._meter.certificates_looked_s, clients = now_s, self._clients
        sides = [
            (alias, admin, settings)
            for alias, admin, settings in (
                (self._flow.source, clients.source, clients.source_rdkafka),
                (self._flow.target, clients.target, clients.target_rdkafka),
            )
            if has_tls(settings)
        ]
        if sides:
            threading.Thread(
                target=self._look, args=(sides,), name="kmirror-certificates", daemon=True
            ).start()

    def _look(self, sides: list[tuple[str, ClusterAdmin, Mapping[str, object]]]) -> None:
        for alias, admin, settings in sides:
            try:
                brokers = admin.describe().brokers
            except ClusterError:
                self._meter.certificates_looked_s = None
                continue
            known = {(each.host, each.port) for each in brokers}
            found = shown_ends(known, settings, timeout_s=_STEP_S_MAX)
            before = self._meter.broker_certificates
            ends = {at: end_s for at, end_s in before.items() if at[0] != alias}
            for host, port in known:
                at = (alias, f"[{host}]:{port}" if ":" in host else f"{host}:{port}")
                end_s = found.get((host, port), before.get(at))
                if end_s is not None:
                    ends[at] = end_s
            self._meter.broker_certificates = ends
