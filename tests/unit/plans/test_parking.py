"""Every cause for which a lane parks has its text."""

from __future__ import annotations

import pytest

from kmirror.model import ClientError, TopicPartition
from kmirror.plans.parking import CHOICES, TEXTS, ParkCause, ParkCode

ORDERS = TopicPartition("orders", 3)


def test_every_code_has_a_text() -> None:
    """Choices are there only where the file has a key."""
    assert set(TEXTS) == set(ParkCode)
    assert set(CHOICES) <= set(ParkCode)


def test_choices_stand_behind_the_text() -> None:
    """In brackets, as the hint of an error does."""
    cause = ParkCause(code=ParkCode.DATA_GAP, offset=7)
    assert cause.reason(ORDERS) == (
        "orders-3: the source has no offset 7 any more "
        "(set kmirror.data.gap = continue to go on at the first offset that is there)"
    )


@pytest.mark.parametrize("code", [code for code in ParkCode if "{" in TEXTS[code]])
def test_a_text_is_whole_or_an_error(code: ParkCode) -> None:
    """Nobody reads `offset None`."""
    with pytest.raises(KeyError):
        ParkCause(code=code).reason(ORDERS)


def test_braces_of_a_broker_stay() -> None:
    """Its words are no template."""
    error = ClientError(name="InvalidRecordException", message="{0} of {offset}")
    cause = ParkCause(code=ParkCode.RECORD_REFUSED, offset=1, error=error)
    assert cause.reason(ORDERS) == "orders-3: offset 1: target: {0} of {offset}"
