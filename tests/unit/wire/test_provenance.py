"""The header that says where a record comes from, as readers see it."""

from __future__ import annotations

import json

import pytest

from kmirror.wire.provenance import PROVENANCE_HEADER, Provenance, read_provenance

FIELDS = {
    "cluster": "A",
    "topic": "t",
    "partition": 0,
    "offset": 41,
    "timestamp": 1700000000000,
    "chain": ["A", "B"],
    "sum": "1F",
    "later": "whatever",
}


def header(fields: object) -> tuple[str, bytes]:
    """Give the header with these fields."""
    return PROVENANCE_HEADER, json.dumps(fields).encode()


def test_the_last_one_counts() -> None:
    """Keys that are not known are ignored."""
    headers = [header({**FIELDS, "offset": 1}), ("other", None), header(FIELDS)]
    assert read_provenance(headers) == Provenance(
        cluster="A",
        topic="t",
        partition=0,
        offset=41,
        timestamp_ms=1700000000000,
        chain=("A", "B"),
        sum="1F",
    )
    found = read_provenance([header({**FIELDS, "copy": "A.t"})])
    assert found is not None
    assert found.copy == "A.t"


@pytest.mark.parametrize(
    "value",
    [None, b"", b"\xff", b"{", b"[]", b"7", b"null", b'{"cluster":"A"}', b'{"chain":1}'],
)
def test_what_says_nothing(value: bytes | None) -> None:
    assert read_provenance([(PROVENANCE_HEADER, value)]) is None
    assert read_provenance([]) is None
