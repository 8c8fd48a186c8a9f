"""A limit for a call of the client library that has none of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future


def call_within(timeout_s: float, call: Callable[[], None]) -> None:
    """
    Make a call, and wait for its end no longer than *timeout_s*.

    One that has not ended goes on, in a thread that keeps no process alive: what it works with is
    not for anybody else any more.

    Args:
        timeout_s: The limit, seconds.
        call: The call; what it raises is raised here.

    Raises:
        TimeoutError: It has not ended.
    """
    ended: Future[None] = Future()

    def work() -> None:
        try:
            call()
        except BaseException as error:  # noqa: BLE001 - whoever waits raises it
            ended.set_exception(error)
        else:
            ended.set_result(None)

    threading.Thread(target=work, name="kmirror-bounded-call", daemon=True).start()
    ended.result(timeout_s)
