"""How the API's client asks, and what it makes of the answers."""

from __future__ import annotations

import base64
import http.client
import json
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar
from urllib.parse import quote, urlencode

from kmirror.api.codec import from_plain, to_plain
from kmirror.errors import ApiRefused

Model = TypeVar("Model")
_BYTES_MAX = 100 << 20


class ApiConnection:
    """
    Asks a console, a connection for each question.

    Args:
        base: `http://host:port`.
        user, password: A login; `None` for none.
        token: The same as a token.
        timeout_s: Deadline of each answer, seconds.
    """

    def __init__(
        self,
        base: str,
        *,
        user: str | None = None,
        password: str | None = None,
        token: str | None = None,
        timeout_s: float = 60.0,
    ) -> None:
        self._base = base.rstrip("/") + "/api/v1"
        self._timeout_s = timeout_s
        self._headers = {"Accept": "application/json"}
        if token is not None:
            self._headers["Authorization"] = f"Bearer {token}"
        elif user is not None:
            spoken = base64.b64encode(f"{user}:{password or ''}".encode()).decode()
            self._headers["Authorization"] = f"Basic {spoken}"

    def _get(
        self, model: type[Model], path: str, asked: Mapping[str, object] | None = None
    ) -> Model:
        given = {name: value for name, value in (asked or {}).items() if value is not None}
        return self._ask(model, "GET", f"{path}?{urlencode(given)}" if given else path, None)

    def _post(self, model: type[Model], path: str, body: object) -> Model:
        return self._ask(model, "POST", path, json.dumps(to_plain(body)).encode())

    def _ask(self, model: type[Model], method: str, path: str, body: bytes | None) -> Model:
        with whole(), self._open(method, path, body, "application/json") as answer:
            return from_plain(model, json.loads(answer.read(_BYTES_MAX)), lenient=True)

    def _open(self, method: str, path: str, body: bytes | None, accept: str) -> Any:
        headers = self._headers | {"Accept": accept}
        if body is not None:
            headers["Content-Type"] = "application/json"
        request = urllib.request.Request(
            self._base + path, data=body, headers=headers, method=method
        )
        try:
            return urllib.request.urlopen(request, timeout=self._timeout_s)
        except urllib.error.HTTPError as error:
            with error:
                raise ApiRefused(error.code, _message(error.read(_BYTES_MAX))) from None


def quoted(name: str) -> str:
    """Return a name as a part of a path."""
    return quote(name, safe="")


@contextmanager
def whole() -> Iterator[None]:
    """Have an answer that ends too soon be no answer: `http.client` has errors of its own."""
    try:
        yield
    except (http.client.HTTPException, json.JSONDecodeError) as error:
        raise ConnectionError(f"the answer is not whole: {error!r}") from error


def _message(body: bytes) -> str:
    try:
        return str(json.loads(body)["message"])
    except (ValueError, KeyError, TypeError):
        return body.decode("utf-8", "replace")[:500]
