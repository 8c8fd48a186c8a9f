"""A server that shows a certificate to whoever connects, and says nothing."""

from __future__ import annotations

import socket
import ssl
import threading
from types import TracebackType

_STEP_S_MAX = 10.0


class TlsServer:
    """
    Listens on a free port of this machine from the beginning of a block to its end.

    Args:
        context: How it speaks TLS; `None` for not at all: it closes each connection.
    """

    def __init__(self, context: ssl.SSLContext | None) -> None:
        self._context = context
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.address = ("127.0.0.1", int(self._socket.getsockname()[1]))
        self._thread = threading.Thread(target=self._serve)
        # What clients have shown, and how connections have failed.
        self.clients: list[bytes | None] = []
        self.errors: list[OSError] = []

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            with connection:
                connection.settimeout(_STEP_S_MAX)
                if self._context is not None:
                    self._shake_hands(connection, self._context)

    def _shake_hands(self, connection: socket.socket, context: ssl.SSLContext) -> None:
        try:
            with context.wrap_socket(connection, server_side=True) as encrypted:
                self.clients.append(encrypted.getpeercert(binary_form=True))
                encrypted.recv(1)
        except OSError as error:
            self.errors.append(error)

    def __enter__(self) -> TlsServer:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._thread.join(_STEP_S_MAX)
