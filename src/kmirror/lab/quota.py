"""Client quotas, set with the broker's own tool: librdkafka's admin client cannot."""

from __future__ import annotations

import tempfile
from pathlib import Path

from kmirror.lab.jvm_command import kafka_command, run_tool


def set_client_quota(
    bootstrap: str,
    client_id: str,
    *,
    produce_bytes_s: int | None = None,
    fetch_bytes_s: int | None = None,
) -> None:
    """
    Limit what one client id may do on each broker.

    Args:
        bootstrap: The cluster.
        client_id: Whose.
        produce_bytes_s: Bytes a second that it may write; `None` leaves what is set.
        fetch_bytes_s: Bytes a second that it may read; `None` leaves what is set.

    Raises:
        EnvironmentProblem: The tool failed.
    """
    limits = {"producer_byte_rate": produce_bytes_s, "consumer_byte_rate": fetch_bytes_s}
    added = ",".join(f"{name}={limit}" for name, limit in limits.items() if limit is not None)
    with tempfile.TemporaryDirectory() as folder:
        command = kafka_command(
            "kafka.admin.ConfigCommand",
            *("--bootstrap-server", bootstrap, "--alter"),
            *("--entity-type", "clients", "--entity-name", client_id),
            *("--add-config", added),
            folder=Path(folder),
        )
        run_tool(command, f"no quota for {client_id}")
