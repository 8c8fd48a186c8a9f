"""Calls into a JVM: that it is gone is one error, wherever it is met; and Ctrl-C ends waiting."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from py4j.protocol import Py4JError, Py4JJavaError

from kmirror.errors import JvmLost

T = TypeVar("T")
_CLOSE_S_MAX = 1.0


@contextmanager
def calling_jvm() -> Iterator[None]:
    """
    Mark what calls into the JVM; also a decorator of such a function.

    Raises:
        JvmLost: It does not answer any more. What Java code throws comes through as it is.
    """
    try:
        yield
    except Py4JJavaError:
        raise
    except (Py4JError, ConnectionError) as error:
        # Py4J's own calls have no deadline, but a JVM that ends closes its sockets.
        raise JvmLost(f"the JVM does not answer any more: {error}") from error


class CallThread:
    """
    Makes a Java object, and the calls of it one after another, in a thread of its own.

    Ctrl-C breaks Py4J in the middle of a call; waiting for another thread's may end.

    Args:
        name: The thread's.
        make: Makes the object; what it raises, every call raises.
    """

    def __init__(self, name: str, make: Callable[[], Any]) -> None:
        self._thread = ThreadPoolExecutor(1, name)
        self._made = self._thread.submit(make)

    def call(self, call: Callable[[Any], T]) -> T:
        """Return what a call of the object gives, made when those before have ended."""
        return self._thread.submit(lambda: call(self._made.result())).result()

    def close(self) -> None:
        """Close the object, unless an answer is still waited for: then when it is there."""
        closing = self._thread.submit(lambda: self._made.result().close())
        # One that was never made has nothing to close.
        with calling_jvm(), suppress(TimeoutError, Py4JJavaError):
            closing.result(_CLOSE_S_MAX)
        self._thread.shutdown(wait=False)
