"""A flow outside of its time window rests as if somebody had paused it."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

from kmirror.model import TopicPartition
from kmirror.plans.pauses import Orders
from kmirror.plans.windows import next_change_ms, rest_at
from kmirror.policy.window import read_window
from kmirror.wire.control_orders import Author, PauseOrder, PauseVerb, Scope

ONE, TWO = TopicPartition("one", 0), TopicPartition("two", 0)
NIGHT = read_window("22:00-06:00 Europe/Berlin")


def berlin_ms(text: str) -> int:
    """Return when clocks in Berlin show this."""
    shown = datetime.fromisoformat(text).replace(tzinfo=ZoneInfo("Europe/Berlin"))
    return int(shown.timestamp() * 1000)


def test_outside_everything_rests_until_it_opens() -> None:
    noon = berlin_ms("2026-05-04T12:00")
    rest = rest_at(Orders(), NIGHT, [ONE, TWO], noon)
    pause = rest.pauses[ONE]
    assert rest.pauses.keys() == {ONE, TWO}
    assert pause.until_ms == berlin_ms("2026-05-04T22:00")
    assert str(pause.author) == "by kmirror.window: 22:00-06:00 Europe/Berlin"
    assert rest_at(Orders(), NIGHT, [ONE], noon + 1000) == rest_at(Orders(), NIGHT, [ONE], noon)


def test_inside_and_without_a_window_only_orders_count() -> None:
    night = berlin_ms("2026-05-04T23:00")
    assert not rest_at(Orders(), NIGHT, [ONE], night).pauses
    assert not rest_at(Orders(), None, [ONE], night).pauses
    assert next_change_ms(Orders(), NIGHT, night) == berlin_ms("2026-05-05T06:00")
    assert next_change_ms(Orders(), None, night) is None


def test_an_order_says_more_than_the_window() -> None:
    """It is shown, and its end is looked for; to resume does not open the window."""
    noon = berlin_ms("2026-05-04T12:00")
    author = Author(by="ann", at_ms=1)
    pause = PauseOrder(
        verb=PauseVerb.PARK, scope=Scope(topic="one"), author=author, until_ms=noon + 60_000
    )
    resume = PauseOrder(verb=PauseVerb.RESUME, scope=Scope(topic="two"), author=author)
    orders = Orders().with_records([(0, pause), (1, resume)])
    rest = rest_at(orders, NIGHT, [ONE, TWO], noon)
    assert rest.pauses[ONE] is pause
    assert rest.pauses[TWO].author.by == "kmirror.window"
    assert next_change_ms(orders, NIGHT, noon) == noon + 60_000


def test_a_flow_that_is_paused_as_a_whole_rests_until_that_ends() -> None:
    """A Connect worker's target state: no order has to be written for it, nor taken back."""
    author = Author(by="somebody", at_ms=1)
    pause = PauseOrder(verb=PauseVerb.PAUSE, scope=Scope(), author=author)
    assert rest_at(Orders(), None, [ONE, TWO], 1, pause=pause).pauses == {ONE: pause, TWO: pause}
    assert rest_at(Orders(), None, [ONE, TWO], 1).pauses == {}
