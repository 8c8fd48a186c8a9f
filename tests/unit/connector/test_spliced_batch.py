"""Uncompressed batches put together without a look at keys and values."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.java_program import connector_path, run_java

_PROGRAM = Path(__file__).with_name("Splices.java")
_BESIDE = [Path(__file__).with_name("RandomBatches.java")]
_BATCHES = 100


@pytest.mark.parametrize("seed", [1, 2])
def test_the_records_are_the_same(seed: int) -> None:
    """
    Offsets without gaps; timestamps, keys, values and headers as they were; a valid checksum.

    What is no batch is not taken, and leaves what was put together before as it was.
    """
    printed = run_java(_PROGRAM, str(seed), str(_BATCHES), jars=connector_path(), beside=_BESIDE)
    assert f"{_BATCHES} batches" in printed
