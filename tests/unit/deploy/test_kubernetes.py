"""The manifests: names that belong together are the same, and what they say fits kmirror."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from kmirror import __version__
from kmirror.config.load import MirrorConfig
from kmirror.pipeline.master import unprotected
from tests.support.deploy import DEPLOY, OVERHEAD_MIB, Document, documents, loaded, mib, parse

FOLDER = DEPLOY / "kubernetes"
BASE, SPARK = FOLDER / "base", FOLDER / "spark"
PASSWORDS = "/run/secrets/kmirror"
NAMESPACE = "kmirror"
# What each kind is an object of.
VERSIONS = {
    "Deployment": "apps/v1",
    "Namespace": "v1",
    "NetworkPolicy": "networking.k8s.io/v1",
    "Pod": "v1",
    "Role": "rbac.authorization.k8s.io/v1",
    "RoleBinding": "rbac.authorization.k8s.io/v1",
    "Service": "v1",
    "ServiceAccount": "v1",
}
# What the pod of `SPARK` has.
ENVIRON = {"KMIRROR_POD": "kmirror-0", "KMIRROR_IMAGE": "registry.example/kmirror:1"}
FILES = sorted(FOLDER.rglob("*.yaml"))
LABEL = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")

needs_kubectl = pytest.mark.skipif(
    shutil.which("kubectl") is None, reason="kubectl is not installed"
)


def kustomization(folder: Path) -> Document:
    """Read what a folder is made of."""
    (found,) = documents(folder / "kustomization.yaml")
    return found


def objects(folder: Path) -> dict[tuple[str, str], Document]:
    """Give a folder's resources, by kind and name."""
    files = [folder / name for name in kustomization(folder)["resources"] if name.endswith("yaml")]
    found = [each for file in files for each in documents(file)]
    return {(each["kind"], each["metadata"]["name"]): each for each in found}


DRIVER: Document = objects(BASE)["Deployment", "kmirror"]
POD: Document = DRIVER["spec"]["template"]["spec"]
(CONTAINER,) = POD["containers"]
(PATCH,) = documents(SPARK / "driver.yaml")
(EXECUTOR,) = documents(SPARK / "executor.yaml")
(PATCHED,) = PATCH["spec"]["template"]["spec"]["containers"]


@pytest.fixture(params=[BASE, SPARK], ids=["base", "spark"])
def config(request: pytest.FixtureRequest, tmp_path: Path) -> MirrorConfig:
    """Give the file, as the pod reads it."""
    return loaded(request.param / "mm2.properties", PASSWORDS, tmp_path, ENVIRON)


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(FOLDER)))
def test_every_document_is_an_object(file: Path) -> None:
    """Of a kind that is known, in the version that it has, in one namespace."""
    for each in documents(file):
        if file.name == "kustomization.yaml":
            assert each["kind"] == "Kustomization"
            continue
        assert each["apiVersion"] == VERSIONS[each["kind"]]
        if each is not EXECUTOR and each["kind"] not in {"Namespace", "Pod"}:
            assert LABEL.fullmatch(each["metadata"]["name"])
            assert each["metadata"]["namespace"] == NAMESPACE


@pytest.mark.parametrize("folder", [BASE, SPARK], ids=["base", "spark"])
def test_every_file_is_used(folder: Path) -> None:
    """By the kustomization, as a resource, a patch or a part of the map."""
    made = kustomization(folder)
    named = {name for name in made["resources"] if not name.startswith("..")}
    named |= {each["path"] for each in made.get("patches", ())}
    named |= {name for each in made["configMapGenerator"] for name in each["files"]}
    assert named == {file.name for file in folder.iterdir()} - {"kustomization.yaml"}


def test_names_that_belong_together() -> None:
    """Selectors find the pod, volumes are there, and the map and the account are made."""
    labels = DRIVER["spec"]["template"]["metadata"]["labels"]
    base = objects(BASE)
    assert DRIVER["spec"]["selector"]["matchLabels"].items() <= labels.items()
    assert base["Service", "kmirror-metrics"]["spec"]["selector"].items() <= labels.items()
    policy = base["NetworkPolicy", "kmirror"]["spec"]["podSelector"]["matchLabels"]
    assert policy.items() <= labels.items()
    assert {each["name"] for each in CONTAINER["volumeMounts"]} == {
        each["name"] for each in POD["volumes"]
    }
    assert ("ServiceAccount", POD["serviceAccountName"]) in base
    (generated,) = kustomization(BASE)["configMapGenerator"]
    (volume,) = (each for each in POD["volumes"] if "configMap" in each)
    assert volume["configMap"]["name"] == generated["name"]
    (image,) = kustomization(BASE)["images"]
    assert (image["name"], image["newTag"]) == (CONTAINER["image"], __version__)


