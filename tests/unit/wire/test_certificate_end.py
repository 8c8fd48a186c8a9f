"""When certificates end."""

from __future__ import annotations

import ssl
from datetime import UTC, datetime

import pytest
import trustme

from kmirror.wire.certificate_end import MalformedCertificate, end_s, first_end_s

SOON = datetime(2031, 5, 6, 7, 8, 9, tzinfo=UTC)
FAR = datetime(2066, 1, 2, 3, 4, 5, tzinfo=UTC)  # beyond what the shorter of both forms can say


def pem(ends: datetime) -> str:
    return trustme.CA().issue_cert("kmirror", not_after=ends).cert_chain_pems[0].bytes().decode()


@pytest.mark.parametrize("ends", [SOON, FAR])
def test_a_certificate(ends: datetime) -> None:
    assert end_s(ssl.PEM_cert_to_DER_cert(pem(ends))) == ends.timestamp()


def test_of_many_the_first_that_ends() -> None:
    """Other things in the text, such as a key, do not matter."""
    text = f"{pem(FAR)}\n-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n{pem(SOON)}"
    assert first_end_s(text) == SOON.timestamp()
    assert first_end_s("") is None
    assert first_end_s("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----") is None


def test_bytes_that_are_none() -> None:
    """However they are cut off."""
    der = ssl.PEM_cert_to_DER_cert(pem(SOON))
    for length in range(len(der) // 2):
        with pytest.raises(MalformedCertificate):
            end_s(der[:length])
