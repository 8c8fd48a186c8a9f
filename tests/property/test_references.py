"""References in values are found where Kafka finds them, in time proportional to the text."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kmirror.config.references import References

# Kafka's own, of ConfigTransformer; it tries every way, so it is for short texts only.
KAFKAS = re.compile(r"\$\{([^}]*?):(([^}]*?):)?([^}]*?)\}")


@dataclass(frozen=True, slots=True)
class Brackets:
    """A provider that shows what it was asked for."""

    name: str

    def value(self, path: str, key: str) -> str:
        return f"<{self.name}|{path}|{key}>"

    def file(self, path: str, key: str) -> Path | None:  # noqa: ARG002 - it reads none
        return None


PROVIDERS: Mapping[str, Brackets] = {name: Brackets(name) for name in ("", "a", "b$")}


def as_kafka_does(text: str) -> str:
    def replaced(found: re.Match[str]) -> str:
        provider = PROVIDERS.get(found[1])
        return found[0] if provider is None else provider.value(found[3] or "", found[4])

    return KAFKAS.sub(replaced, text)


@given(st.text("${}:ab$ ", max_size=40))
def test_the_same_references_as_kafkas(text: str) -> None:
    assert References(PROVIDERS).expand(text) == as_kafka_does(text)


@pytest.mark.parametrize("piece", ["${", "${a:", "${a:b:", ":", "${a:${", "}"])
def test_no_text_takes_long(piece: str) -> None:
    """Not even one that fills the largest file."""
    text = "${a:" + piece * (200_000 // len(piece))
    begun_s = time.perf_counter()
    References(PROVIDERS).expand(text)
    References(PROVIDERS).unknown(text)
    assert time.perf_counter() - begun_s < 1.0
