"""Files made of a base that works and some lines more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from kmirror.config.load import MirrorConfig, load

BASE = """\
clusters = A, B
A.bootstrap.servers = a:9092
B.bootstrap.servers = b:9092
A->B.enabled = true
"""


class Load:
    """Loads a file that consists of *base*, four good lines unless given, and *more*."""

    def __init__(self, directory: Path) -> None:
        self._path = directory / "mm2.properties"

    def __call__(
        self,
        more: str = "",
        *,
        base: str = BASE,
        clusters: Sequence[str] = (),
        environ: Mapping[str, str] | None = None,
    ) -> MirrorConfig:
        self._path.write_text(base + more, encoding="utf-8")
        return load(self._path, clusters=clusters, environ=environ or {})
