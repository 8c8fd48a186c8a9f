"""What a driver's process is for, by its file."""

from __future__ import annotations

from pathlib import Path

import pytest

from kmirror.config.load import load
from kmirror.runtime.host_options import DriverOptions, driver_host

_FILE = """
clusters = A, B
A.bootstrap.servers = a:9092
B.bootstrap.servers = b:9092
A->B.enabled = true
B->A.enabled = true
"""


@pytest.mark.parametrize(
    ("line", "by_record"),
    [
        ("", False),
        ("A->B.kmirror.granularity = record", True),
        ("B->A.kmirror.where = key IS NOT NULL", True),
        ("A->B.kmirror.audit.enabled = true", True),
    ],
)
def test_one_flow_is_enough_to_look_at_records(tmp_path: Path, line: str, by_record: bool) -> None:
    """The JVM's compilers depend on it."""
    file = tmp_path / "mm2.properties"
    file.write_text(f"{_FILE}{line}\n", encoding="utf-8")
    assert driver_host(load(file, environ={}), DriverOptions()).by_record is by_record
