"""Every code that the reader of key stores prints has its words."""

from __future__ import annotations

from kmirror.jvm.key_stores import PROBLEMS
from tests.support.java_enum import codes_of


def test_the_connector_has_the_same_codes() -> None:
    """An unknown one would be shown as a failure of Java."""
    assert codes_of("KeyStores.java", "Problem") == tuple(PROBLEMS)
