"""Which ACLs a flow has created, as it lies in Kafka."""

from __future__ import annotations

import pytest

from kmirror.model import Flow
from kmirror.wire.created_acls import (
    created_acls_topic,
    decode_created_acl,
    encode_created_acl,
)

FIELDS = ("TOPIC", "LITERAL", "A.t", 'User:CN=é,"', "*", "READ", "ALLOW")


def test_it_is_read_as_it_was_written() -> None:
    """Whatever is in a principal's name."""
    key, value = encode_created_acl(FIELDS, "creating")
    assert decode_created_acl(key, value) == FIELDS
    assert created_acls_topic(Flow("A", "B")) == "__kmirror-acls-A-B"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        (None, b"{}"),
        (b"[]", b"{}"),
        (b"[1,2,3,4,5,6,7]", b"{}"),
        (b"{", b"{}"),
        (b'["a","b","c","d","e","f","g"]', b"[]"),
        (b"\xff", b"\xff"),
    ],
)
def test_what_is_none_of_ours(key: bytes | None, value: bytes) -> None:
    """It is passed over."""
    assert decode_created_acl(key, value) is None
