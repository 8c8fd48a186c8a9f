"""What `--to` may say."""

from __future__ import annotations

import pytest

from kmirror.control.targets import SeekTarget, seek_target
from kmirror.errors import OrderRefused


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("earliest", SeekTarget(end="earliest")),
        ("latest", SeekTarget(end="latest")),
        ("1200", SeekTarget(offset=1200)),
        ("1970-01-01T00:00:01", SeekTarget(at_ms=1000)),
        ("1970-01-01T01:00:01+01:00", SeekTarget(at_ms=1000)),
        ("1970-01-02", SeekTarget(at_ms=86_400_000)),
    ],
)
def test_places(text: str, target: SeekTarget) -> None:
    """A time without a zone is UTC, as in the log."""
    assert seek_target(text) == target


@pytest.mark.parametrize("text", ["", "-1", "soon", "12:00", "1e3", "١٢", "9" * 5000])
def test_what_is_no_place_is_refused(text: str) -> None:
    """With what is expected."""
    with pytest.raises(OrderRefused, match="expected earliest, latest, an offset"):
        seek_target(text)
