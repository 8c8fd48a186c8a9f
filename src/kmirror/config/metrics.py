"""What a file says of metrics: where they are served, and for whom, and where they are sent to."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from kmirror.config.checks import split_address
from kmirror.config.entry import Entries, Findings
from kmirror.config.otlp import OtlpConfig, read_otlp
from kmirror.config.server import Listener
from kmirror.config.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricsConfig:
    """
    How metrics leave the process.

    Args:
        listener: Where; `None` for nowhere.
        users_file: Who may read them; `None` for everybody who reaches the address.
        otlp: The collector that they are sent to; `None` for none.
    """

    listener: Listener | None = None
    users_file: Path | None = None
    otlp: OtlpConfig | None = None


NO_METRICS = MetricsConfig()


def listener_at(address: str) -> Listener:
    """
    Return where `host:port` is.

    Raises:
        ValueProblem: It is no address; the message says what is.
    """
    host, port = split_address(address)
    return Listener(scheme="http", host=host, port=port)


def read_metrics(file: Entries, findings: Findings) -> MetricsConfig:
    """
    Read what a file says of metrics.

    Args:
        file: Its lines, references expanded.
        findings: Receives what is wrong.
    """
    settings = Settings(file, findings)
    address = settings.text_or_none("kmirror.metrics.listen")
    users = settings.text_or_none("kmirror.metrics.users.file")
    return MetricsConfig(
        listener=None if address is None else listener_at(address),
        users_file=Path(users) if users else None,
        otlp=read_otlp(file, findings),
    )
