"""The file of a Connect worker that ran another connector than MirrorMaker 2's."""

from __future__ import annotations

from collections.abc import Sequence

from kmirror.config.keys.table import CLIENT_NAMES
from kmirror.importers.clients import Client, import_client
from kmirror.importers.draft import Draft
from kmirror.importers.setting import Setting
from kmirror.model import Flow

OF_WORKERS = "of Kafka Connect's workers; `kmirror run` has none, `kmirror connect` has"
_POSITIONS = (
    "of Kafka Connect's workers: their positions have a form that kmirror does not read; its page "
    "says how to go on without them"
)


def worker_servers(worker: Sequence[Setting]) -> str:
    """Return the addresses of the cluster that the workers write to; empty if they do not say."""
    named = {setting.key: setting.text for setting in worker}
    return named.get("producer.bootstrap.servers") or named.get("bootstrap.servers") or ""


def import_other_worker(draft: Draft, flow: Flow, worker: Sequence[Setting]) -> None:
    """
    Write what counts of a worker's file: how its producer speaks to the target.

    Args:
        draft: Receives it.
        flow: The flow into the workers' cluster.
        worker: The lines of the file.
    """
    alias = flow.target
    producer = Client(alias=alias, role="producer", prefix=f"{alias}.producer.")
    for setting in worker:
        name = setting.key
        if name.startswith("producer."):
            import_client(draft, producer, setting, name.removeprefix("producer."))
        elif name.startswith("config.providers"):
            draft.write(setting, name)
        elif name in CLIENT_NAMES:
            draft.write(setting, f"{alias}.{name}")
        elif name.startswith("offset.storage."):
            draft.differs(setting, _POSITIONS)
        else:
            draft.differs(setting, OF_WORKERS)
