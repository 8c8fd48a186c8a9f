"""What an import has to be told, because no file says it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath

SECRETS_FOLDER = PurePosixPath("/etc/kmirror/secrets")


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportOptions:
    """
    What the command line says.

    Args:
        source, target: The clusters' aliases, for systems that have none.
        secrets: The folder where Secrets of Kubernetes are mounted, one folder in it for each.
    """

    source: str = "source"
    target: str = "target"
    secrets: PurePosixPath = SECRETS_FOLDER
