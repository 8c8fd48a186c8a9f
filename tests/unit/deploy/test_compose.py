"""The Compose files: what they name is there, and fits what runs in it."""

from __future__ import annotations

import socket
import subprocess
from pathlib import Path

import pytest

from kmirror import __version__
from kmirror.config.load import MirrorConfig
from tests.support.deploy import DEPLOY, OVERHEAD_MIB, Document, documents, loaded, mib, parse

FOLDER = DEPLOY / "compose"
(ALONE,) = documents(FOLDER / "compose.yaml")
(CLUSTER,) = documents(FOLDER / "compose.spark.yaml")
# What Compose puts together of both files, of those that are in both.
SERVICES: dict[str, Document] = {
    **CLUSTER["services"],
    "kmirror": ALONE["services"]["kmirror"] | CLUSTER["services"]["kmirror"],
}


@pytest.fixture
def config(tmp_path: Path) -> MirrorConfig:
    """Give the file, as the container reads it."""
    return loaded(FOLDER / "mm2.properties", "/run/secrets", tmp_path, {})


@pytest.mark.parametrize("composed", [ALONE, CLUSTER], ids=["alone", "cluster"])
def test_kmirror_takes_its_command(composed: Document) -> None:
    """It runs the file that is mounted."""
    service = composed["services"]["kmirror"]
    taken = parse(service["command"])
    (mounted,) = ALONE["services"]["kmirror"]["configs"]
    assert str(taken["file"]) == mounted["target"]
    assert (FOLDER / ALONE["configs"][mounted["source"]]["file"]).is_file()


def test_the_file_is_valid_and_quiet(config: MirrorConfig) -> None:
    """The passwords are those that Compose mounts, and metrics are where the port leads."""
    assert config.flows
    assert not config.warnings
    assert set(ALONE["services"]["kmirror"]["secrets"]) == set(ALONE["secrets"])
    listener = config.metrics.listener
    assert listener is not None
    assert ALONE["services"]["kmirror"]["ports"] == [f"127.0.0.1:{listener.port}:{listener.port}"]
    assert f":{listener.port}/liveness" in ALONE["services"]["kmirror"]["healthcheck"]["test"][-1]


def test_the_image_is_built_and_is_this_version() -> None:
    """All services run the same one."""
    build = ALONE["services"]["kmirror"]["build"]
    assert (FOLDER / build["context"] / build["dockerfile"]).is_file()
    assert {each["image"] for each in SERVICES.values()} == {f"kmirror:{__version__}"}


def test_every_service_comes_back() -> None:
    """
    After a restart of the machine, too.

    The driver ends with 0 then, so `on-failure` would leave it stopped.
    """
    assert {each["restart"] for each in SERVICES.values()} == {"unless-stopped"}


@pytest.mark.parametrize("name", SERVICES)
def test_nobody_has_rights(name: str) -> None:
    """Only `/tmp` can be written to; codecs are libraries there, so that programs can run."""
    service = SERVICES[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    (tmp,) = service["tmpfs"]
    place, _, options = tmp.partition(":")
    assert place == "/tmp"
    assert "exec" in options.split(",")


def test_there_is_memory_and_a_core_for_each_slot(config: MirrorConfig) -> None:
    """The driver has its heap and more; so have workers, for executor and worker."""
    settings = {name: value.reveal() for name, value in config.spark}
    heap = mib(settings["spark.driver.memory"])
    assert mib(SERVICES["kmirror"]["mem_limit"]) >= heap + OVERHEAD_MIB
    worker = SERVICES["spark-worker"]
    options = dict(zip(worker["command"][1:-1:2], worker["command"][2:-1:2], strict=True))
    assert mib(options["--memory"]) >= mib(settings["spark.executor.memory"])
    assert mib(worker["mem_limit"]) >= mib(options["--memory"]) + OVERHEAD_MIB
    slots = sum(flow.slots or 0 for flow in config.flows)
    assert int(options["--cores"]) * worker["deploy"]["replicas"] >= slots


def test_they_find_each_other() -> None:
    """Kmirror and the workers name the master by its service, in a network that all have."""
    master = SERVICES["spark-master"]["command"]
    options = dict(zip(master[1::2], master[2::2], strict=True))
    url = f"spark://{options['--host']}:{options['--port']}"
    assert options["--host"] in CLUSTER["services"]
    assert parse(SERVICES["kmirror"]["command"])["master"] == url
    assert SERVICES["spark-worker"]["command"][-1] == url
    assert all("spark" in service["networks"] for service in SERVICES.values())
    assert "spark" in CLUSTER["networks"]


def test_they_wait_until_the_master_listens() -> None:
    """Its check fails until somebody listens at its port."""
    for name in ("kmirror", "spark-worker"):
        assert SERVICES[name]["depends_on"] == {"spark-master": {"condition": "service_healthy"}}
    master = SERVICES["spark-master"]
    options = dict(zip(master["command"][1::2], master["command"][2::2], strict=True))
    kind, *words = master["healthcheck"]["test"]
    place = f"{options['--host']}/{options['--port']}"
    assert kind == "CMD"
    assert place in words[-1]
    with socket.create_server(("127.0.0.1", 0)) as listener:
        words[-1] = words[-1].replace(place, f"127.0.0.1/{listener.getsockname()[1]}")
        assert subprocess.run(words, check=False, timeout=30).returncode == 0
    done = subprocess.run(words, capture_output=True, check=False, timeout=30)
    assert done.returncode != 0
