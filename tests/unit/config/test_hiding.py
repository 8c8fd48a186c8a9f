"""Secrets in texts: hidden where they are quoted, and the words around them stay readable."""

from __future__ import annotations

import pytest

from kmirror.config.hiding import without_secrets


@pytest.mark.parametrize(
    ("words", "secrets", "shown"),
    [
        ("not 'a' or b", ["a, b"], "not [hidden] or b"),
        ("no org.apache.kafka.X here", ["apache"], "no org.[hidden].kafka.X here"),
        ("expected org.apache.X", ["com.acme, apache"], "expected org.apache.X"),
        ("no class S3CR3T", ["org.x.S3CR3T"], "no class [hidden]"),
        ("abc ended.", ["x abc ended"], "[hidden] [hidden]."),
        ("hidden", ["hidden"], "[hidden]"),
        ("any words", [""], "any words"),
        ("any words", [], "any words"),
        (
            "-7 is too small, 17 and x-7 are not",
            ["-7"],
            "[hidden] is too small, 17 and x-7 are not",
        ),
        ("7 of a", ["7, a"], "7 of a"),
        ("one and another", ["one", "another"], "[hidden] and [hidden]"),
        ("a line\\nof two", ["a line\nof two"], "[hidden]"),
        # The same text may be one secret, and a part of another.
        ("xabcx", ["abc", "abc, d"], "x[hidden]x"),
    ],
)
def test_words_without_secrets(words: str, secrets: list[str], shown: str) -> None:
    """A whole secret is hidden wherever it stands, a part of one where it is a word."""
    assert without_secrets(words, secrets) == shown
