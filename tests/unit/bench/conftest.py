"""The benchmark is no part of the installed package: it lies beside `src`."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))
