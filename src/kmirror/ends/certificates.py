"""When the certificates end that a flow's clients use."""

from __future__ import annotations

from collections.abc import Mapping

from kmirror.admin.pem_settings import pem_setting
from kmirror.ends.clients import FlowClients
from kmirror.model import Flow
from kmirror.wire.certificate_end import first_end_s

# Which of a client's settings has certificates: as text, or as a file.
_HELD = {"client": "ssl.certificate", "authority": "ssl.ca"}


def certificate_ends(flow: Flow, clients: FlowClients) -> dict[tuple[str, str], float]:
    """
    Return for each cluster and kind of certificate (`client`, `authority`) when the first ends.

    Seconds since the epoch. Those that are not there, or cannot be read, are left out.

    Args:
        flow: The flow.
        clients: Its clients.
    """
    return {
        (alias, kind): end_s
        for alias, settings in (
            (flow.source, clients.source_rdkafka),
            (flow.target, clients.target_rdkafka),
        )
        for kind, end_s in client_certificate_ends(settings).items()
    }


def client_certificate_ends(settings: Mapping[str, str]) -> dict[str, float]:
    """
    Return for each kind of certificate when the first of a client's ends, seconds since the epoch.

    Args:
        settings: librdkafka's.
    """
    found = {kind: first_end_s(pem_setting(settings, name)) for kind, name in _HELD.items()}
    return {kind: end_s for kind, end_s in found.items() if end_s is not None}
