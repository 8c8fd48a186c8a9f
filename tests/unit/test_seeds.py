"""A random test that has failed can be run again as it was."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
_TEST = """\
import random

def test_random(seed):
    raise AssertionError(f"drawn {random.Random(seed).random()}")
"""


def _fail(folder: Path, *options: str) -> str:
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "tests.support.seeds",
        "-p",
        "no:cacheprovider",
    ]
    done = subprocess.run(
        [*command, *options, "test_random.py"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        stdout=subprocess.PIPE,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1, done.stdout
    return done.stdout


def test_a_seed_is_printed_and_taken_back(tmp_path: Path) -> None:
    """Another one each time without it."""
    (tmp_path / "test_random.py").write_text(_TEST, encoding="utf-8")
    first, other = _fail(tmp_path), _fail(tmp_path)
    option = re.search(r"the same again: pytest (--seed) (\d+)", first)
    drawn = re.search(r"drawn [\d.]+", first)
    assert option is not None
    assert drawn is not None
    assert drawn[0] not in other
    assert drawn[0] in _fail(tmp_path, *option.groups())
