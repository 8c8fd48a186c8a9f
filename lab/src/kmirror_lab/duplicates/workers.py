"""The workers of a mirror: one, until a second one joins it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from kmirror_lab.duplicates.duplicated_batch import Retry
from kmirror_lab.duplicates.worker import Worker


class Workers:
    """
    Workers that share a mirror's work, or take it from each other.

    Args:
        make: Makes a worker, given the name of its folder.
    """

    def __init__(self, make: Callable[[str], Worker]) -> None:
        self._make = make
        self._all = [make("mirror")]

    def start(self) -> None:
        """Start the first one, also again."""
        self._all[0].mirror.start()

    def join(self) -> None:
        """Start one more."""
        self._all.append(self._make(f"mirror-{len(self._all) + 1}"))
        self._all[-1].mirror.start()

    def kill(self) -> None:
        """Kill all of them without notice."""
        for each in self._all:
            each.mirror.kill()

    def stop(self) -> None:
        """Shut all of them down in order, the youngest first."""
        for each in reversed(self._all):
            each.stop()

    def died(self) -> bool:
        """Return whether nobody works any more."""
        return all(each.died() for each in self._all)

    def timed_out(self) -> int | None:
        """Say how often their producers gave up waiting; `None` is not known."""
        return _sum(each.timed_out() for each in self._all)

    def retry_count(self) -> int | None:
        """Say how many batches their producers sent again; `None` is not known."""
        return _sum(each.retry_count() for each in self._all)

    def retries(self) -> list[Retry]:
        """Tell what is known of the batches that their producers sent again."""
        return [found for each in self._all for found in each.retries()]

    def end_of_log(self) -> str:
        """Return the last lines of the youngest one's log."""
        return self._all[-1].mirror.end_of_log()

    def files(self) -> list[Path]:
        """Name their logs, and the files that they were given."""
        found = [
            path
            for each in self._all
            for path in (each.mirror.log, *each.folder.glob("*.properties"))
        ]
        return [path for path in found if path.exists()]


def _sum(counts: Iterable[int | None]) -> int | None:
    known = list(counts)
    return None if None in known else sum(count for count in known if count is not None)
