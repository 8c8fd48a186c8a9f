"""How long to wait before the next try."""

from __future__ import annotations

import random
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Backoff:
    """
    Waits that double up to a cap, each shortened at random so that flows do not start in step.

    Args:
        first_s: The first wait, seconds.
        max_s: The longest, seconds.
    """

    first_s: float = 1.0
    max_s: float = 60.0

    def delay_s(self, failures: int, rng: random.Random) -> float:
        """
        Return the wait after the nth failure in a row.

        Args:
            failures: How many there were, 1 or more.
            rng: Where randomness comes from.
        """
        assert failures >= 1, "nothing failed yet"
        # 2**30 seconds are beyond every cap; larger exponents would only overflow.
        full_s: float = min(self.max_s, self.first_s * 2 ** min(failures - 1, 30))
        return full_s * rng.uniform(0.8, 1.0)
