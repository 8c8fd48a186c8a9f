"""How often an address may do something."""

from __future__ import annotations

import math
from collections import OrderedDict
from dataclasses import dataclass

from kmirror.clock import Clock

_ADDRESSES_MAX = 10_000


@dataclass(slots=True)
class _Bucket:
    tokens: float
    at_s: float


class AddressThrottle:
    """
    A bucket of tokens for each address; those that were not seen for longest are forgotten.

    Args:
        burst: How many it may take at once.
        per_s: How many come back in a second.
        clock: Where time comes from.
    """

    def __init__(self, *, burst: float, per_s: float, clock: Clock) -> None:
        self._burst = burst
        self._per_s = per_s
        self._clock = clock
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()

    def take(self, address: str) -> int:
        """Take a token; gives 0, or in how many seconds there will be one."""
        wait_s = self.wait_s(address)
        if not wait_s:
            self._buckets[address].tokens -= 1
        return wait_s

    def wait_s(self, address: str) -> int:
        """Return in how many seconds there will be a token; 0 if there is one."""
        now_s = self._clock.monotonic_s()
        bucket = self._buckets.setdefault(address, _Bucket(self._burst, now_s))
        self._buckets.move_to_end(address)
        if len(self._buckets) > _ADDRESSES_MAX:
            self._buckets.popitem(last=False)
        bucket.tokens = min(self._burst, bucket.tokens + (now_s - bucket.at_s) * self._per_s)
        bucket.at_s = now_s
        return 0 if bucket.tokens >= 1 else math.ceil((1 - bucket.tokens) / self._per_s)
