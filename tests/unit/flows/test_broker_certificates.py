"""How often brokers are asked for their certificates, and what is remembered."""

from __future__ import annotations

import ssl
from dataclasses import dataclass, field
from typing import Any

import trustme
from kmirror_lab.process.waiting import wait_until

from kmirror.clock import ManualClock
from kmirror.config.client_properties import ClientProperties
from kmirror.ends.clients import FlowClients
from kmirror.errors import ClusterUnavailable
from kmirror.flows.broker_certificates import BrokerCertificates
from kmirror.model import Flow
from kmirror.plans.snapshot import Broker, ClusterState
from kmirror.state.meter import Meter
from tests.support.tls_server import TlsServer

SSL = {"security.protocol": "ssl"}
HOUR_S = 3600


@dataclass(slots=True)
class Described:
    """A cluster that only says which brokers it has."""

    brokers: list[tuple[str, int]] = field(default_factory=list)
    is_away: bool = False
    asked: int = 0

    def describe(self) -> ClusterState:
        self.asked += 1
        if self.is_away:
            raise ClusterUnavailable("away")
        brokers = tuple(
            Broker(id=number, host=at[0], port=at[1]) for number, at in enumerate(self.brokers)
        )
        return ClusterState(cluster_id="c", brokers=brokers, controller=0)


def clients_of(source: Any, target: Any) -> FlowClients:
    none = ClientProperties({})
    return FlowClients(
        source=source,
        target=target,
        source_rdkafka=SSL,
        target_rdkafka={"security.protocol": "plaintext"},
        consumer=none,
        producer=none,
        admin=none,
    )


def test_once_an_hour_and_what_was_shown_stays() -> None:
    """A cluster without TLS is not asked; one that was away is asked again at the next look."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    trustme.CA().issue_cert("127.0.0.1").configure_cert(context)
    source, target, meter, clock = Described(is_away=True), Described(), Meter(), ManualClock()
    look = BrokerCertificates(Flow("A", "B"), clients_of(source, target), meter, clock).look
    with TlsServer(context) as first, TlsServer(context) as second:
        source.brokers = [first.address, second.address]
        places = {("A", f"{host}:{port}") for host, port in source.brokers}
        look()
        wait_until(lambda: meter.certificates_looked_s is None, "it is away", timeout_s=10)
        source.is_away = False
        look()
        wait_until(lambda: meter.broker_certificates.keys() == places, "both", timeout_s=20)
        before = dict(meter.broker_certificates)
        clock.advance(HOUR_S - 1)
        look()
        assert source.asked == 2
    # One is silent now, and the other is no broker any more.
    source.brokers = [first.address]
    clock.advance(1)
    look()
    wait_until(lambda: len(meter.broker_certificates) == 1, "one", timeout_s=20)
    (place,) = meter.broker_certificates
    assert meter.broker_certificates[place] == before[place]
    assert (source.asked, target.asked) == (3, 0)
