"""What the tests of the configuration share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.mirror_files import Load


@pytest.fixture
def load_text(tmp_path: Path) -> Load:
    """Load a file made of given lines."""
    return Load(tmp_path)
