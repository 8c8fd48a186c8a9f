"""Headers of record batches, rewritten without a look at the records."""

from __future__ import annotations

import pytest
from java_program import run_java

_BATCHES = 3_000


@pytest.mark.parametrize("seed", [1, 2])
def test_kafka_clients_take_a_rewritten_header(seed: int) -> None:
    """
    The checksum is right, the fields are the new producer's, and the rest is as it was.

    A byte that changed before is still found: the records' checksum is the first producer's.
    """
    printed = run_java("BatchHeaders.java", str(seed), str(_BATCHES))
    assert f"{_BATCHES} batches" in printed
