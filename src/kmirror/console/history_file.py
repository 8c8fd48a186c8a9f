"""How flows were, in a file: so that the plots of a driver go on after its restart."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import astuple, fields
from pathlib import Path

from kmirror.api.plots import PlotPoint, PlotRange
from kmirror.console.history import KeptPoint
from kmirror.errors import EnvironmentProblem
from kmirror.model import Flow

PAGES_MAX = 16_384
"""Of 4 KiB: the file never takes more than 64 MiB. A flow takes about 100 kB."""
_KIND, _VERSION = 0x6B6D6972, 1  # "kmir"
_BUSY_S = 2.0
_FIELDS = tuple(each.name for each in fields(PlotPoint))
_COLUMNS = ("source", "target", "range", "is_open", *_FIELDS)
_KINDS = {"at_ms": "INTEGER NOT NULL", "lag_records": "INTEGER"}
_CREATE = f"""
CREATE TABLE points (
    source TEXT NOT NULL,
    target TEXT NOT NULL,
    range TEXT NOT NULL,
    is_open INTEGER NOT NULL,
    {", ".join(f"{name} {_KINDS.get(name, 'REAL')}" for name in _FIELDS)},
    PRIMARY KEY (source, target, range, at_ms)
) WITHOUT ROWID
"""
_INSERT = (
    f"INSERT OR REPLACE INTO points ({', '.join(_COLUMNS)}) "
    f"VALUES ({', '.join('?' * len(_COLUMNS))})"
)
_SELECT = f"SELECT {', '.join(_COLUMNS)} FROM points ORDER BY at_ms"


class HistoryFile:
    """
    A file with the points of plots; of one thread, and of one process at a time.

    Args:
        path: The file; it is made where it is not there, its folder is not.

    Raises:
        EnvironmentProblem: It is no such file, is damaged, or another process has it.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        with _told(path):
            # How much goes through which cluster is nobody else's business.
            path.touch(mode=0o600)
            self._connection = sqlite3.connect(path, timeout=_BUSY_S, isolation_level=None)
            try:
                self._open()
            except BaseException:
                self._connection.close()
                raise

    def _open(self) -> None:
        run = self._connection.execute
        run("PRAGMA locking_mode = EXCLUSIVE")
        # Whoever has it keeps it: this takes the lock, and nothing gives it back.
        run("BEGIN EXCLUSIVE")
        (kind,), (version,) = (
            run(f"PRAGMA {each}").fetchone() for each in ("application_id", "user_version")
        )
        is_new = not run("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if not is_new and kind != _KIND:
            raise EnvironmentProblem(
                f"{self._path} is no file with a console's history", hint="name another file"
            )
        if version > _VERSION:
            raise EnvironmentProblem(
                f"{self._path} was written by a newer kmirror", hint="name another file"
            )
        if is_new:
            run(_CREATE)
            run(f"PRAGMA application_id = {_KIND}")
            run(f"PRAGMA user_version = {_VERSION}")
        # Nothing more comes to what was open when a driver ended.
        run("UPDATE points SET is_open = 0 WHERE is_open")
        run("COMMIT")
        run(f"PRAGMA max_page_count = {PAGES_MAX}")
        if run("PRAGMA quick_check(1)").fetchone() != ("ok",):
            raise sqlite3.DatabaseError("database disk image is malformed")

    def read(self) -> list[KeptPoint]:
        """
        Return what is kept, oldest first.

        Raises:
            EnvironmentProblem: It is damaged.
        """
        with _told(self._path):
            return [
                KeptPoint(
                    flow=Flow(source, target),
                    range=PlotRange(name),
                    point=PlotPoint(**dict(zip(_FIELDS, values, strict=True))),
                )
                for source, target, name, _, *values in self._connection.execute(_SELECT)
            ]

    def write(self, points: Iterable[KeptPoint], now_ms: int) -> None:
        """
        Keep points, and give up those that no plot shows any more.

        Args:
            points: New ones, and those that were open before, as they are now.
            now_ms: The time, milliseconds since the epoch.

        Raises:
            EnvironmentProblem: The disk is full, or the file is damaged; nothing was written.
        """
        kept = list(points)
        flows = {(each.flow.source, each.flow.target) for each in kept}
        with _told(self._path), self._connection as connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.executemany(
                "DELETE FROM points WHERE is_open AND source = ? AND target = ?", sorted(flows)
            )
            for span in PlotRange:
                connection.execute(
                    "DELETE FROM points WHERE range = ? AND at_ms < ?",
                    (span.value, now_ms - 1000 * span.span_s),
                )
            connection.executemany(_INSERT, map(_row, kept))

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()


def _row(each: KeptPoint) -> tuple[object, ...]:
    flow = each.flow
    return (flow.source, flow.target, each.range.value, int(each.is_open), *astuple(each.point))


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Say what SQLite finds, and what to do."""
    try:
        yield
    except sqlite3.Error as error:
        hint = "each driver has a file of its own" if "locked" in str(error) else ""
        if "malformed" in str(error) or "not a database" in str(error):
            hint = "remove it: a new one is made"
        raise EnvironmentProblem(f"{path}: {error}", hint=hint) from error
    except OSError as error:
        raise EnvironmentProblem(f"{path}: {error.strerror}") from error
    except (TypeError, ValueError) as error:
        # Somebody else has written into it.
        hint = "remove it: a new one is made"
        raise EnvironmentProblem(f"{path}: {error}", hint=hint) from error
