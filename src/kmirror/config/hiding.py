"""Secrets in texts for people: hidden, as a whole and in the parts of them that a text quotes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from kmirror.config.secret import HIDDEN

# What is shorter is in other words by chance: it is hidden in quotes, and where it stands alone if
# it is a whole secret.
_LENGTH_MIN = 3
_WORD = r"\w.$/-"
# Errors show parts of lists, words of a login, options without their values, names of classes.
_BETWEEN = (r",", r"[,:=]", r"\s", rf"[^{_WORD}]+")


def without_secrets(words: str, secrets: Iterable[str]) -> str:
    """
    Return a text without what it quotes of secrets.

    Args:
        words: The text, for people.
        secrets: Texts; each may be a list, or have several words.
    """
    given = tuple(secrets)
    wholes = {text for secret in given for text in (secret, secret.strip())}
    texts = wholes.union(*map(_parts, given))
    found = sorted((text for text in texts if text and text in words), key=len, reverse=True)
    patterns = [re.escape(repr(text)) for text in found]
    patterns += [
        re.escape(text) if text in wholes and len(text) >= _LENGTH_MIN else _alone(text)
        for text in found
        if text in wholes or len(text) >= _LENGTH_MIN
    ]
    return re.sub("|".join(patterns), HIDDEN, words) if patterns else words


def without_wholes(words: str, secrets: Iterable[str]) -> str:
    """
    Return a text without secrets that stand in it as a whole; words of them may be harmless.

    Args:
        words: The text, for people who know the secrets: they have sent them.
        secrets: Texts.
    """
    for secret in sorted(filter(None, secrets), key=len, reverse=True):
        words = words.replace(secret, HIDDEN)
    return words


def _alone(text: str) -> str:
    """Give a pattern of a text that is no part of a longer word."""
    return rf"(?<![{_WORD}]){re.escape(text)}(?![\w$/-]|\.\w)"


def _parts(secret: str) -> Iterator[str]:
    """Yield parts of a secret, and all of it, also as Python's `repr` quotes them."""
    for between in _BETWEEN:
        for part in re.split(between, secret):
            for each in (part.strip(), part.strip().rpartition(".")[2]):
                yield each
                yield repr(each)[1:-1]
    yield repr(secret)[1:-1]
