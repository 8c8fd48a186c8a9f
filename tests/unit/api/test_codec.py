"""Models as JSON, back, and as JSON Schema."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kmirror.api.answers import FlowList, Server
from kmirror.api.codec import NotOfModel, field_words, from_plain, schemas, to_plain
from kmirror.api.flows import FlowView, Lag, Origin, Sample, Worst
from kmirror.api.orders import PauseRequest, SeekRequest

FLOW = FlowView(
    name="A->B",
    source="A",
    target="B",
    origin=Origin.DRIVER,
    lag=Lag(records=5, seconds=1.0),
    worst=Worst(topic="t", partition=0, lag_records=5),
    samples=(Sample(at_ms=1, lag_records=None, lag_seconds=2.0, records_per_s=0, bytes_per_s=0),),
)


def test_there_and_back() -> None:
    """What a client reads is what the server meant."""
    found = FlowList(now_ms=1, flows=(FLOW,))
    assert from_plain(FlowList, json.loads(json.dumps(to_plain(found)))) == found


def test_what_a_newer_server_says_more_is_no_trouble() -> None:
    plain = to_plain(FLOW) | {"of_later": 1}
    assert from_plain(FlowView, plain, lenient=True) == FLOW
    with pytest.raises(NotOfModel, match="of_later: there is no such field"):
        from_plain(FlowView, plain)


@pytest.mark.parametrize(
    ("plain", "words"),
    [
        ([], "the body: expected an object"),
        ({}, "reason: is missing"),
        ({"reason": 1}, "reason: expected a value of type string"),
        ({"reason": ""}, "reason: expected minLength 1"),
        ({"reason": "x" * 501}, "reason: expected maxLength 500"),
        ({"reason": "x", "for_s": 0}, "for_s: expected minimum 1"),
        ({"reason": "x", "for_s": True}, "for_s: expected a value of type integer"),
        ({"reason": "x", "partition": 1.5}, "partition: expected a value of type integer"),
    ],
)
def test_what_is_no_order(plain: Any, words: str) -> None:
    """The message says where, and what is expected."""
    with pytest.raises(NotOfModel, match=words):
        from_plain(PauseRequest, plain)


def test_whole_numbers_as_json_has_them() -> None:
    found = from_plain(PauseRequest, {"reason": "x", "partition": 1.0})
    assert found.partition == 1


def test_every_field_is_explained() -> None:
    """The document says what each field means: from the docstring, which people read, too."""
    for name, shape in schemas([FlowList, PauseRequest, SeekRequest, Server]).items():
        for field, kind in shape["properties"].items():
            assert kind.get("description"), f"{name}.{field}"
    assert field_words(Lag)["records"] == "Offsets that are not copied yet; null while not known."


def test_schemas_name_what_they_are_made_of() -> None:
    found = schemas([FlowList])
    assert {"FlowList", "FlowView", "Lag", "Slot", "Sample", "Worst"} == found.keys()
    assert found["FlowView"]["properties"]["origin"]["enum"] == ["driver", "clusters"]
    assert found["Lag"]["required"] == []
