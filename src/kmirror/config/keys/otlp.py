"""The keys of what sends metrics to a collector: named as OpenTelemetry's own variables are."""

from __future__ import annotations

from functools import partial

from kmirror.config.keys.key import Key, KeyType, Scope
from kmirror.config.otlp_values import check_attributes, check_endpoint, check_headers

_otlp = partial(Key, scope=Scope.DRIVER, type=KeyType.STRING)
_seconds = partial(_otlp, type=KeyType.INT)

OTLP_KEYS = (
    _otlp(
        name="kmirror.otlp.endpoint",
        check=check_endpoint,
        doc="The OpenTelemetry collector to which the driver, or a Connect worker, sends all "
        "[metrics](metrics.md), such as `http://127.0.0.1:4318`; `/v1/metrics` is added where it "
        "is missing. By default none. Needs `pip install 'kmirror[otlp]'`; takes effect at the "
        "next start, as do its neighbours. See [monitoring](monitoring.md#opentelemetry).",
    ),
    _otlp(
        name="kmirror.otlp.protocol",
        default="http/protobuf",
        choices=("http/protobuf",),
        doc="How it is spoken to.",
    ),
    _otlp(
        name="kmirror.otlp.headers",
        type=KeyType.PASSWORD,
        secret=True,
        check=check_headers,
        doc="What each request has in its head, such as `Authorization=Bearer abc, x-tenant=a`; a "
        "comma in a value is `%2C`, a percent sign `%25`.",
    ),
    _seconds(
        name="kmirror.otlp.interval.seconds",
        default=60,
        low=1,
        high=3_600,
        doc="Time from one time that metrics are sent to the next.",
    ),
    _seconds(
        name="kmirror.otlp.timeout.seconds",
        default=10,
        low=2,
        high=600,
        doc="How long the collector may take, repetitions included; then they wait for the next "
        "time. Nothing is lost but their course in between: all figures are totals.",
    ),
    _otlp(
        name="kmirror.otlp.compression",
        default="gzip",
        choices=("gzip", "none"),
        doc="How requests are compressed.",
    ),
    _otlp(
        name="kmirror.otlp.resource.attributes",
        default="",
        check=check_attributes,
        doc="What the collector is told of the process, such as `deployment.environment=prod`, "
        "separated by commas. `service.name` is `kmirror`, and `service.instance.id` is `host:pid` "
        "unless they are here.",
    ),
    _otlp(
        name="kmirror.otlp.certificate",
        doc="A PEM file: whom the collector's certificate must come from. By default those whom "
        "Python's `certifi` trusts.",
    ),
    _otlp(
        name="kmirror.otlp.client.certificate",
        doc="A PEM file with the certificate that the collector is shown.",
    ),
    _otlp(name="kmirror.otlp.client.key", doc="A PEM file with its key."),
)
