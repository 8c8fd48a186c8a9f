"""Headers of record batches, rewritten without a look at the records."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.java_program import connector_path, run_java

_PROGRAM = Path(__file__).with_name("BatchHeaders.java")
_BESIDE = [Path(__file__).with_name("RandomBatches.java")]
_BATCHES = 3_000


@pytest.mark.parametrize("seed", [1, 2])
def test_kafka_clients_take_a_rewritten_header(seed: int) -> None:
    """
    The checksum is right, the fields are the new producer's, and the rest is as it was.

    A byte that changed before is still found: the records' checksum is the first producer's.
    """
    printed = run_java(_PROGRAM, str(seed), str(_BATCHES), jars=connector_path(), beside=_BESIDE)
    assert f"{_BATCHES} batches" in printed
