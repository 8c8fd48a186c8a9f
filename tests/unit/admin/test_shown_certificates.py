"""When the certificates end that brokers show: read from real connections."""

from __future__ import annotations

import socket
import ssl
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import trustme

from kmirror.admin.shown_certificates import has_tls, shown_ends
from kmirror.wire.certificate_end import end_s
from tests.support.tls_server import TlsServer

SOON = datetime(2031, 5, 6, 7, 8, 9, tzinfo=UTC)
SSL = {"security.protocol": "ssl"}


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    """Return somebody who signs."""
    return trustme.CA()


def context_of(
    authority: trustme.CA, ends: datetime = SOON, *, asks: bool = False, tls: str = "TLSv1_3"
) -> ssl.SSLContext:
    """Return how a broker speaks TLS; one that *asks* takes clients with a certificate alone."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.maximum_version = ssl.TLSVersion[tls]
    authority.issue_cert("127.0.0.1", not_after=ends).configure_cert(context)
    if asks:
        authority.configure_trust(context)
        context.verify_mode = ssl.CERT_REQUIRED
    return context


@pytest.fixture
def server(authority: trustme.CA) -> Iterator[TlsServer]:
    """Give a broker."""
    with TlsServer(context_of(authority)) as running:
        yield running


def test_the_end_that_is_in_the_certificate(server: TlsServer) -> None:
    """Nobody here trusts who has signed it: that is not what is asked."""
    found = shown_ends([server.address], SSL, timeout_s=5)
    assert found == {server.address: SOON.timestamp()}


def test_the_first_of_the_chain_counts(authority: trustme.CA) -> None:
    """A certificate in the middle that ends before the broker's own takes it with it."""
    middle = authority.create_child_ca()
    middle_s = end_s(ssl.PEM_cert_to_DER_cert(middle.cert_pem.bytes().decode()))
    long = datetime.fromtimestamp(middle_s, UTC) + timedelta(days=1)
    with TlsServer(context_of(middle, SOON)) as early, TlsServer(context_of(middle, long)) as late:
        found = shown_ends([early.address, late.address], SSL, timeout_s=5)
    assert found == {early.address: SOON.timestamp(), late.address: middle_s}


@pytest.mark.parametrize("tls", ["TLSv1_2", "TLSv1_3"])
def test_a_broker_that_wants_a_certificate(authority: trustme.CA, tmp_path: Path, tls: str) -> None:
    """It is shown the flow's own, whose key may have a password; without one it shows its own."""
    own = authority.issue_cert("mirror")
    (tmp_path / "key.pem").write_bytes(own.private_key_pem.bytes())
    chain = b"".join(each.bytes() for each in own.cert_chain_pems)
    with TlsServer(context_of(authority, asks=True, tls=tls)) as server:
        settings = SSL | {
            "ssl.key.location": str(tmp_path / "key.pem"),
            "ssl.certificate.pem": chain.decode(),
        }
        assert shown_ends([server.address], settings, timeout_s=5).keys() == {server.address}
        assert shown_ends([server.address], SSL, timeout_s=5).keys() == {server.address}
    (shown,) = server.clients
    assert shown == ssl.PEM_cert_to_DER_cert(own.cert_chain_pems[0].bytes().decode())


def test_who_shows_nothing_is_left_out(server: TlsServer) -> None:
    """One that closes, and one that nobody listens at; the others are there all the same."""
    with TlsServer(None) as closing:
        pass
    with TlsServer(None) as plain:
        wanted = [closing.address, plain.address, server.address]
        assert shown_ends(wanted, SSL, timeout_s=5).keys() == {server.address}


def test_who_hangs_is_waited_for_as_long_as_was_said(server: TlsServer) -> None:
    """A listener whose queue is full of others, or that waits for a client's first byte."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        began_s = time.monotonic()
        address = ("127.0.0.1", int(silent.getsockname()[1]))
        found = shown_ends([address, server.address], SSL, timeout_s=0.5)
    assert found.keys() == {server.address}
    assert time.monotonic() - began_s < 5


def test_a_key_that_cannot_be_used_is_not_shown(server: TlsServer) -> None:
    settings = SSL | {"ssl.key.pem": "no key", "ssl.certificate.pem": "no certificate"}
    assert shown_ends([server.address], settings, timeout_s=5).keys() == {server.address}


@pytest.mark.parametrize(
    ("protocol", "speaks"),
    [("SSL", True), ("sasl_ssl", True), ("PLAINTEXT", False), ("sasl_plaintext", False)],
)
def test_who_speaks_tls(protocol: str, speaks: bool) -> None:
    assert has_tls({"security.protocol": protocol}) is speaks
    assert not has_tls({})
