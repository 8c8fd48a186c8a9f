"""What becomes of a copy once its topic was deleted on the source."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class DeletionVerb(StrEnum):
    """What is done; the value is the word of the file."""

    IGNORE = "ignore"
    QUARANTINE = "quarantine"
    DELETE_AFTER = "delete-after"


@dataclass(frozen=True, slots=True, kw_only=True)
class Deletion:
    """
    The choice for a topic.

    Args:
        verb: What is done.
        text: The choice as the file has it, such as `delete-after=7d`.
        after_ms: For `DELETE_AFTER`, how long after the deletion was proved; 0 otherwise.
    """

    verb: DeletionVerb = DeletionVerb.IGNORE
    text: str = DeletionVerb.IGNORE.value
    after_ms: int = 0

    def __str__(self) -> str:
        return self.text
