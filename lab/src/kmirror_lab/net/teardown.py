"""Taking a lab down: processes, namespaces, files; safe to repeat, and from any process."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from kmirror_lab.net import namespace, settings_file, state
from kmirror_lab.net.state import Kind, NetState
from kmirror_lab.process import process

_GRACE_S = 3.0
GUARDIAN_LOG = "guardian.log"
"""What the process writes that takes a lab down whose owner is gone."""
_LOGS = ("link.log", GUARDIAN_LOG)


def tear_down(folder: Path) -> None:
    """
    End everything of the lab in *folder*, and remove what it put there; foreign files stay.

    Raises:
        EnvironmentProblem: A namespace cannot be removed.
    """
    found = state.load(folder)
    if found is None:
        return
    if found.kind is not Kind.PROXY:
        with ThreadPoolExecutor(max_workers=2) as pool:
            spaces = [side.namespace for side in found.sides]
            list(pool.map(partial(namespace.remove, grace_s=_GRACE_S), spaces))
    # Of namespaces, too, whose names somebody else has removed.
    _end_processes(found)
    for name in found.names:
        shutil.rmtree(folder / name, ignore_errors=True)
    settings_file.remove(folder)
    for log in _LOGS:
        (folder / log).unlink(missing_ok=True)
    # Last: until here the next attempt knows what is left.
    state.forget(folder)


def tear_down_orphan(folder: str) -> None:
    """Take down the lab in *folder*, whose owner is gone; see `Guardian`."""
    tear_down(Path(folder))


def _end_processes(found: NetState) -> None:
    nodes = [
        node.process
        for side in found.sides
        if side.cluster is not None
        for node in side.cluster.nodes
    ]
    with ThreadPoolExecutor(max_workers=max(1, len(nodes))) as pool:
        list(pool.map(partial(process.end, timeout_s=_GRACE_S), nodes))
    if found.link is not None:
        process.end(found.link, timeout_s=_GRACE_S)
