"""A limit for a call of a library that has none of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

T = TypeVar("T")


def call_within(timeout_s: float, call: Callable[[], T]) -> T:
    """
    Return what a call gives, and wait for its end no longer than *timeout_s*.

    One that has not ended goes on, in a thread that keeps no process alive: what it works with is
    not for anybody else any more.

    Args:
        timeout_s: The limit, seconds.
        call: The call; what it raises is raised here.

    Raises:
        TimeoutError: It has not ended.
    """
    ended: Future[T] = Future()

    def work() -> None:
        try:
            result = call()
        except BaseException as error:  # noqa: BLE001 - whoever waits raises it
            ended.set_exception(error)
        else:
            ended.set_result(result)

    threading.Thread(target=work, name="kmirror-bounded-call", daemon=True).start()
    return ended.result(timeout_s)
