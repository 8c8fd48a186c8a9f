"""The classes that connectors' settings may name."""

from __future__ import annotations

from kmirror.config.connector import Kind, kind_of
from kmirror.config.keys.connect import SIMPLE_HEADER_CONVERTER
from kmirror.config.keys.transforms import (
    EXACT_TRANSFORMS,
    PREDICATE_PACKAGE,
    PREDICATES,
    TRANSFORM_PACKAGE,
    predicate_named,
    transform_named,
)
from kmirror.config.keys.worker import BYTES_CONVERTER
from kmirror.connect.definitions import connector_settings, plugin_settings
from kmirror.connect.model import ConfigDefinition, Plugin
from kmirror.errors import NotFound

KAFKA_VERSION = "4.3.1"
"""Of Kafka, whose connectors these are, and for which a worker stands."""

_CONVERTERS = (BYTES_CONVERTER, SIMPLE_HEADER_CONVERTER)


def plugins(*, connectors_only: bool) -> tuple[Plugin, ...]:
    """
    Return what may be named without being refused, in Connect's order.

    Args:
        connectors_only: Leave out transforms, predicates and converters.
    """
    found = [("source", kind.class_name) for kind in sorted(Kind)]
    if not connectors_only:
        found += [("transformation", f"{TRANSFORM_PACKAGE}{name}") for name in EXACT_TRANSFORMS]
        found += [("predicate", f"{PREDICATE_PACKAGE}{name}") for name in PREDICATES]
        found += [("converter", BYTES_CONVERTER)]
        found += [("header_converter", name) for name in _CONVERTERS]
    return tuple(
        Plugin(class_name=name, type=type_, version=KAFKA_VERSION) for type_, name in found
    )


def plugin_config(plugin: str) -> tuple[ConfigDefinition, ...]:
    """
    Return the settings of a plugin.

    Args:
        plugin: Its class in full, simple, or without what it is at the end.

    Raises:
        NotFound: There is none of that name.
    """
    kind = kind_of(plugin)
    if kind is not None:
        return tuple(each.definition for each in connector_settings(kind))
    name = class_of(plugin)
    if name is None:
        raise NotFound(f"Unknown plugin {plugin}.")
    return tuple(each.definition for each in plugin_settings(name))


def class_of(plugin: str) -> str | None:
    """Return the class in full of a transform, predicate or converter; `None` for none."""
    if (transform := transform_named(plugin)) is not None:
        return f"{TRANSFORM_PACKAGE}{transform}"
    if (predicate := predicate_named(plugin)) is not None:
        return f"{PREDICATE_PACKAGE}{predicate}"
    for name in _CONVERTERS:
        simple = name.rpartition(".")[2]
        short = (simple.removesuffix("HeaderConverter"), simple.removesuffix("Converter"))
        if plugin in (name, simple, *short):
            return name
    return None
