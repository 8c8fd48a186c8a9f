"""What the process's exit codes mean, written once."""

from __future__ import annotations

from enum import IntEnum


class Exit(IntEnum):
    """MirrorMaker 2 ends with 3 when it cannot start and with 2 otherwise; these keep its 3."""

    OK = 0
    DIFFERENT = 1
    CONFIG = 2
    START_FAILED = 3
    FENCED = 4
    INCOMPLETE = 5
    BEHIND = 6
    NOT_COMPARED = 7
    # MirrorMaker 1's: -1, as a shell sees it.
    STREAM_DIED = 255
