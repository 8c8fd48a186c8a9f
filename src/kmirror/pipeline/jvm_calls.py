"""Calls into a JVM: that it is gone is one error, wherever it is met."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from py4j.protocol import Py4JError, Py4JJavaError

from kmirror.errors import JvmLost


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
