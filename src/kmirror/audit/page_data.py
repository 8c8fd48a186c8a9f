"""What stands in the page of an audit as data; reading it needs nothing that draws."""

from __future__ import annotations

import json
import re
from typing import Any

from kmirror.wire.audit_windows import AuditVerdict

_LAST_MS = 253_402_300_799_999  # of the year 9999
_DATA = re.compile(rb'<script type="application/json" id="kmirror-audit">(.*?)</script>', re.DOTALL)


def data_of(page: bytes) -> dict[str, Any] | None:
    """Return the data in a page; `None` when it is no report of an audit."""
    found = _DATA.search(page)
    try:
        data = json.loads(found[1]) if found is not None else None
    except ValueError:
        return None
    return data if _is_report(data) else None


def _is_report(data: object) -> bool:
    """Whether it has what is told of a report: whoever signs one may have written anything."""
    match data:
        case {"at_ms": int(at_ms), "by": str(), "flows": [*flows]}:
            return 0 <= at_ms <= _LAST_MS and all(map(_is_flow, flows))
    return False


def _is_flow(flow: object) -> bool:
    match flow:
        case {"flow": str(), "behind": int(), "windows_kept": dict() as kept}:
            return all(isinstance(kept.get(str(each)), int) for each in AuditVerdict)
    return False
