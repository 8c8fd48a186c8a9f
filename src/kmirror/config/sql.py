"""SQL texts of the file: conditions and projections."""

from __future__ import annotations

from dataclasses import dataclass

from kmirror.config.entry import Entry
from kmirror.errors import Problem


@dataclass(frozen=True, slots=True, kw_only=True)
class SqlText:
    """
    A Spark SQL expression that Spark has not checked yet.

    Args:
        sql: The expression.
        entry: Where the file says it.
    """

    sql: str
    entry: Entry

    def problem(self, expected: str) -> Problem:
        """Return a Problem with this line of the file."""
        return self.entry.problem(expected)
