"""Whatever stands in a file: it is imported, or refused with words; nothing secret is shown."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kmirror.errors import ConfigError
from kmirror.importers.json_tree import read_json
from kmirror.importers.setting import read_properties
from kmirror.importers.tree import Node
from tests.support.imports import data_files, import_of, text_files

_FLAT = {
    "connect": ("connect/expand-info.json", "mm2-msc", "info", "config"),
    "replicator": ("replicator/dc1-to-dc2.json", "config"),
    "mirus": ("mirus/source.json", "config"),
}
_VALUES = st.one_of(
    st.sampled_from(
        (
            *("", " ", "true", "false", "-1", "0", "12345678901234567890", ",", ".*", "(", "a,b,,"),
            *("${file:/x:y}", "${vault:a:b}", "${a", "${topic}", "x->y", "\n", "é", "a\\", "#"),
        )
    ),
    st.text(max_size=12),
)
_FEW = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def _config(name: str, *path: str) -> dict[str, str]:
    (file,) = data_files(name)
    found = read_json(file).get(*path)
    assert isinstance(found, Node)
    return {each.key: each.text for each in found.settings()}


@pytest.mark.parametrize("system", _FLAT)
@_FEW
@given(data=st.data())
def test_connectors(system: str, data: st.DataObject) -> None:
    """Values that no connector would start with, and keys that nobody has."""
    config = _config(*_FLAT[system])
    names = st.sampled_from(sorted(config)) | st.text(min_size=1, max_size=20)
    changed = data.draw(st.dictionaries(names, _VALUES, max_size=5))
    _import_any(system, json.dumps(config | changed))


@pytest.mark.parametrize("system", ["mm2", "mm1", "ureplicator"])
@_FEW
@given(data=st.data())
def test_properties(system: str, data: st.DataObject) -> None:
    """The same for files of lines."""
    files = {
        "mm2": ("mm2/two-ways.properties",),
        "mm1": ("mm1/consumer.properties", "mm1/producer.properties"),
        "ureplicator": ("ureplicator/consumer.properties", "ureplicator/producer.properties"),
    }[system]
    texts = []
    for file in data_files(*files):
        lines = {each.key: each.text for each in read_properties(file)}
        names = st.sampled_from(sorted(lines))
        lines |= data.draw(st.dictionaries(names, st.text(max_size=12), max_size=3))
        texts.append("".join(f"{key}={value}\n" for key, value in lines.items()))
    _import_any(system, *texts)


@pytest.mark.parametrize("system", ["strimzi", "brooklin", "connect", "replicator", "mm1", "mm2"])
@_FEW
@given(text=st.text(max_size=200))
def test_any_text(system: str, text: str) -> None:
    """What is no file of the system at all."""
    _import_any(system, text)


@_FEW
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=8),
        lambda below: (
            st.lists(below, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    (
                        *(
                            "kind",
                            "spec",
                            "target",
                            "mirrors",
                            "clusters",
                            "alias",
                            "source",
                            "config",
                        ),
                        *(
                            "tls",
                            "authentication",
                            "type",
                            "sourceConnector",
                            "trustedCertificates",
                        ),
                        *("bootstrapServers", "connectCluster", "sourceCluster", "passwordSecret"),
                    )
                ),
                below,
                max_size=4,
            )
        ),
        max_leaves=20,
    )
)
def test_any_resource(tree: object) -> None:
    """Mappings where texts are expected, and the other way round."""
    resource = {"kind": "KafkaMirrorMaker2", "spec": tree}
    _import_any("strimzi", json.dumps(resource))
    _import_any("brooklin", json.dumps({"source": {"connectionString": tree}}))


def _import_any(system: str, *texts: str) -> None:
    try:
        found = import_of(system, text_files(*texts))
    except ConfigError:
        return
    assert all(each.setting.where for each in found.outcomes)
