"""Headers of record batches, rewritten without a look at the records."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from kmirror.jvm import JarSet, class_path, connector_jar, find_java, jar_folder, pyspark_jars

_BATCHES = 3_000


@pytest.mark.parametrize("seed", [1, 2])
def test_kafka_clients_take_a_rewritten_header(seed: int) -> None:
    """
    The checksum is right, the fields are the new producer's, and the rest is as it was.

    A byte that changed before is still found: the records' checksum is the first producer's.
    """
    jars = class_path(connector_jar(), pyspark_jars(), jar_folder(JarSet.CLIENTS))
    done = subprocess.run(
        [
            *(find_java().path, "-cp", jars, Path(__file__).with_name("BatchHeaders.java")),
            *(str(seed), str(_BATCHES)),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert f"{_BATCHES} batches" in done.stdout, done.stderr
