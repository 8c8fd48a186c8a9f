"""Client quotas, set with the broker's own tool: librdkafka's admin client cannot."""

from __future__ import annotations

import tempfile
from pathlib import Path

from kmirror_lab.process.host import HERE, Host
from kmirror_lab.process.jvm_command import kafka_command, run_tool

_PRODUCE, _FETCH = "producer_byte_rate", "consumer_byte_rate"
_REQUESTS, _CHANGES = "request_percentage", "controller_mutation_rate"


def set_client_quota(
    bootstrap: str,
    client_id: str,
    *,
    produce_bytes_s: int | None = None,
    fetch_bytes_s: int | None = None,
    requests_percent: int | None = None,
    changes_s: int | None = None,
    host: Host = HERE,
) -> None:
    """
    Limit what one client id may do on each broker.

    Args:
        bootstrap: The cluster.
        client_id: Whose.
        produce_bytes_s: Bytes a second that it may write; `None` leaves what is set.
        fetch_bytes_s: Bytes a second that it may read; `None` leaves what is set.
        requests_percent: The share of a broker's thread that its requests may take, likewise.
        changes_s: Partitions that it may make or delete in a second, likewise.
        host: From where the cluster is reached.

    Raises:
        EnvironmentProblem: The tool failed.
    """
    limits = {
        _PRODUCE: produce_bytes_s,
        _FETCH: fetch_bytes_s,
        _REQUESTS: requests_percent,
        _CHANGES: changes_s,
    }
    added = ",".join(f"{name}={limit}" for name, limit in limits.items() if limit is not None)
    _tool(bootstrap, client_id, "--alter", "--add-config", added, host=host)


def remove_client_quota(bootstrap: str, client_id: str, *, host: Host = HERE) -> None:
    """
    Take away what `set_client_quota` set; where nothing is set, nothing happens.

    Raises:
        EnvironmentProblem: The tool failed.
    """
    # The tool refuses to take away what is not there.
    described = _tool(bootstrap, client_id, "--describe", host=host)
    every = (_PRODUCE, _FETCH, _REQUESTS, _CHANGES)
    found = [name for name in every if f"{name}=" in described]
    if found:
        _tool(bootstrap, client_id, "--alter", "--delete-config", ",".join(found), host=host)


def _tool(bootstrap: str, client_id: str, *action: str, host: Host) -> str:
    with tempfile.TemporaryDirectory() as folder:
        command = kafka_command(
            "kafka.admin.ConfigCommand",
            *("--bootstrap-server", bootstrap),
            *("--entity-type", "clients", "--entity-name", client_id),
            *action,
            folder=Path(folder),
        )
        return run_tool(host.command(command), f"the quota of {client_id}")
