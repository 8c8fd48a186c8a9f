"""JSON as keys and values of internal topics have it: without blanks, and perhaps not ours."""

from __future__ import annotations

import json
from typing import Any


def compact(thing: object) -> bytes:
    """Return *thing* as JSON; the same thing gives the same bytes, as a key has to."""
    return json.dumps(thing, separators=(",", ":")).encode()


def parsed(data: bytes | None) -> Any:
    """Return what *data* says; `None`, as for `null`, when there is none or it is no JSON."""
    try:
        return json.loads(data or b"")
    except (ValueError, RecursionError):
        return None
