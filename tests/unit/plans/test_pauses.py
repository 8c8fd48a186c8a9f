"""Which order counts: the newest that covers a partition and has not expired."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kmirror.model import TopicPartition
from kmirror.plans.pauses import Orders
from kmirror.wire.control_orders import Author, Obeyed, PauseOrder, PauseVerb, Scope, SeekOrder

ANN = Author(by="ann", at_ms=0)
T0, T1, U0 = TopicPartition("t", 0), TopicPartition("t", 1), TopicPartition("u", 0)
FLOW, TOPIC, PLACE = Scope(), Scope(topic="t"), Scope(topic="t", partition=0)


def order(verb: PauseVerb, scope: Scope, until_ms: int | None = None) -> PauseOrder:
    """Give an order of Ann's."""
    return PauseOrder(verb=verb, scope=scope, author=ANN, until_ms=until_ms)


def after(*orders: PauseOrder | SeekOrder | Obeyed) -> Orders:
    """Give what holds after these."""
    return Orders().with_records(enumerate(orders))


def held(orders: Orders, now_ms: int = 0) -> set[TopicPartition]:
    """Give the partitions that stand still."""
    return set(orders.rest([T0, T1, U0], now_ms).pauses)


def test_the_newest_order_counts() -> None:
    """Whatever it is about."""
    assert held(after(order(PauseVerb.PAUSE, FLOW))) == {T0, T1, U0}
    assert held(after(order(PauseVerb.PAUSE, FLOW), order(PauseVerb.RESUME, TOPIC))) == {U0}
    assert held(after(order(PauseVerb.RESUME, TOPIC), order(PauseVerb.PAUSE, FLOW))) == {T0, T1, U0}
    paused = after(order(PauseVerb.PAUSE, PLACE), order(PauseVerb.PARK, TOPIC))
    assert {pause.verb for pause in paused.rest([T0, T1], 0).pauses.values()} == {PauseVerb.PARK}
    assert held(after(order(PauseVerb.PAUSE, PLACE), order(PauseVerb.RESUME, FLOW))) == set()


def test_an_order_that_has_expired_is_none() -> None:
    """What was ordered before it pauses again."""
    orders = after(order(PauseVerb.PAUSE, TOPIC, 100), order(PauseVerb.PAUSE, PLACE, 50))
    assert held(orders, 49) == {T0, T1}
    assert held(orders, 99) == {T0, T1}
    assert held(orders, 100) == set()
    assert [orders.next_expiry_ms(now) for now in (0, 50, 99, 100)] == [50, 100, 100, None]
    assert [each.scope for each in orders.expired(50, 100)] == [TOPIC]
    assert orders.expired(100, 100) == ()


def test_a_seek_holds_its_partition_until_it_is_done() -> None:
    """Also one that a flow does not copy, as long as it does not."""
    seek = SeekOrder(verb="seek", partition=T0, offset=5, author=ANN)
    orders = after(seek, Obeyed(generation=2, up_to=1))
    assert orders.rest([T0, U0], 0).seeking == {T0}
    assert orders.rest([U0], 0).seeking == frozenset()
    assert orders.obeyed == Obeyed(generation=2, up_to=1)
    assert orders.next_offset == 1
    assert orders.with_records([(2, seek.done(9))]).rest([T0], 0).seeking == frozenset()


def test_a_seek_that_was_ordered_meanwhile_is_still_to_be_done() -> None:
    """What the driver writes of the one before comes behind it, under the same key."""
    first = SeekOrder(verb="seek", partition=T0, offset=5, author=ANN)
    second = SeekOrder(verb="seek", partition=T0, offset=7, author=ANN)
    orders = after(first, second, first.done(9))
    assert orders.open_seeks == (second,)
    assert orders.next_offset == 3
    assert orders.with_records([(3, second.done(10))]).open_seeks == ()
    # Of what is compacted only the end is left; two drivers may have written it.
    assert after(first.done(9), first.done(11)).open_seeks == ()


SCOPES = st.sampled_from([FLOW, TOPIC, PLACE, Scope(topic="u")])
ORDERS = st.lists(
    st.builds(order, st.sampled_from(PauseVerb), SCOPES, st.one_of(st.none(), st.integers(0, 20)))
)


@given(given_orders=ORDERS, now_ms=st.integers(0, 20), partition=st.sampled_from([T0, T1, U0]))
def test_by_hand(given_orders: list[PauseOrder], now_ms: int, partition: TopicPartition) -> None:
    """Compaction loses nothing: only the newest order of a scope can count."""
    expected: PauseOrder | None = None
    newest = {each.scope: number for number, each in enumerate(given_orders)}
    for number, each in enumerate(given_orders):
        over = each.until_ms is not None and each.until_ms <= now_ms
        if newest[each.scope] != number or over or not each.scope.covers(partition):
            continue
        expected = None if each.verb is PauseVerb.RESUME else each
    assert after(*given_orders).pause_of(partition, now_ms) == expected


def test_each_order_is_news_once() -> None:
    """At first what holds is; later all that came, also if it is the topic's very first record."""
    pause, resume = order(PauseVerb.PAUSE, TOPIC, 100), order(PauseVerb.RESUME, PLACE)
    orders = after(resume, pause)
    assert orders.news(None, 0) == (pause,)
    assert orders.news(None, 100) == ()
    assert set(orders.news(0, 100)) == {resume, pause}
    assert orders.news(1, 0) == (pause,)
    assert orders.news(orders.next_offset, 0) == ()
