"""The arithmetic on links, and quantities as people write them."""

from __future__ import annotations

import pytest

from kmirror.tune.link import Link, busy_bytes, power_above, power_below, size_within, timeout_ms
from kmirror.tune.link_units import (
    parse_rate,
    parse_rtt_ms,
    parse_size,
    rate_text,
    size_text,
    time_text,
)
from kmirror.units import UnitProblem

KIB = 1024


def test_the_bandwidth_delay_product() -> None:
    """100 Mbit/s and 80 ms hold a million bytes; what is not known gives nothing."""
    assert Link(rtt_ms=80, bytes_per_s=12.5e6).product_bytes == 1_000_000
    assert Link(rtt_ms=80).product_bytes is None
    assert Link(bytes_per_s=1e6).product_bytes is None


def test_a_request_on_the_link_of_the_experiments() -> None:
    """64 KiB at 1 Mbit/s: 0.52 s, the half second that made the duplicates."""
    assert Link(rtt_ms=0, bytes_per_s=125_000).request_ms(64 * KIB) == pytest.approx(524, abs=1)
    assert Link(rtt_ms=100).request_ms(64 * KIB) is None


def test_a_timeout_is_four_times_the_request() -> None:
    """In steps of 5 s, and never below Kafka's default."""
    slow = Link(rtt_ms=100, bytes_per_s=125_000)
    assert timeout_ms(slow, 64 * KIB) == 30_000
    assert timeout_ms(slow, 1024 * KIB) == 35_000
    assert timeout_ms(Link(), 1024 * KIB) == 30_000


def test_what_fits_and_what_keeps_busy() -> None:
    """A quarter of 30 s at 1 Mbit/s; four products, shared by partitions."""
    slow = Link(rtt_ms=100, bytes_per_s=125_000)
    assert size_within(slow, 30_000) == 925_000
    assert size_within(slow, 300) == 0
    assert size_within(Link(), 300) is None
    assert busy_bytes(slow, None) == 64 * KIB
    assert busy_bytes(slow, 4) == 16 * KIB
    assert busy_bytes(Link(), 4) is None


def test_powers() -> None:
    """Up, down, and at the edges."""
    assert [power_above(n) for n in (0, 1, 2, 3, 1025)] == [1, 1, 2, 4, 2048]
    assert [power_below(n) for n in (0, 1, 2, 3, 1025)] == [1, 1, 2, 2, 1024]


def test_quantities() -> None:
    """As links and sizes are written everywhere."""
    assert parse_rtt_ms("100ms") == 100
    assert parse_rtt_ms("0.1 s") == 100
    assert parse_rate("10mbit") == parse_rate("10 Mbit/s") == 1_250_000
    assert parse_rate("5MB/s") == 5_000_000
    assert parse_size("1000") == 1000
    assert parse_size("16KiB") == 16 * KIB


@pytest.mark.parametrize(
    ("parse", "text"),
    [
        (parse_rtt_ms, "100"),
        (parse_rtt_ms, "0ms"),
        (parse_rtt_ms, "2000s"),
        (parse_rtt_ms, "-1ms"),
        (parse_rtt_ms, "1e3ms"),
        (parse_rate, "10"),
        (parse_rate, "10MB"),
        (parse_rate, "1kbit"),
        (parse_rate, "9999999gbit"),
        (parse_size, "0"),
        (parse_size, "1GB"),
        (parse_size, "ten"),
        (parse_size, ""),
    ],
)
def test_texts_that_are_no_quantity(parse: object, text: str) -> None:
    """Refused in words that name what would be one."""
    assert callable(parse)
    with pytest.raises(UnitProblem, match="expected"):
        parse(text)


def test_words() -> None:
    """Three digits are enough."""
    assert rate_text(125_000) == "1 Mbit/s"
    assert rate_text(1.25e9) == "10 Gbit/s"
    assert size_text(65_536) == "64 KiB"
    assert size_text(205) == "205 B"
    assert time_text(524.3) == "524 ms"
    assert time_text(8489) == "8.49 s"
