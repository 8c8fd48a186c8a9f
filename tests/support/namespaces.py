"""Tests that need network namespaces are skipped, and say why, where these are impossible."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest
from kmirror_lab.net import namespace

from kmirror.errors import EnvironmentProblem


def _needs(why_not: Callable[[], str]) -> pytest.MarkDecorator:
    try:
        why = why_not()
    except EnvironmentProblem as problem:
        why = str(problem)
    return pytest.mark.skipif(bool(why), reason=why or "namespaces are possible")


def _lab_why_not() -> str:
    namespace.require_tools()
    return namespace.why_not()


def _machines_why_not() -> str:
    if os.geteuid() != 0:
        return "network namespaces need root"
    namespace.run(["unshare", "--net", "ip", "link", "add", "type", "bridge"])
    return ""


needs_namespaces = _needs(_lab_why_not)
"""For the network lab, with all of its tools."""

needs_machines = _needs(_machines_why_not)
"""For `machines`, which need less."""
