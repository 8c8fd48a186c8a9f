"""Tests that need network namespaces are skipped, and say why, where these are impossible."""

from __future__ import annotations

import pytest

from kmirror.errors import EnvironmentProblem
from kmirror.lab.net.namespace import require_tools, why_not


def _why_not() -> str:
    try:
        require_tools()
    except EnvironmentProblem as problem:
        return str(problem)
    return why_not()


_WHY_NOT = _why_not()
needs_namespaces = pytest.mark.skipif(bool(_WHY_NOT), reason=_WHY_NOT or "namespaces are possible")
