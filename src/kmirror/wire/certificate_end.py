"""When certificates end: the one field of X.509 that an operator has to know in time."""

from __future__ import annotations

import base64
import binascii
import re
from datetime import UTC, datetime

_PEM = re.compile(r"-----BEGIN CERTIFICATE-----(.*?)-----END CERTIFICATE-----", re.DOTALL)
_SEQUENCE = 0x30
_VERSION = 0xA0
_UTC_TIME = 0x17
_GENERALIZED_TIME = 0x18


class MalformedCertificate(ValueError):
    """Bytes that are no certificate."""


def first_end_s(pem: str) -> float | None:
    """
    Return when the first of the certificates in *pem* ends, seconds since the epoch.

    `None` when there is none in it, or none that can be read: whoever uses it says why.
    """
    ends = []
    for found in _PEM.finditer(pem):
        try:
            ends.append(end_s(base64.b64decode(found[1])))
        except (MalformedCertificate, binascii.Error):
            continue
    return min(ends, default=None)


def end_s(der: bytes) -> float:
    """
    Return when a certificate ends (RFC 5280, 4.1.2.5), seconds since the epoch.

    Args:
        der: The certificate.

    Raises:
        MalformedCertificate: It is none.
    """
    _, body, _ = _element(_element(der, _SEQUENCE)[1], _SEQUENCE)
    tag, _, rest = _element(body)
    if tag == _VERSION:
        _, _, rest = _element(rest)
    # The serial number was read; the signature's algorithm and the issuer come before the times.
    for _ in range(2):
        _, _, rest = _element(rest)
    _, times, _ = _element(rest, _SEQUENCE)
    _, _, rest = _element(times)
    tag, text, _ = _element(rest)
    return _time_s(tag, text.decode("ascii", "replace"))


def _time_s(tag: int, text: str) -> float:
    if tag == _UTC_TIME:
        # Years before 50 are of this century.
        text = ("20" if text < "5" else "19") + text
    elif tag != _GENERALIZED_TIME:
        raise MalformedCertificate("no time")
    try:
        return datetime.strptime(text, "%Y%m%d%H%M%SZ").replace(tzinfo=UTC).timestamp()
    except ValueError as error:
        raise MalformedCertificate("no time") from error


def _element(data: bytes, wanted: int | None = None) -> tuple[int, bytes, bytes]:
    """Take the first element of DER apart: its tag, its content, and what follows it."""
    if len(data) < 2 or (wanted is not None and data[0] != wanted):
        raise MalformedCertificate("not as RFC 5280 says")
    length, start = data[1], 2
    if length & 0x80:
        size = length & 0x7F
        start += size
        length = int.from_bytes(data[2:start], "big")
        if not 0 < size <= 4:
            raise MalformedCertificate("not as RFC 5280 says")
    end = start + length
    if end > len(data):
        raise MalformedCertificate("it is cut off")
    return data[0], data[start:end], data[end:]
