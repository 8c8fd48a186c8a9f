"""What comes with requests: Connect's shapes, read as its Jackson reads them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kmirror.config.keys.key import BLANKS
from kmirror.connect.model import ConnectorOffset, JsonValue, TargetState
from kmirror.errors import BadRequest
from kmirror.server.json_body import object_of, read_json, read_json_texts, text_of

_ENTITIES = "org.apache.kafka.connect.runtime.rest.entities."
_NULL_VALUE = "Null value can not be supplied as the configuration value."


@dataclass(frozen=True, slots=True, kw_only=True)
class NewConnector:
    """
    The body of `POST /connectors`.

    Args:
        name: Without blanks around it.
        config: With the name in it.
        state: What it shall do at first.
    """

    name: str
    config: Mapping[str, str | None]
    state: TargetState


def read_new_connector(body: bytes) -> NewConnector:
    """
    Read a `CreateConnectorRequest`.

    Raises:
        BadRequest: It is none.
    """
    found = _entity(read_json_texts(body), "CreateConnectorRequest", "config name initial_state")
    name = (text_of(found.get("name"), "name") or "").strip(BLANKS)
    config = _texts(found.get("config"), "config")
    state = text_of(found.get("initial_state"), "initial_state")
    try:
        wanted = TargetState.RUNNING if state is None else TargetState(state.upper())
    except ValueError as error:
        states = ", ".join(TargetState)
        raise BadRequest(f"initial_state: expected one of {states}") from error
    return NewConnector(name=name, config=with_name(config, name), state=wanted)


def read_config(body: bytes) -> dict[str, str | None]:
    """
    Read settings; `None` for null.

    Raises:
        BadRequest: They are none.
    """
    return _texts(read_json_texts(body), "the body")


def read_offsets(body: bytes) -> tuple[ConnectorOffset, ...]:
    """
    Read `ConnectorOffsets`.

    Raises:
        BadRequest: They are none, or there is none in it.
    """
    found = _entity(read_json(body), "ConnectorOffsets", "offsets")
    offsets = found.get("offsets")
    if not offsets:
        raise BadRequest("Partitions / offsets need to be provided for an alter offsets request")
    if not isinstance(offsets, list):
        raise BadRequest("offsets: a JSON array is expected")
    return tuple(_offset(each) for each in offsets)


def with_name(config: Mapping[str, str | None], name: str) -> dict[str, str | None]:
    """
    Return settings with the connector's name in them.

    Raises:
        BadRequest: They have another one.
    """
    included = config.get("name")
    if included is not None and included != name:
        raise BadRequest(
            f"Connector name configuration ({included}) doesn't match connector name in the URL "
            f"({name})"
        )
    return {**config, "name": name}


def without_nulls(config: Mapping[str, str | None]) -> dict[str, str]:
    """
    Return settings that all have values.

    Raises:
        BadRequest: One is null.
    """
    nulls = [name for name, text in config.items() if text is None]
    if nulls:
        raise BadRequest(
            "Connector configuration is invalid and contains the following "
            f"{len(nulls)} error(s):{''.join(f'{chr(10)}{_NULL_VALUE}' for _ in nulls)}\n"
            "You can also find the above list of errors at the endpoint "
            "`/connector-plugins/{connectorType}/config/validate`"
        )
    return {name: text for name, text in config.items() if text is not None}


def _texts(value: JsonValue, what: str) -> dict[str, str | None]:
    found = object_of(value, what)
    return {name: text_of(each, name) for name, each in found.items()}


def _offset(value: JsonValue) -> ConnectorOffset:
    found = _entity(value, "ConnectorOffset", "partition offset")
    partition, offset = found.get("partition"), found.get("offset")
    if partition is None:
        raise BadRequest("Source partitions may not be null")
    return ConnectorOffset(
        partition=object_of(partition, "partition"),
        offset=None if offset is None else object_of(offset, "offset"),
    )


def _entity(value: JsonValue, entity: str, fields: str) -> Mapping[str, JsonValue]:
    """Return an object that has no other fields."""
    found = object_of(value, "the body" if entity != "ConnectorOffset" else "offsets")
    known = fields.split()
    for name in found:
        if name not in known:
            quoted = ", ".join(f'"{each}"' for each in known)
            count = "one known property" if len(known) == 1 else f"{len(known)} known properties"
            raise BadRequest(
                f'Unrecognized field "{name}" (class {_ENTITIES}{entity}), not marked as '
                f"ignorable ({count}: {quoted})"
            )
    return found
