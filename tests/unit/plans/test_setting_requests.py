"""Settings are changed in requests that brokers take, whatever their number and size."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from kmirror.plans.setting_requests import BYTES_MAX, SETTINGS_MAX, alterations
from kmirror.plans.topic_settings import SettingChange

_VALUE_BYTES_MAX = 32_767


def change(topic: int, name: int, value: int | None) -> SettingChange:
    """Give a change to a value of so many bytes."""
    after = None if value is None else "é" * (value // 2) + "e" * (value % 2)
    return SettingChange(topic=f"t{topic}", name=f"n{name}", before="", after=after, reason="")


values = st.none() | st.integers(0, 40) | st.integers(0, _VALUE_BYTES_MAX)
sizes = st.lists(st.lists(values, min_size=1, max_size=45), max_size=40)


@given(sizes)
def test_every_change_is_in_one_request_of_its_topic(sizes: list[list[int | None]]) -> None:
    """No request is above 1 MiB, and a topic that fits one is never in two."""
    changes = [
        change(topic, name, value)
        for topic, of_topic in enumerate(sizes)
        for name, value in enumerate(of_topic)
    ]
    sent, requests_of = list[SettingChange](), Counter[str]()
    for request in alterations(changes):
        size = 0
        for topic, of_topic in request.items():
            assert {each.topic for each in of_topic} == {topic}
            size += sum(len((each.name + (each.after or "")).encode()) for each in of_topic)
            requests_of[topic] += 1
            sent += of_topic
        assert size <= BYTES_MAX
    assert Counter(sent) == Counter(changes)
    for topic, of_topic in enumerate(sizes):
        whole = sum((value or 0) + 64 for value in of_topic)
        assert requests_of[f"t{topic}"] == 1 or whole > BYTES_MAX - 1024


def test_what_fits_is_one_request_and_thousands_are_not() -> None:
    """A controller takes no more than 10,000 records at a time."""
    assert list(alterations([])) == []
    assert len(list(alterations([change(topic, 0, 8) for topic in range(1000)]))) == 1
    many = [change(topic, name, 1) for topic in range(2 * SETTINGS_MAX) for name in range(2)]
    assert [sum(map(len, request.values())) for request in alterations(many)] == [SETTINGS_MAX] * 4
