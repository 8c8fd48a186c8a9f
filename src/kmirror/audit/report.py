"""The file of an audit's report: the page, drawn, and signed where there is a key."""

from __future__ import annotations

from collections.abc import Sequence

from kmirror.audit.page import audit_page
from kmirror.audit.seal import PrivateKey, fingerprint, public_bytes, sealed
from kmirror.audit.standing import FlowStanding
from kmirror.pages.html import html


def drawn_report(
    flows: Sequence[FlowStanding], *, at_ms: int, by: str, private: PrivateKey | None
) -> bytes:
    """
    Draw the page.

    Args:
        flows: See `audit_page`.
        at_ms, by: See there.
        private: The key that it is signed with; `None` for none.
    """
    page = audit_page(
        flows,
        at_ms=at_ms,
        by=by,
        fingerprint="" if private is None else fingerprint(public_bytes(private)),
    )
    drawn = html(page).encode()
    return drawn if private is None else sealed(drawn, private)
