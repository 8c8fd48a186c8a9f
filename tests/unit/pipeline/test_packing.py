"""Every code that lanes report has its words."""

from __future__ import annotations

import re
from pathlib import Path

from kmirror.pipeline.packing import REASONS

_JAVA = "connector/src/main/java/io/kmirror/batch/Packing.java"


def test_the_connector_has_the_same_codes() -> None:
    """One without words would end the driver's report; one too many is for nobody."""
    text = (Path(__file__).parents[3] / _JAVA).read_text(encoding="utf-8")
    first, *others = re.findall(r"^  ([A-Z_]+)[,;]$", text, flags=re.MULTILINE)
    assert first == "WHOLE"
    assert {name.lower() for name in others} == REASONS.keys()
