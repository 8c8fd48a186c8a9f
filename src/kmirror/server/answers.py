"""What goes back over HTTP: Connect's shapes, and its error bodies for what went wrong."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus

from starlette.responses import Response

from kmirror.connect.model import JsonValue
from kmirror.errors import (
    AlreadyExists,
    BadRequest,
    MirrorError,
    NotAllowed,
    NotFound,
    RebalanceNeeded,
)

JSON = "application/json"
_STATUS = {
    NotFound: HTTPStatus.NOT_FOUND,
    AlreadyExists: HTTPStatus.CONFLICT,
    RebalanceNeeded: HTTPStatus.CONFLICT,
    BadRequest: HTTPStatus.BAD_REQUEST,
    NotAllowed: HTTPStatus.FORBIDDEN,
}
_NOTHING: Mapping[str, str] = {}


class HttpProblem(Exception):
    """
    A request that ends with a status of HTTP's own.

    Args:
        status: The status.
        message: For the body; without it the words that Connect has for the status.
        headers: Of the answer.
    """

    def __init__(
        self, status: HTTPStatus, message: str = "", headers: Mapping[str, str] = _NOTHING
    ) -> None:
        super().__init__(message or f"HTTP {status.value} {status.phrase}")
        self.status = status
        self.headers = headers


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """
    What an endpoint gives.

    Args:
        status: The status.
        content: The body; `NO_BODY` for none.
        headers: More headers.
    """

    status: HTTPStatus = HTTPStatus.OK
    content: object = None
    headers: Mapping[str, str] = field(default_factory=dict)


NO_BODY = object()


def response(answer: Answer) -> Response:
    """Write an answer as Connect's Jackson does."""
    if answer.content is NO_BODY:
        return Response(status_code=answer.status, headers=dict(answer.headers))
    text = json.dumps(answer.content, ensure_ascii=False, separators=(",", ":"))
    # A lone half of a surrogate pair is no text, and no reason to answer nothing.
    body = text.encode("utf-8", "replace")
    return Response(body, status_code=answer.status, media_type=JSON, headers=dict(answer.headers))


def problem_response(status: HTTPStatus, message: str, headers: Mapping[str, str]) -> Response:
    """Write Connect's body for an error."""
    content: JsonValue = {"error_code": int(status), "message": message}
    return response(Answer(status=status, content=content, headers=headers))


def status_of(error: MirrorError) -> HTTPStatus:
    """Return the status for an error of kmirror's."""
    for kind, status in _STATUS.items():
        if isinstance(error, kind):
            return status
    return HTTPStatus.INTERNAL_SERVER_ERROR
