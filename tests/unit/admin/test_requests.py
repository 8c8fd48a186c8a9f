"""Requests to a cluster, and the client that they are sent by."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Collection
from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any

import pytest

from kmirror.admin._errors import ConnectionCause
from kmirror.admin.requests import Requests
from kmirror.clock import SystemClock
from kmirror.waits import long_waits

_S_MAX = 10


def _requests() -> Requests:
    return Requests(
        "nowhere",
        {"bootstrap.servers": "127.0.0.1:1", "log_level": 0},
        ConnectionCause(),
        timeout_s=_S_MAX,
        clock=SystemClock(),
    )


class _Started:
    """A client of a cluster whose broker has just started."""

    def __init__(self) -> None:
        self.answers = [SimpleNamespace(brokers={}), SimpleNamespace(brokers={1: "one"})]

    def list_topics(self, _topic: str, *, timeout: float) -> object:
        """Answer the next question."""
        assert timeout == _S_MAX
        return self.answers.pop(0)


def test_a_broker_that_knows_none_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kmirror.admin.requests.AdminClient", lambda _settings: _Started())
    assert _requests().cluster().brokers == {1: "one"}


def test_the_client_outlives_a_question() -> None:
    """Closing while another thread waits; librdkafka ends the process that destroys it then."""
    requests = _requests()
    client = weakref.ref(requests.client)
    answer: Future[Any] = Future()
    is_asked = threading.Event()

    def ask(items: Collection[str]) -> dict[str, Future[Any]]:
        is_asked.set()
        return dict.fromkeys(items, answer)

    asking = threading.Thread(target=requests.many, args=(["a"], ask, "look at"))
    asking.start()
    assert is_asked.wait(_S_MAX)
    requests.close()
    assert client() is not None
    assert any("nowhere" in str(wait) for wait in long_waits(0))
    answer.set_result(None)
    asking.join(_S_MAX)
    assert not asking.is_alive()
    assert client() is None
