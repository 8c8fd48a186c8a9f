"""The settings of a connector's transforms, predicates and converters, and which classes exist."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from kmirror.config.connector import MIRROR_PACKAGE
from kmirror.config.keys.connect import SIMPLE_HEADER_CONVERTER
from kmirror.config.keys.transforms import (
    PREDICATE_PACKAGE,
    PREDICATES,
    TRANSFORM_PACKAGE,
    TRANSFORMS,
    predicate_named,
    transform_named,
)
from kmirror.config.keys.worker import BYTES_CONVERTER
from kmirror.config.worker import WorkerConfig
from kmirror.connect.definitions import Setting, plugin_settings
from kmirror.connect.documentation import plugin_documentation
from kmirror.connect.model import ConfigDefinition
from kmirror.connect.plugins import KAFKA_VERSION, class_of
from kmirror.connect.value_rules import read

_MIRROR_CLASSES = (
    *("DefaultReplicationPolicy", "IdentityReplicationPolicy", "DefaultTopicFilter"),
    *("DefaultGroupFilter", "DefaultConfigPropertyFilter"),
)
_CONVERTER_PACKAGE = "org.apache.kafka.connect."
_CONVERTERS = (
    *(f"converters.{kind}Converter" for kind in ("Boolean", "Double", "Float", "Integer", "Long")),
    *("converters.ShortConverter", "json.JsonConverter", "storage.StringConverter"),
)
_KAFKA = "org.apache.kafka."

Texts = Mapping[str, str | None]


def known_class(name: str, worker: WorkerConfig) -> Callable[[str], bool]:
    """Return what tells which classes a setting may name; none is loaded for it."""
    if name.endswith(".converter"):
        return _is_converter
    if name.startswith("transforms."):
        return lambda text: transform_named(text) is not None
    if name.startswith("predicates."):
        return lambda text: predicate_named(text) is not None
    if name == "replication.policy.class" or name.endswith(".filter.class"):
        return lambda text: text.removeprefix(MIRROR_PACKAGE) in _MIRROR_CLASSES
    return lambda text: text.startswith(_KAFKA) or text in worker.allowed.classes


def _is_converter(text: str) -> bool:
    names = (BYTES_CONVERTER, SIMPLE_HEADER_CONVERTER)
    full = (*names, *(f"{_CONVERTER_PACKAGE}{name}" for name in _CONVERTERS))
    simple = [name.rpartition(".")[2] for name in full]
    return text in (*full, *simple, *(name.removesuffix("Converter") for name in simple))


def plugin_sections(config: Texts) -> Iterator[list[Setting]]:
    """Yield the settings of each transform, then of each predicate (`ConnectorConfig.enrich`)."""
    for kind, what in (("transforms", "transformation"), ("predicates", "predicate")):
        aliases = read(kind, "LIST", config.get(kind) or "", lambda _: False).value
        assert isinstance(aliases, tuple)
        for alias in dict.fromkeys(aliases):
            yield list(_section(kind, what, alias, config))


def _section(kind: str, what: str, alias: str, config: Texts) -> Iterator[Setting]:
    prefix = f"{kind}.{alias}."
    group = f"{kind.capitalize()}: {alias}"
    text = (config.get(f"{prefix}type") or "").strip()
    is_transform = kind == "transforms"
    name = transform_named(text) if is_transform else predicate_named(text)
    package = TRANSFORM_PACKAGE if is_transform else PREDICATE_PACKAGE
    title = what.capitalize()
    yield Setting(
        definition=ConfigDefinition(
            name=f"{prefix}type",
            type="CLASS",
            required=True,
            default_value=None,
            importance="HIGH",
            documentation=f"The class of the {what} {alias}.",
            group=group,
            width="LONG",
            display_name=f"{title} type for {alias}",
            order=0,
        ),
        rule="",
        recommended=tuple(f"{package}{each}" for each in sorted(_of_kind(is_transform))),
    )
    version = None if name is None else KAFKA_VERSION
    yield Setting(
        definition=ConfigDefinition(
            name=f"{prefix}plugin.version",
            type="STRING",
            required=False,
            default_value=version,
            importance="HIGH",
            documentation=f"The version of the {what} {alias}.",
            group=group,
            width="LONG",
            display_name=f"{title} version for {alias}",
            order=1,
        ),
        rule="",
        recommended=() if version is None else (version,),
    )
    if name is None:
        return
    own = list(plugin_settings(f"{package}{name}"))
    for order, setting in enumerate([*own, *(_implicit() if is_transform else ())], 2):
        definition = setting.definition
        yield replace(
            setting,
            definition=replace(
                definition, name=f"{prefix}{definition.name}", group=group, order=order
            ),
            unprefixed=definition.name,
        )


def _of_kind(is_transform: bool) -> tuple[str, ...]:
    return tuple(TRANSFORMS) if is_transform else PREDICATES


def _implicit() -> Iterator[Setting]:
    """Yield what every transform has."""
    for name, type_, default in (("negate", "BOOLEAN", "false"), ("predicate", "STRING", None)):
        yield Setting(
            definition=ConfigDefinition(
                name=name,
                type=type_,
                required=False,
                default_value=default,
                importance="MEDIUM",
                documentation=plugin_documentation("", name),
                display_name=name,
            ),
            rule="",
        )


def converter_settings(config: Texts) -> Iterator[Setting]:
    """Yield the settings of the converters that a connector names itself."""
    for part in ("header", "key", "value"):
        name = class_of((config.get(f"{part}.converter") or "").strip())
        if name is None:
            continue
        for setting in plugin_settings(name):
            definition = setting.definition
            yield replace(
                setting,
                definition=replace(definition, name=f"{part}.converter.{definition.name}"),
                unprefixed=definition.name,
                implied=part,
            )
