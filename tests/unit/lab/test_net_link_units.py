"""Rates, durations and shares as people write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kmirror_lab.net import link_units


@pytest.mark.parametrize(
    ("text", "bit_s"),
    [("1mbit", 1_000_000), ("1.5Mbit", 1_500_000), ("500 kbit", 500_000), ("none", 0), ("0", 0)],
)
def test_rates(text: str, bit_s: int) -> None:
    """As `tc` reads them: decimal, and small letters or large."""
    assert link_units.rate_bit_s(text) == bit_s


@pytest.mark.parametrize(("text", "seconds"), [("100ms", 0.1), ("1.5s", 1.5), ("0", 0.0)])
def test_durations(text: str, seconds: float) -> None:
    """Microseconds, milliseconds, seconds."""
    assert link_units.duration_s(text) == pytest.approx(seconds)


@pytest.mark.parametrize(("text", "bytes_s"), [("1MB", 1_000_000), ("60kB", 60_000), ("9b", 9)])
def test_bytes(text: str, bytes_s: int) -> None:
    """Quotas count bytes."""
    assert link_units.bytes_s(text) == bytes_s


@pytest.mark.parametrize(("text", "size"), [("32kB", 32_000), ("1.5MB", 1_500_000), ("0", 0)])
def test_sizes(text: str, size: int) -> None:
    """Decimal, as rates are; nothing is what is usual."""
    assert link_units.size_bytes(text) == size
    assert link_units.size_bytes(link_units.show_size(size)) == size


@pytest.mark.parametrize(
    ("read", "text", "expected"),
    [
        (link_units.rate_bit_s, "1", "a rate like 1mbit"),
        (link_units.rate_bit_s, "-1mbit", "a rate like 1mbit"),
        (link_units.rate_bit_s, "1MB", "a rate like 1mbit"),
        (link_units.duration_s, "100", "a duration like 100ms"),
        (link_units.share, "5", "a share like 5%"),
        (link_units.share, "101%", "more than 100 %"),
        (link_units.bytes_s, "0kB", "at least one byte"),
        (link_units.bytes_s, "1mbit", "bytes a second like"),
        (link_units.size_bytes, "32kbit", "a size like 4kB"),
    ],
)
def test_what_is_wrong_is_told(read: object, text: str, expected: str) -> None:
    """The message quotes the text and gives an example."""
    assert callable(read)
    with pytest.raises(ValueError, match=expected) as caught:
        read(text)
    assert text in str(caught.value)


@given(st.integers(min_value=1, max_value=9999), st.sampled_from(["bit", "kbit", "mbit"]))
def test_rates_are_written_as_they_are_read(number: int, unit: str) -> None:
    """What `show` prints can be given to `set`."""
    bit_s = link_units.rate_bit_s(f"{number}{unit}")
    assert link_units.rate_bit_s(link_units.show_rate(bit_s)) == pytest.approx(bit_s, rel=1e-3)