@pytest.mark.parametrize("container", [CONTAINER, PATCHED], ids=["base", "spark"])
def test_kmirror_takes_its_command(container: Document) -> None:
    """It runs the file that is mounted."""
    (mount,) = (each for each in CONTAINER["volumeMounts"] if each["name"] == "config")
    assert str(parse(container["args"])["file"]) == f"{mount['mountPath']}/mm2.properties"


def test_the_file_is_valid_and_quiet(config: MirrorConfig) -> None:
    """Passwords lie where they are mounted, which no other volume contains."""
    assert config.flows
    assert not config.warnings
    mounts = {each["name"]: each["mountPath"] for each in CONTAINER["volumeMounts"]}
    assert mounts["passwords"] == PASSWORDS
    assert not PASSWORDS.startswith(f"{mounts['config']}/")


def test_metrics_are_served_where_they_are_asked_for(config: MirrorConfig) -> None:
    """Probes, service and policy name the port of the file."""
    (port,) = CONTAINER["ports"]
    assert config.metrics.listener is not None
    assert config.metrics.listener.port == port["containerPort"]
    assert CONTAINER["startupProbe"]["tcpSocket"]["port"] == port["name"]
    assert CONTAINER["livenessProbe"]["httpGet"] == {"path": "/liveness", "port": port["name"]}
    (service,) = objects(BASE)["Service", "kmirror-metrics"]["spec"]["ports"]
    assert (service["port"], service["targetPort"]) == (port["containerPort"], port["name"])
    (rule,) = objects(BASE)["NetworkPolicy", "kmirror"]["spec"]["ingress"]
    assert [each["port"] for each in rule["ports"]] == [port["containerPort"]]


def test_there_is_memory(config: MirrorConfig) -> None:
    """For the heap and the rest; Spark itself sizes the executors."""
    settings = {name: value.reveal() for name, value in config.spark}
    limit = mib(CONTAINER["resources"]["limits"]["memory"])
    assert limit >= mib(settings["spark.driver.memory"]) + OVERHEAD_MIB
    assert CONTAINER["resources"]["requests"]["memory"] == f"{limit}Mi"


def test_one_driver_at_a_time() -> None:
    """A new pod comes when the old one is gone: otherwise they would fence each other."""
    assert DRIVER["spec"]["replicas"] == 1
    assert DRIVER["spec"]["strategy"] == {"type": "Recreate"}


def containers() -> Iterator[tuple[Document, Document]]:
    """Yield pods' specifications with each of their containers."""
    for pod in (POD, EXECUTOR["spec"]):
        for container in pod["containers"]:
            yield pod, container


def test_nobody_has_rights() -> None:
    """Pods meet the `restricted` standard, and write to `/tmp` alone."""
    for pod, container in containers():
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        assert pod["automountServiceAccountToken"] is False
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        mounts = container["volumeMounts"]
        writable = [each["mountPath"] for each in mounts if not each.get("readOnly")]
        assert writable == ["/tmp"]


def test_both_files_say_the_same_of_the_flows() -> None:
    """The file for Spark has the other one's lines, and more."""
    alone, cluster = (
        (folder / "mm2.properties").read_text("utf-8").splitlines() for folder in (BASE, SPARK)
    )
    assert set(alone) - set(cluster) == {"config.providers = dir"}


def test_executors_of_the_driver(tmp_path: Path) -> None:
    """Their image and namespace are the driver's, a core each slot, and passwords travel safely."""
    config = loaded(SPARK / "mm2.properties", PASSWORDS, tmp_path, ENVIRON)
    settings = {name: value.reveal() for name, value in config.spark}
    assert settings["spark.kubernetes.container.image"] == ENVIRON["KMIRROR_IMAGE"]
    assert settings["spark.kubernetes.namespace"] == NAMESPACE
    assert settings["spark.kubernetes.driver.pod.name"] == "kmirror-0"
    template = Path(settings["spark.kubernetes.executor.podTemplateFile"])
    (generated,) = kustomization(SPARK)["configMapGenerator"]
    assert template.name in generated["files"]
    (mount,) = (each for each in CONTAINER["volumeMounts"] if each["name"] == "config")
    assert str(template.parent) == mount["mountPath"]
    cores = int(settings["spark.executor.cores"]) * int(settings["spark.executor.instances"])
    assert cores >= sum(flow.slots or 0 for flow in config.flows)
    assert unprotected(settings) == ()
    assert parse(PATCHED["args"])["master"].startswith("k8s://")


