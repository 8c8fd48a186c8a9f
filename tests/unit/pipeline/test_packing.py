"""Every code that lanes report has its words."""

from __future__ import annotations

from kmirror.pipeline.packing import REASONS
from tests.support.java_enum import codes_of


def test_the_connector_has_the_same_codes() -> None:
    """One without words would end the driver's report; one too many is for nobody."""
    first, *others = codes_of("batch/Packing.java", "Packing")
    assert first == "whole"
    assert others == list(REASONS)
