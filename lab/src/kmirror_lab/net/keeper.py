"""
A small process that takes a lab down when its owner is gone, however it went.

It holds the reading end of a pipe; the kernel closes the writing end when the owner ends, even
by SIGKILL. One word through the pipe says that the lab shall stay.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from kmirror_lab.net.teardown import tear_down

_STAY = "stay"
# Not `-m`: the package imports this module before it would be run.
_PROGRAM = "from kmirror_lab.net.keeper import main; main()"
_LEAVE_S_MAX = 30


class Keeper:
    """
    The owner's end.

    Args:
        folder: The lab's; what is written down there is taken down.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / "keeper.log").open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-c", _PROGRAM, str(folder)],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=log,
                start_new_session=True,
                text=True,
            )

    def release(self) -> None:
        """Let the lab stay, or tell that it is gone already."""
        self._process.communicate(_STAY, timeout=_LEAVE_S_MAX)


def main() -> None:
    """Wait for the end of the input, then take down the lab of `FOLDER` unless it shall stay."""
    if sys.stdin.read() != _STAY:
        tear_down(Path(sys.argv[1]))
