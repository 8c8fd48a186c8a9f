"""Strimzi's KafkaMirrorMaker2, of `v1beta2` (`clusters`) and of `v1` (`target`, `source`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kmirror.importers.draft import Draft
from kmirror.importers.json_tree import read_json
from kmirror.importers.mirror_connectors import import_connectors, import_worker_setting
from kmirror.importers.options import ImportOptions
from kmirror.importers.setting import SourceFile, wrong
from kmirror.importers.strimzi_cluster import import_cluster
from kmirror.importers.strimzi_mirror import mirror_connectors
from kmirror.importers.tree import Node
from kmirror.importers.yaml_tree import read_yaml
from kmirror.model import Flow

_KIND = "KafkaMirrorMaker2"
_OLD_OFFSETS = "mirrormaker2-cluster-offsets"
_TARGET_FIELDS = {
    "groupId": "the group of Connect's workers; kmirror has none",
    "configStorageTopic": "of Connect's workers; kmirror reads its file",
    "statusStorageTopic": "of Connect's workers; `kmirror status` shows what a flow does",
}
_POD = "of the pod, not of what is copied"
_POD_FIELDS = {
    "version": "of Kafka Connect; kmirror brings its own clients",
    "replicas": "one process drives a flow; more machines come through Spark",
    "affinity": _POD,
    "image": _POD,
    "resources": _POD,
    "livenessProbe": _POD,
    "readinessProbe": _POD,
    "jvmOptions": "of Connect's JVM; Spark's has kmirror.spark.driver.memory",
    "jmxOptions": "kmirror has no JMX; see docs/monitoring.md",
    "logging": "kmirror logs through Python; see docs/monitoring.md",
    "clientRackInitImage": _POD,
    "template": _POD,
    "externalConfiguration": _POD,
    "tolerations": _POD,
    "metrics": "kmirror has metrics of its own; see docs/monitoring.md",
    "metricsConfig": "kmirror has metrics of its own; see docs/monitoring.md",
}


def import_strimzi(files: Sequence[SourceFile], options: ImportOptions) -> Draft:
    """
    Read KafkaMirrorMaker2 resources.

    Raises:
        ConfigError: There are none, or one lacks what it must have.
    """
    draft = Draft()
    found = 0
    for file in files:
        documents = (read_json(file),) if file.is_json else read_yaml(file)
        for resource in _resources(documents):
            kind = resource.text("kind") or ""
            if kind == _KIND:
                _import_resource(draft, resource, options)
                found += 1
            elif kind == "KafkaMirrorMaker":
                setting = resource.get("kind")
                assert setting is not None
                draft.refuse(
                    setting.setting(), "is MirrorMaker 1: see `kmirror import mm1`, with its files"
                )
    if not found:
        raise wrong(files[0].name, "kind", f"expected a {_KIND} of Strimzi")
    return draft


def _resources(documents: Sequence[Node]) -> Iterator[Node]:
    for document in documents:
        if document.text("kind") in {"List", "KafkaMirrorMaker2List"}:
            listed = document.get("items")
            yield from () if listed is None else listed.items()
        else:
            yield document


def _import_resource(draft: Draft, resource: Node, options: ImportOptions) -> None:
    spec = _needed(resource, "spec")
    target = spec.get("target")
    clusters = {
        alias: each
        for each in _items(spec, "clusters")
        if (alias := each.text("alias")) is not None
    }
    if target is None:
        connect = _needed(spec, "connectCluster")
        target = clusters.get(connect.text() or "")
        if target is None:
            expected = "expected the alias of one of `clusters`"
            raise wrong(connect.where, "spec.connectCluster", expected, connect.text())
        draft.equal(connect.setting("spec.connectCluster"), "the target of all flows")
    alias = _alias(target)
    mirrors = list(_items(spec, "mirrors"))
    if not mirrors:
        raise wrong(spec.where, "spec.mirrors", "expected at least one mirror")
    sources = [_source(mirror, clusters, alias) for mirror in mirrors]
    for source in sources:
        draft.cluster(_alias(source))
    for mirror, source in zip(mirrors, sources, strict=True):
        flow = Flow(_alias(source), alias)
        draft.flow(flow)
        if f"{flow.source}.bootstrap.servers" not in {line.key for line in draft.lines}:
            import_cluster(draft, source, options)
        import_connectors(draft, mirror_connectors(draft, mirror, flow))
    import_cluster(draft, target, options, is_target=True)
    _import_worker(draft, target, alias)
    _import_pod(draft, spec, sources)


def _needed(node: Node, name: str) -> Node:
    found = node.get(name)
    if found is None:
        raise wrong(node.where, name, "is missing")
    return found


def _items(node: Node, name: str) -> Iterator[Node]:
    found = node.get(name)
    if found is not None:
        yield from found.items()


def _alias(cluster: Node) -> str:
    alias = cluster.text("alias")
    if alias is None:
        raise wrong(cluster.where, "alias", "is missing")
    return alias


def _source(mirror: Node, clusters: dict[str, Node], target: str) -> Node:
    into = mirror.get("targetCluster")
    if into is not None and into.value != target:
        raise wrong(into.where, "targetCluster", f"expected {target}, the alias of the target")
    source = mirror.get("source")
    if source is not None:
        return source
    named = _needed(mirror, "sourceCluster")
    alias = named.text() or ""
    if alias not in clusters:
        raise wrong(named.where, "sourceCluster", "expected the alias of one of `clusters`", alias)
    return clusters[alias]


def _import_worker(draft: Draft, target: Node, alias: str) -> None:
    for field in target.fields():
        if field.key == "offsetStorageTopic":
            draft.write(field.text_setting(), f"{alias}.offset.storage.topic")
        elif field.key in _TARGET_FIELDS:
            draft.differs(field.setting(), _TARGET_FIELDS[field.key])
    config = target.get("config")
    for setting in () if config is None else config.settings():
        import_worker_setting(draft, alias, setting)
    draft.add(
        f"{alias}.offset.storage.topic",
        _OLD_OFFSETS,
        "Strimzi's default: positions of MirrorMaker 2",
    )


def _import_pod(draft: Draft, spec: Node, sources: Sequence[Node]) -> None:
    for field in spec.fields():
        setting = field.setting(f"spec.{field.key}")
        if field.key in _POD_FIELDS:
            draft.differs(setting, _POD_FIELDS[field.key])
        elif field.key == "rack":
            draft.refuse(
                setting,
                "the zone is a label of the pod's node, which kmirror does not ask for: write "
                f"{_alias(sources[0])}.consumer.client.rack = ZONE",
            )
        elif field.key == "tracing":
            draft.refuse(setting, "kmirror does not trace records; leave it out")
        elif field.key not in {"target", "clusters", "connectCluster", "mirrors"}:
            draft.refuse(setting, "unknown to kmirror")
