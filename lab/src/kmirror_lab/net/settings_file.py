"""
The settings of a link as a file: commands write it, the process that is the link obeys it.

A signal says that it was written; the process answers by writing what it obeys now.
"""

from __future__ import annotations

import signal
from pathlib import Path

from kmirror.errors import EnvironmentProblem
from kmirror_lab.net.settings import LinkSettings, from_json, to_json
from kmirror_lab.process import process
from kmirror_lab.process.process import ProcessId
from kmirror_lab.process.waiting import wait_until

_WANTED = "link.json"
_TAKEN = "link.taken.json"
_TAKEN_S_MAX = 20


def save(folder: Path, settings: LinkSettings) -> None:
    """Write what is wanted, completely or not at all."""
    _replace(folder / _WANTED, to_json(settings))


def load(folder: Path) -> LinkSettings:
    """Read what is wanted."""
    return from_json((folder / _WANTED).read_text())


def acknowledge(folder: Path, settings: LinkSettings) -> None:
    """Write, as the link, what is obeyed from now on."""
    _replace(folder / _TAKEN, to_json(settings))


def wait_taken(folder: Path, link: ProcessId, log: Path) -> None:
    """
    Wait until the process that is the link obeys the file.

    Raises:
        EnvironmentProblem: It is not there any more.
        ClusterUnavailable: It does not answer.
    """

    def taken() -> bool:
        if not process.alive(link):
            said = log.read_text(errors="replace")[-1000:] if log.exists() else ""
            raise EnvironmentProblem(f"the link has ended: {said}", hint=f"its log is {log}")
        place = folder / _TAKEN
        return place.exists() and from_json(place.read_text()) == load(folder)

    wait_until(taken, "the link takes its settings", timeout_s=_TAKEN_S_MAX, pause_s=0.01)


def hand_over(folder: Path, settings: LinkSettings, link: ProcessId, log: Path) -> None:
    """Write what is wanted and return when the link obeys; see `wait_taken`."""
    save(folder, settings)
    process.send(link, signal.SIGHUP)
    wait_taken(folder, link, log)


def remove(folder: Path) -> None:
    """Remove the files."""
    for name in (_WANTED, _TAKEN):
        (folder / name).unlink(missing_ok=True)


def _replace(place: Path, text: str) -> None:
    draft = place.with_name(f".{place.name}")
    draft.write_text(text)
    draft.rename(place)
