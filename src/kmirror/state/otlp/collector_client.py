"""Speaks to an OpenTelemetry collector, through OpenTelemetry's own library."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from pathlib import Path

from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.sdk.metrics.export import MetricExportResult
from opentelemetry.sdk.resources import Resource
from prometheus_client.metrics_core import Metric as Family

import kmirror
from kmirror.config.lines import unusable
from kmirror.config.otlp import OtlpConfig
from kmirror.state.otlp.points import metrics_data

# A collector takes 20 MiB at a time unless it is told otherwise; a point has some 200 bytes.
_POINTS_MAX = 20_000
_REASON_MAX = 300


class CollectorClient:
    """
    A collector.

    Args:
        config: Where it is, and how it is spoken to.
        process: Names this process among others.

    Raises:
        ConfigError: A file that it names is not there.
    """

    def __init__(self, config: OtlpConfig, process: str) -> None:
        for path in (config.certificate, config.client_certificate, config.client_key):
            if path is not None and not path.is_file():
                raise unusable(str(path), "expected a PEM file; there is none")
        names = {
            "service.name": "kmirror",
            "service.version": kmirror.__version__,
            "service.instance.id": process,
        }
        # The variables that OpenTelemetry has for more of them count, too.
        self._resource = Resource.create({**names, **dict(config.attributes)})
        self._exporter = OTLPMetricExporter(
            endpoint=config.url,
            certificate_file=_text(config.certificate),
            client_key_file=_text(config.client_key),
            client_certificate_file=_text(config.client_certificate),
            headers={name: value.reveal() for name, value in config.headers},
            timeout=config.timeout_s,
            compression=Compression.Gzip if config.gzip else Compression.NoCompression,
            max_export_batch_size=_POINTS_MAX,
        )
        # What the library says of failures it says to loggers alone, each time and at length.
        self._reasons, self._timeout_s = _Reasons(), config.timeout_s
        logger = logging.getLogger(OTLPMetricExporter.__module__)
        logger.propagate = False
        logger.addHandler(self._reasons)

    def send(self, families: Iterable[Family], *, began_ns: int, now_ns: int) -> str:
        """
        Send all of it, again and again as long as there is time; tells why it was not taken.

        Args:
            families: What `/metrics` would serve.
            began_ns: When counters began, nanoseconds since the epoch.
            now_ns: When this was measured.

        Returns:
            Why; empty when it was taken.
        """
        data = metrics_data(families, self._resource, began_ns=began_ns, now_ns=now_ns)
        self._reasons.last = ""
        if self._exporter.export(data) is MetricExportResult.SUCCESS:
            return ""
        return self._reasons.last[:_REASON_MAX] or f"no answer within {self._timeout_s:g} s"

    def close(self) -> None:
        """Give up what is being sent."""
        self._exporter.shutdown()


class _Reasons(logging.Handler):
    """Keeps why the last request failed; the line behind it says only that time is up."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.last = ""

    def emit(self, record: logging.LogRecord) -> None:
        arguments = record.args if isinstance(record.args, tuple) else ()
        if record.msg.startswith("Transient error"):
            self.last = _cause(arguments[0])
        elif record.msg.startswith("Failed to export %s batch code"):
            _, code, reason = arguments
            self.last = _cause(reason) if code is None else f"{code} {reason}"
        elif not record.msg.startswith("Failed to export %s batch due to timeout"):
            self.last = record.getMessage()


def _cause(reason: object) -> str:
    """Return what all began with: errors of `requests` tell everything that they were in, too."""
    while isinstance(reason, BaseException):
        cause = reason.__cause__ or reason.__context__
        if cause is None:
            break
        reason = cause
    return str(reason)


def _text(path: Path | None) -> str | None:
    return None if path is None else str(path)
