"""What a caller is told when a cluster does not answer, or an order cannot be."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus

from kmirror.errors import ClusterError, EnvironmentProblem, OrderRefused
from kmirror.server.answers import Answer, HttpProblem
from kmirror.server.endpoint import Call


def answered(handle: Callable[[Call], Answer]) -> Callable[[Call], Answer]:
    """
    Return what does the same, with a status of HTTP for what goes wrong.

    Args:
        handle: Does it.
    """

    def handled(call: Call) -> Answer:
        try:
            return handle(call)
        except OrderRefused as error:
            raise HttpProblem(HTTPStatus.BAD_REQUEST, str(error)) from error
        except (ClusterError, EnvironmentProblem) as error:
            raise HttpProblem(HTTPStatus.SERVICE_UNAVAILABLE, str(error)) from error

    return handled
