"""Models of the API as bodies: those that are sent, and those that are answered."""

from __future__ import annotations

from http import HTTPStatus
from typing import TypeVar

from kmirror.api.codec import NotOfModel, from_plain, to_plain
from kmirror.errors import BadRequest
from kmirror.server.answers import Answer
from kmirror.server.endpoint import Call
from kmirror.server.json_body import read_json

Model = TypeVar("Model")


def body_of(model: type[Model], call: Call) -> Model:
    """
    Read the body of a call.

    Args:
        model: What it has to be.
        call: The call.

    Raises:
        BadRequest: It is something else.
    """
    try:
        return from_plain(model, read_json(call.body))
    except NotOfModel as error:
        raise BadRequest(str(error)) from error


def answer_of(model: object, status: HTTPStatus = HTTPStatus.OK) -> Answer:
    """
    Return what answers with a model.

    Args:
        model: It.
        status: The status.
    """
    return Answer(status=status, content=to_plain(model))
