"""`kmirror run` whose transactions end by the clock alone, whatever a commit costs."""

from __future__ import annotations

from collections.abc import Mapping
from unittest.mock import patch

from kmirror.cli.verbs import program
from kmirror.pipeline import plan_file
from kmirror.pipeline.tuning.table import plan_tuning

# Then no commit is ever worth its price, and the rule for all other transactions is left.
_NEVER = 1_000_000


def _tuning() -> Mapping[str, Mapping[str, int]]:
    numbers = plan_tuning()
    return {**numbers, "transaction": {**numbers["transaction"], "price_times": _NEVER}}


if __name__ == "__main__":
    with patch.object(plan_file, "plan_tuning", _tuning):
        program()()
