"""What a link shall do: values, changes, and what contradicts itself."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kmirror_lab.net.settings import (
    LOSS_MIN,
    Change,
    Direction,
    LinkSettings,
    OneWay,
    from_json,
    read_change,
    to_json,
)

_WAYS = st.builds(
    OneWay,
    rate_bit_s=st.integers(min_value=8_000, max_value=10**9) | st.just(0),
    bucket_bytes=st.integers(min_value=1_600, max_value=10**8) | st.just(0),
    delay_s=st.floats(min_value=0.01, max_value=30),
    jitter_s=st.floats(min_value=0, max_value=0.01),
    loss=st.floats(min_value=LOSS_MIN, max_value=1) | st.just(0.0),
    burst=st.integers(min_value=1, max_value=1000),
    reorder=st.floats(min_value=0, max_value=1),
    cut=st.booleans(),
)


def test_a_change_leaves_what_it_does_not_name() -> None:
    """`set --loss` after `set --rate` keeps the rate."""
    first = LinkSettings().changed(read_change(rate="1mbit", delay="100ms"))
    then = first.changed(read_change(loss="5%"))
    assert then.there == then.back == OneWay(rate_bit_s=1_000_000, delay_s=0.1, loss=0.05)
    assert then.rtt_s == 0.2


def test_a_delay_is_one_way_and_half_of_a_round_trip() -> None:
    """As with `tc`; both at once would contradict each other."""
    assert read_change(delay="100ms") == read_change(rtt="200ms") == Change(delay_s=0.1)
    assert LinkSettings().changed(read_change(rtt="200ms")).rtt_s == 0.2
    with pytest.raises(ValueError, match="one way, or the round trip, not both"):
        read_change(delay="100ms", rtt="200ms")


def test_a_change_may_be_for_one_direction() -> None:
    """The other direction stays as it was."""
    cut = LinkSettings().changed(Change(cut=True), Direction.BACK)
    assert cut.back.cut
    assert not cut.there.cut
    assert cut.cut


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (read_change(rate="1kbit"), "the rate is 1kbit"),
        (read_change(rate="100gbit"), "the rate is 100gbit"),
        (read_change(delay="31s"), "the delay"),
        (read_change(jitter="10ms"), "a jitter of 10ms is more than the delay, 0ms"),
        (read_change(reorder="5%"), "give a delay, too"),
        (read_change(burst=10), "give a loss, too"),
        (read_change(loss="5%", burst=0), "the burst is 0"),
        (read_change(queue="0"), "the queue"),
        (read_change(bucket="1kB"), "the bucket is 1kB, and must be 1.6kB to 100MB"),
        (read_change(loss="0.00001%"), "the loss is 1e-05%"),
    ],
)
def test_what_contradicts_itself_is_refused(change: Change, expected: str) -> None:
    """The message says what is missing, or between which bounds it must be."""
    with pytest.raises(ValueError, match=expected):
        LinkSettings().changed(change)


def test_settings_are_told_in_words() -> None:
    """Only what is set."""
    assert str(OneWay()) == "nothing"
    way = OneWay(rate_bit_s=1_000_000, delay_s=0.1, loss=0.05, burst=10)
    assert str(way) == "rate 1mbit, delay 100ms one way, loss 5%, 10 in a row"
    assert str(OneWay(rate_bit_s=1_000_000, queue_s=2)) == "rate 1mbit, queue 2000ms"
    wide = OneWay(rate_bit_s=1_000_000, bucket_bytes=32_000)
    assert str(wide) == "rate 1mbit, bucket 32kB"
    assert str(OneWay(bucket_bytes=32_000)) == "nothing"
    assert str(OneWay(loss=0.05, cut=True)) == "cut"


@given(_WAYS, _WAYS)
def test_what_is_written_is_read_again(there: OneWay, back: OneWay) -> None:
    """The file says exactly what was set."""
    settings = LinkSettings(there=there, back=back)
    assert from_json(to_json(settings)) == settings