def test_the_driver_may_make_executors() -> None:
    """Its account has the role; policies let both talk to each other."""
    made = objects(SPARK)
    account = PATCH["spec"]["template"]["spec"]["serviceAccountName"]
    assert ("ServiceAccount", account) in made
    (binding,) = (each for (kind, _), each in made.items() if kind == "RoleBinding")
    (subject,) = binding["subjects"]
    assert (subject["kind"], subject["name"]) == ("ServiceAccount", account)
    assert (binding["roleRef"]["kind"], binding["roleRef"]["name"]) in made
    policy = made["NetworkPolicy", "kmirror-spark"]["spec"]
    (said,) = policy["podSelector"]["matchExpressions"]
    labels = [DRIVER["spec"]["template"]["metadata"], EXECUTOR["metadata"]]
    assert said["values"] == [each["labels"][said["key"]] for each in labels]
    assert policy["ingress"] == [{"from": [{"podSelector": {"matchExpressions": [said]}}]}]


def test_spark_asks_for_what_the_role_allows(tmp_path: Path) -> None:
    """When it ends it looks for services of its own, unless it is told that there are none."""
    config = loaded(SPARK / "mm2.properties", PASSWORDS, tmp_path, ENVIRON)
    settings = {name: value.reveal() for name, value in config.spark}
    (role,) = (each for (kind, _), each in objects(SPARK).items() if kind == "Role")
    allowed = {name for rule in role["rules"] for name in rule["resources"]}
    assert allowed == {"pods", "configmaps", "persistentvolumeclaims"}
    assert settings["spark.kubernetes.driver.service.deleteOnTermination"] == "false"


def test_the_pod_has_what_the_file_reads() -> None:
    """Each variable of the overlay, and no other one."""
    text = (SPARK / "mm2.properties").read_text(encoding="utf-8")
    assert {each["name"] for each in PATCHED["env"]} == ENVIRON.keys()
    assert set(re.findall(r"\$\{env:(\w+)\}", text)) == ENVIRON.keys()


def put_together(folder: Path) -> dict[str, Document]:
    """Have kubectl make a folder's objects; give the Deployment and the ConfigMap, by kind."""
    done = subprocess.run(
        ["kubectl", "kustomize", str(folder)],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    made: list[Document] = list(yaml.safe_load_all(done.stdout))
    found = [each for each in made if each["kind"] in {"Deployment", "ConfigMap"}]
    by_kind = {each["kind"]: each for each in found}
    assert len(by_kind) == len(found)
    return by_kind


@needs_kubectl
@pytest.mark.parametrize("folder", [BASE, SPARK], ids=["base", "spark"])
def test_kubectl_puts_it_together(folder: Path) -> None:
    """The patch is of an object that is there, and the map's name is where it is mounted."""
    made = put_together(folder)
    spec = made["Deployment"]["spec"]["template"]["spec"]
    (volume,) = (each for each in spec["volumes"] if "configMap" in each)
    assert volume["configMap"]["name"] == made["ConfigMap"]["metadata"]["name"]
    (container,) = spec["containers"]
    assert container["image"] == f"kmirror:{__version__}"
    assert container["args"] == (CONTAINER if folder == BASE else PATCHED)["args"]


@needs_kubectl
@pytest.mark.parametrize("place", ["base", "spark", "above"])
def test_executors_run_the_image_of_the_driver(place: str, tmp_path: Path) -> None:
    """Wherever the registry is named: also in a kustomization that has the other ones below it."""
    folder = tmp_path / "kubernetes"
    shutil.copytree(FOLDER, folder)
    said = kustomization(SPARK)
    if place == "above":
        (folder / place).mkdir()
        said = {"resources": ["../spark"], "replacements": said["replacements"]}
    elif place == "base":
        said = kustomization(BASE)
    said["images"] = [{"name": "kmirror", "newName": "registry.example/kmirror", "newTag": "1"}]
    (folder / place / "kustomization.yaml").write_text(yaml.safe_dump(said), encoding="utf-8")
    top = folder / ("above" if place == "above" else "spark")
    (container,) = put_together(top)["Deployment"]["spec"]["template"]["spec"]["containers"]
    environ = {each["name"]: each.get("value") for each in container["env"]}
    assert container["image"] == environ["KMIRROR_IMAGE"] == "registry.example/kmirror:1"
