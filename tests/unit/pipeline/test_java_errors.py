"""Failures of Java clients become our errors: in their own words, or by the name of the error."""

from __future__ import annotations

import pytest

from kmirror.errors import ClusterError, ClusterUnavailable, NotAuthorized
from kmirror.pipeline.java_errors import translated


@pytest.mark.parametrize(
    ("name", "message", "kind", "words"),
    [
        ("TimeoutException", "no answer", ClusterUnavailable, "could not ask: no answer"),
        ("TimeoutException", "", ClusterUnavailable, "could not ask: TimeoutException"),
        ("GroupAuthorizationException", "no", NotAuthorized, "not authorized to ask: no (grant "),
        ("SaslAuthenticationException", "no", NotAuthorized, "could not ask: no (check "),
        ("GroupNotEmptyException", "no", ClusterError, "could not ask: no (stop its members"),
        ("OddException", "odd", ClusterError, "could not ask: odd (OddException)"),
    ],
)
def test_a_failure_in_words(name: str, message: str, kind: type[ClusterError], words: str) -> None:
    """Its class says whether it passes by itself."""
    error = translated({"error": name, "message": message}, "cluster B", "ask")
    assert type(error) is kind
    assert str(error).startswith(f"cluster B: {words}")
