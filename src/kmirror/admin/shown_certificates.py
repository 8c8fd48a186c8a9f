"""When the certificates end that brokers show to whoever connects."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from ipaddress import ip_address
from typing import Any

from kmirror.admin.listeners import Address
from kmirror.admin.pem_settings import pem_setting
from kmirror.memory_file import memory_file
from kmirror.wire.certificate_end import MalformedCertificate, end_s

_AT_ONCE_MAX = 4
_TLS = ("ssl", "sasl_ssl")
# What is weak is shown, too: nothing is sent over this connection.
_ALL_CIPHERS = "DEFAULT:@SECLEVEL=0"


def has_tls(settings: Mapping[str, Any]) -> bool:
    """Whether a client of librdkafka with these settings speaks TLS."""
    return str(settings.get("security.protocol", "")).lower() in _TLS


def shown_ends(
    addresses: Iterable[Address], settings: Mapping[str, Any], *, timeout_s: float
) -> Mapping[Address, float]:
    """
    Return for each address when the first certificate ends of the chain that is shown there.

    Seconds since the epoch. An address that is away, or shows none, is left out: whoever uses it
    says why. Whether the chain is trusted is for clients to say.

    Args:
        addresses: Of brokers, as they advertise them.
        settings: Of a client of librdkafka: brokers may want its certificate first.
        timeout_s: How long each step of a connection may take, seconds.
    """
    wanted = sorted(set(addresses))
    if not wanted:
        return {}
    context = _context(settings)
    with ThreadPoolExecutor(min(len(wanted), _AT_ONCE_MAX), "kmirror-certificates") as pool:
        ends = pool.map(lambda address: _first_end_s(address, context, timeout_s), wanted)
        return {each: end for each, end in zip(wanted, ends, strict=True) if end is not None}


def _context(settings: Mapping[str, Any]) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.set_ciphers(_ALL_CIPHERS)
    own = [pem_setting(settings, "ssl.certificate"), pem_setting(settings, "ssl.key")]
    if all(own):
        password = str(settings.get("ssl.key.password", ""))
        # One that cannot be used is not shown; clients say what is wrong with it.
        with suppress(OSError, ValueError), memory_file("\n".join(own)) as path:
            context.load_cert_chain(path, password=lambda: password)
    return context


def _first_end_s(address: Address, context: ssl.SSLContext, timeout_s: float) -> float | None:
    try:
        ends = [end_s(each) for each in _chain(address, context, timeout_s)]
    except (OSError, MalformedCertificate):
        return None
    return min(ends, default=None)


def _chain(address: Address, context: ssl.SSLContext, timeout_s: float) -> list[bytes]:
    """Return what a broker shows, its own certificate first."""
    host, _ = address
    with (
        socket.create_connection(address, timeout=timeout_s) as plain,
        context.wrap_socket(
            plain, server_hostname=_server_name(host), do_handshake_on_connect=False
        ) as encrypted,
    ):
        # With TLS 1.2 a broker that wants another certificate refuses, after it has shown its own.
        with suppress(ssl.SSLError):
            encrypted.do_handshake()
        return list(_shown(encrypted))


def _server_name(host: str) -> str | None:
    """Return the name that is asked for; an address is none."""
    try:
        ip_address(host)
    except ValueError:
        return host
    return None


def _shown(encrypted: ssl.SSLSocket) -> Iterator[bytes]:
    # `SSLSocket` has it since Python 3.13, and what is behind it since 3.10.
    own: Any = encrypted
    if hasattr(own, "get_unverified_chain"):
        yield from own.get_unverified_chain()
        return
    for each in own._sslobj.get_unverified_chain() or ():  # noqa: SLF001 - see above
        yield ssl.PEM_cert_to_DER_cert(each.public_bytes())
