"""
Which ACLs a flow has created, as it lies in the topic `__kmirror-acls-<S>-<T>` of its target.

Kafka does not tell who created an ACL. So a flow with `kmirror.acls = exact` writes each one down
before it creates it, and again when the cluster has taken it. Only what is here is ever taken away.

Key: the JSON array of the ACL's fields, in the order of Kafka's `AclBinding`. Value: a JSON object
with `state`, `creating` or `created`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Literal

from kmirror.model import Flow
from kmirror.wire.flow_names import joined
from kmirror.wire.json_text import parsed

AclState = Literal["creating", "created"]

_FIELDS = 7


def created_acls_topic(flow: Flow) -> str:
    """Name the topic on the target cluster that holds which ACLs *flow* has created."""
    return f"__kmirror-acls-{joined(flow)}"


def encode_created_acl(fields: Sequence[str], state: AclState) -> tuple[bytes, bytes]:
    """
    Return key and value.

    Args:
        fields: The ACL's.
        state: How far it is.
    """
    return created_acl_key(fields), json.dumps({"state": state}).encode()


def created_acl_key(fields: Sequence[str]) -> bytes:
    """Return the key under which an ACL is kept."""
    assert len(fields) == _FIELDS, fields
    return json.dumps(list(fields), ensure_ascii=False, separators=(",", ":")).encode()


def decode_created_acl(key: bytes | None, value: bytes | None) -> tuple[str, ...] | None:
    """Return the ACL's fields; `None` for a record that is none of ours."""
    fields, state = parsed(key), parsed(value)
    is_ours = isinstance(fields, list) and len(fields) == _FIELDS and isinstance(state, dict)
    if not is_ours or not all(isinstance(each, str) for each in fields):
        return None
    return tuple(fields)
