"""What people post to Connect workers, and a worker's file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from kmirror.config.worker import WorkerConfig, load_worker

EXAMPLES = Path(__file__).parents[1] / "data" / "connect"
PACKAGE = "org.apache.kafka.connect.mirror."
SOURCE, CHECKPOINT, HEARTBEAT = (
    f"{PACKAGE}Mirror{kind}Connector" for kind in ("Source", "Checkpoint", "Heartbeat")
)
ENV_PROVIDER = (
    "config.providers = env\n"
    "config.providers.env.class = "
    "org.apache.kafka.common.config.provider.EnvVarConfigProvider\n"
    "config.providers.env.param.allowlist.pattern = "
)
WORKER = """\
bootstrap.servers = b:9092
group.id = connect
key.converter = org.apache.kafka.connect.converters.ByteArrayConverter
value.converter = org.apache.kafka.connect.converters.ByteArrayConverter
config.storage.topic = connect-configs
offset.storage.topic = connect-offsets
status.storage.topic = connect-status
"""


def posted(name: str) -> dict[str, dict[str, str]]:
    """Give the settings of an example by its connector's name, values as Connect reads them."""
    body = json.loads((EXAMPLES / name).read_text(encoding="utf-8"))
    config = {
        key: value if isinstance(value, str) else json.dumps(value)
        for key, value in body["config"].items()
    }
    return {body["name"]: config}


def connector(kind: str = SOURCE, **more: str) -> dict[str, str]:
    """Give a connector's settings; in the names of *more*, `__` stands for a dot."""
    return {
        "connector.class": kind,
        "source.cluster.alias": "A",
        "target.cluster.alias": "B",
        "source.cluster.bootstrap.servers": "a:9092",
        "target.cluster.bootstrap.servers": "b:9092",
    } | {key.replace("__", "."): text for key, text in more.items()}


def worker(folder: Path, more: str = "", environ: Mapping[str, str] | None = None) -> WorkerConfig:
    """Read a worker's file that has some lines more."""
    path = folder / "worker.properties"
    path.write_text(WORKER + more, encoding="utf-8")
    return load_worker(path, environ=environ or {})
