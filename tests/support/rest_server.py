"""A REST server of the test's own, and a client that says exactly what it is told to say."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlsplit

from kmirror.clock import SystemClock
from kmirror.config.server import Listener, ServerConfig
from kmirror.connect.herder import Herder
from kmirror.server.service import RestServer

_ANSWER_S_MAX = 100
HERE = ServerConfig(listeners=(Listener(scheme="http", host="127.0.0.1", port=0),))


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What came back."""

    status: int
    headers: Mapping[str, str]
    text: str

    @property
    def ok(self) -> bool:
        """Whether it was done."""
        return self.status < 300

    @property
    def json(self) -> Any:
        """The body."""
        return json.loads(self.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class RestClient:
    """
    Calls a server.

    Args:
        base: `http://host:port`.
        headers: Of every request.
    """

    base: str
    headers: Mapping[str, str] = field(default_factory=dict)

    def with_headers(self, **headers: str) -> RestClient:
        """Return a client that says more; `_` is `-` in a name."""
        more = {name.replace("_", "-"): text for name, text in headers.items()}
        return replace(self, headers={**self.headers, **more})

    def call(
        self,
        method: str,
        path: str,
        body: object = None,
        headers: Mapping[str, str] | None = None,
    ) -> Reply:
        """
        Ask.

        Args:
            method: Of HTTP.
            path: As it is sent.
            body: Text as it is; anything else as JSON.
            headers: Instead of `Content-Type: application/json`, which a body has otherwise.
        """
        url = urlsplit(self.base)
        assert url.hostname is not None
        connection = http.client.HTTPConnection(url.hostname, url.port, timeout=_ANSWER_S_MAX)
        if headers is None:
            headers = {} if body is None else {"Content-Type": "application/json"}
        content = body if body is None or isinstance(body, str) else json.dumps(body)
        try:
            data = None if content is None else content.encode()
            connection.request(method, path, body=data, headers={**self.headers, **headers})
            answer = connection.getresponse()
            found = {name.lower(): text for name, text in answer.getheaders()}
            return Reply(status=answer.status, headers=found, text=answer.read().decode())
        finally:
            connection.close()

    def get(self, path: str) -> Reply:
        """Ask for something."""
        return self.call("GET", path)

    def post(self, path: str, body: object = None) -> Reply:
        """Post something."""
        return self.call("POST", path, body)

    def put(self, path: str, body: object = None) -> Reply:
        """Put something."""
        return self.call("PUT", path, body)

    def patch(self, path: str, body: object = None) -> Reply:
        """Patch something."""
        return self.call("PATCH", path, body)

    def delete(self, path: str) -> Reply:
        """Delete something."""
        return self.call("DELETE", path)


@contextmanager
def serving(herder: Herder, config: ServerConfig = HERE) -> Iterator[RestClient]:
    """Serve, at a free port of this machine unless told otherwise."""
    server = RestServer(config, SystemClock())
    try:
        server.start(herder)
        yield RestClient(base=server.addresses[0])
    finally:
        server.stop()
