"""A receiver of OTLP over HTTP: it keeps what it was sent, as OpenTelemetry's protocol has it."""

from __future__ import annotations

import gzip
import threading
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType

from kmirror_lab.process.waiting import wait_until
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
    ExportMetricsServiceResponse,
)
from opentelemetry.proto.metrics.v1.metrics_pb2 import Metric


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """
    One request.

    Args:
        path: Where it was sent to.
        headers: Its head, names in small letters.
        body: What it says.
    """

    path: str
    headers: dict[str, str]
    body: ExportMetricsServiceRequest

    @property
    def resource(self) -> dict[str, str]:
        """What it says of its process."""
        (whole,) = self.body.resource_metrics
        return {each.key: each.value.string_value for each in whole.resource.attributes}

    @property
    def metrics(self) -> dict[str, Metric]:
        """What it has, by name."""
        return {
            metric.name: metric
            for whole in self.body.resource_metrics
            for scope in whole.scope_metrics
            for metric in scope.metrics
        }

    def labels(self, name: str) -> list[dict[str, str]]:
        """Return the labels of each value of a gauge; none where it is absent."""
        metric = self.metrics.get(name)
        points = () if metric is None else metric.gauge.data_points
        return [
            {each.key: each.value.string_value for each in point.attributes} for point in points
        ]


class OtlpReceiver:
    """
    Listens from the beginning of a block to its end.

    Args:
        port: Where; 0 for any that is free.
        status: What it answers.
    """

    def __init__(self, port: int = 0, status: int = 200) -> None:
        self.status = status
        self.received: list[Received] = []
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                receiver._take(self)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self._server.server_address[1])

    @property
    def endpoint(self) -> str:
        """The same as a URL, without a path."""
        return f"http://127.0.0.1:{self.port}"

    def wait(self, count: int) -> Received:
        """Wait until so many requests have come; return the newest."""
        wait_until(
            lambda: len(self.received) >= count, f"{count} requests", timeout_s=20, pause_s=0.02
        )
        return self.received[-1]

    def _take(self, handler: BaseHTTPRequestHandler) -> None:
        headers = {name.lower(): value for name, value in handler.headers.items()}
        data = handler.rfile.read(int(headers["content-length"]))
        if headers.get("content-encoding") == "gzip":
            data = gzip.decompress(data)
        body = ExportMetricsServiceRequest.FromString(data)
        self.received.append(Received(path=handler.path, headers=headers, body=body))
        answer = ExportMetricsServiceResponse().SerializeToString()
        handler.send_response(self.status)
        handler.send_header("Content-Type", "application/x-protobuf")
        handler.send_header("Content-Length", str(len(answer)))
        handler.end_headers()
        handler.wfile.write(answer)

    def __enter__(self) -> OtlpReceiver:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)
