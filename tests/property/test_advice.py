"""Rules that hold for all advice: it settles what it finds, and grows with the link."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from kmirror.tune.finding import BOTH, Program
from kmirror.tune.link import Link, Measured, busy_bytes, size_within, timeout_ms
from tests.support.tuned import BASE, advice_for, applied, dangers

TWO_FLOWS = (
    "clusters = A, B, C\nA.bootstrap.servers = a:1\nB.bootstrap.servers = b:1\n"
    "C.bootstrap.servers = c:1\nA->B.enabled = true\nA->C.enabled = true\nC->B.enabled = true\n"
)
RATES = st.floats(1000, 1.25e10)
ROUND_TRIPS = st.floats(0.05, 2000)
SIZES = st.integers(1, 64 << 20)
links = st.builds(Link, rtt_ms=st.none() | ROUND_TRIPS, bytes_per_s=st.none() | RATES)
full_links = st.builds(Link, rtt_ms=ROUND_TRIPS, bytes_per_s=RATES)
measured = st.builds(
    Measured,
    source=links,
    target=links,
    record_bytes=st.none() | SIZES,
    record_bytes_max=st.none() | SIZES,
    packed=st.none() | st.floats(0.01, 1.2),
    partitions=st.none() | st.integers(1, 100_000),
)
milliseconds = st.integers(0, 2_000_000).map(str)
sizes = st.integers(1, 64 << 20).map(str)
flags = st.sampled_from(["true", "false"])
NAMES = {
    "producer.request.timeout.ms": milliseconds,
    "producer.delivery.timeout.ms": milliseconds,
    "producer.linger.ms": milliseconds,
    "producer.retries": st.integers(0, 2**31 - 1).map(str),
    "producer.batch.size": sizes,
    "producer.max.request.size": sizes,
    "producer.buffer.memory": sizes,
    "producer.acks": st.sampled_from(["0", "1", "all", "-1"]),
    "producer.enable.idempotence": flags,
    "producer.max.in.flight.requests.per.connection": st.integers(1, 50).map(str),
    "producer.compression.type": st.sampled_from(["none", "zstd"]),
    "producer.send.buffer.bytes": sizes,
    "consumer.request.timeout.ms": milliseconds,
    "consumer.fetch.max.bytes": sizes,
    "consumer.max.partition.fetch.bytes": sizes,
    "consumer.fetch.max.wait.ms": milliseconds,
    "consumer.fetch.min.bytes": sizes,
    "consumer.isolation.level": st.sampled_from(["read_committed", "read_uncommitted"]),
    "exactly.once.source.support": st.sampled_from(["enabled", "disabled"]),
    "offset.flush.interval.ms": milliseconds,
    "kmirror.commit.interval.ms": st.integers(5, 60_000).map(str),
    "tasks.max": st.integers(1, 100).map(str),
}
PREFIXES = ("A.", "B.", "A->B.", "")
PLACES = {
    "A->B.": lambda name: name.replace("producer.", "producer.override.").replace(
        "consumer.", "source.consumer."
    )
}


@st.composite
def files(draw: st.DrawFn) -> str:
    """Give lines at every place where they may stand, also where nobody reads them."""
    lines = []
    for name in draw(st.lists(st.sampled_from(sorted(NAMES)), unique=True, max_size=10)):
        prefix = draw(st.sampled_from(PREFIXES))
        key = prefix + PLACES.get(prefix, str)(name)
        lines.append(f"{key} = {draw(NAMES[name])}\n")
    return "".join(lines)


programs = st.sampled_from([BOTH, *(frozenset({program}) for program in Program)])


@settings(deadline=None)  # a busy machine is no failure
@given(files(), measured, st.sampled_from([BASE, TWO_FLOWS]), programs)
def test_the_lines_settle_what_was_dangerous(
    more: str, known: Measured, base: str, who: frozenset[Program]
) -> None:
    """A file with the advised lines at its end has nothing dangerous in it."""
    advice = advice_for(more, known, base=base, programs=who)
    again = advice_for(more + applied(advice), known, base=base, programs=who)
    assert not dangers(again), applied(advice)
    assert not again.settings, "what was advised is not advised otherwise the next time"


@settings(deadline=None)
@given(files(), measured)
def test_what_concerns_one_program_is_part_of_what_concerns_both(
    more: str, known: Measured
) -> None:
    """`--for` leaves out; it finds nothing of its own."""
    everything = set(advice_for(more, known).findings)
    for program in Program:
        some = advice_for(more, known, programs=frozenset({program})).findings
        assert {replace(each, lines=(), scenario=None) for each in some} <= {
            replace(each, lines=(), scenario=None) for each in everything
        }


@given(full_links, full_links, SIZES, SIZES)
def test_slower_links_and_larger_requests_need_longer(
    one: Link, other: Link, size: int, more: int
) -> None:
    """A time-out grows with the round trip, the size, and the slowness."""
    worse = Link(
        rtt_ms=max(one.rtt_ms or 0, other.rtt_ms or 0),
        bytes_per_s=min(one.bytes_per_s or 0, other.bytes_per_s or 0),
    )
    assert timeout_ms(worse, size) >= timeout_ms(one, size)
    assert timeout_ms(one, size + more) >= timeout_ms(one, size)


@given(full_links, SIZES)
def test_a_timeout_has_room(link: Link, size: int) -> None:
    """Four times what the request needs; and what fits into a quarter of it is at least that."""
    allowed = timeout_ms(link, size)
    assert allowed >= 4 * (link.request_ms(size) or 0) * 0.999
    assert (size_within(link, allowed) or 0) >= size * 0.999 - 1


@given(full_links, st.integers(1, 1000), st.floats(1, 10))
def test_longer_and_faster_links_hold_more(link: Link, partitions: int, factor: float) -> None:
    """What keeps a link busy grows with both, and shrinks with the partitions that share it."""
    here = busy_bytes(link, partitions) or 0
    longer = Link(rtt_ms=(link.rtt_ms or 0) * factor, bytes_per_s=link.bytes_per_s)
    faster = Link(rtt_ms=link.rtt_ms, bytes_per_s=(link.bytes_per_s or 0) * factor)
    assert (busy_bytes(longer, partitions) or 0) >= here
    assert (busy_bytes(faster, partitions) or 0) >= here
    assert (busy_bytes(link, partitions + 1) or 0) <= here
