"""
A connector's settings, checked as a Connect worker checks them (`AbstractHerder`).

Each setting has what Kafka's own checks say of it. What only kmirror refuses is said behind that,
so that a form shows it at its field.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from kmirror.config.connector import (
    NAMES_SETTINGS,
    NO_REFERENCE,
    OVERRIDE_PREFIX,
    Kind,
    kind_of,
)
from kmirror.config.connectors import refusal
from kmirror.config.hiding import without_wholes
from kmirror.config.keys.table import is_secret_name
from kmirror.config.references import ReferenceProblem
from kmirror.config.secret import HIDDEN
from kmirror.config.worker import WorkerConfig
from kmirror.connect.brought import Brought
from kmirror.connect.definitions import Setting, producer_settings, validated_settings
from kmirror.connect.model import CheckedConfig, ConfigDefinition, ConfigValue
from kmirror.connect.plugin_checks import converter_settings, known_class, plugin_sections
from kmirror.connect.source_checks import connector_errors
from kmirror.connect.value_rules import Value, broken, read, shown
from kmirror.errors import BadRequest, Problem

_SUFFIX = "Connector"
_TOPIC_CREATION = "topic.creation."
_ADMIN_OVERRIDE = "admin.override."
_VERSIONS = tuple(f"{part}.converter.plugin.version" for part in ("key", "value", "header"))

Config = Mapping[str, str | None]


def validate(
    plugin: str,
    config: Config,
    worker: WorkerConfig,
    others: Mapping[str, Mapping[str, str]] | None = None,
) -> CheckedConfig:
    """
    Check a connector's settings.

    Args:
        plugin: The connector's class as the request names it.
        config: The settings; `None` for null.
        worker: The worker's file.
        others: The connectors that are there, by name; with them, what excludes each other is said.

    Raises:
        BadRequest: They are no connector's of MirrorMaker 2, or another one's than *plugin*.
    """
    class_name = config.get("connector.class")
    if class_name is not None and not _normal(class_name).endswith(_normal(plugin)):
        raise BadRequest(
            f"Included connector type {class_name} does not match request type {plugin}"
        )
    if class_name is None:
        raise BadRequest("Connector config contains no connector type")
    kind = kind_of(class_name)
    if kind is None:
        known = ", ".join(each.class_name for each in sorted(Kind))
        raise BadRequest(
            f"Failed to find any class that implements Connector and which name matches "
            f"{class_name}, available connectors are: {known}"
        )
    return _Check(kind, config, worker).run(class_name, others or {})


def errors_of(checked: CheckedConfig) -> tuple[str, ...]:
    """Return everything that is wrong, as Connect lists it where a connector is refused."""
    return tuple(error for _, value in checked.configs for error in value.errors)


def _normal(name: str) -> str:
    return name.removesuffix(_SUFFIX) if len(name) > len(_SUFFIX) else name


class _Check:
    """One check."""

    def __init__(self, kind: Kind, config: Config, worker: WorkerConfig) -> None:
        self._kind = kind
        self._worker = worker
        self._config = config
        self._unresolved: dict[str, str] = {}
        self._brought = Brought()
        self._resolved = {
            name: None if text is None else self._resolve(name, text)
            for name, text in config.items()
        }

    def run(self, class_name: str, others: Mapping[str, Mapping[str, str]]) -> CheckedConfig:
        settings, groups = self._settings()
        found = {each.definition.name: (each.definition, self._value(each)) for each in settings}
        stray: list[ConfigValue] = []
        for name, errors, replaces in connector_errors(self._kind, self._resolved, self._worker):
            if name not in found:
                stray.append(ConfigValue(name=name, value=None, errors=errors))
                continue
            definition, value = found[name]
            if replaces:
                value = replace(value, value=None, errors=())
            if not value.errors:
                found[name] = definition, replace(value, errors=errors)
        overrides = dict(self._overrides())
        stray += self._refusals(found, overrides, others)
        nothing: ConfigDefinition | None = None
        return CheckedConfig(
            name=class_name,
            groups=groups,
            configs=(
                *((nothing, replace(self._clean(each), name=self._name(each))) for each in stray),
                *((definition, self._clean(value)) for definition, value in found.values()),
                *((definition, self._clean(value)) for definition, value in overrides.values()),
            ),
        )

    def _settings(self) -> tuple[list[Setting], tuple[str, ...]]:
        """Return all settings in Connect's order, and the groups that they are in."""
        sections = plugin_sections(self._resolved)
        settings: list[Setting] = []
        for each in validated_settings(self._kind):
            # What belongs to transforms stands behind what any source connector has.
            if each.definition.name == "enabled":
                settings += [one for section in sections for one in section]
            settings.append(each)
        settings += converter_settings(self._resolved)
        groups = dict.fromkeys(each.definition.group for each in settings)
        return settings, tuple(group for group in groups if group is not None)

    def _resolve(self, name: str, text: str) -> str | None:
        try:
            resolved = self._worker.references.resolve(text)
        except ReferenceProblem as problem:
            self._unresolved[name] = str(problem)
            return text
        self._brought.add(name, resolved)
        if resolved.brought and name in NAMES_SETTINGS:
            self._unresolved[name] = NO_REFERENCE
            return None
        return resolved.text

    def _clean(self, value: ConfigValue) -> ConfigValue:
        """Return a value whose errors show nothing that a reference has brought."""
        errors = tuple(self._brought.hidden(each, value.name) for each in value.errors)
        return replace(value, errors=errors)

    def _name(self, value: ConfigValue) -> str:
        """Return the name of a setting that is in no table: an alias may be part of it."""
        return value.name if value.name in self._config else self._brought.hidden(value.name)

    def _value(self, setting: Setting) -> ConfigValue:
        definition = setting.definition
        name, type_ = definition.name, definition.type
        if name in self._unresolved:
            words = f"{name}: {self._unresolved[name]}"
            return ConfigValue(name=name, value=self._config.get(name), errors=(words,))
        errors: tuple[str, ...] = ()
        value: Value = None
        text = self._resolved.get(name, setting.implied or definition.default_value)
        if text is None and name not in self._resolved and self._is_required(definition):
            errors = (f'Missing required configuration "{name}" which has no default value.',)
        elif text is not None:
            found = read(name, type_, text, known_class(name, self._worker))
            value, errors = found.value, found.errors
            if self._is_referred(name):
                self._brought.add_read(shown(value, type_))
        errors += broken(setting.rule_name, value, setting.rule)
        return ConfigValue(
            name=name,
            value=self._shown(name, shown(value, type_)),
            recommended_values=setting.recommended,
            errors=tuple(self._masked(name, each) for each in errors),
            visible=name not in _VERSIONS or name.removesuffix(".plugin.version") in self._config,
        )

    def _is_required(self, definition: ConfigDefinition) -> bool:
        """Whether a setting has to be there; a driver's whole file names clusters elsewhere."""
        is_whole_file = self._kind is Kind.SOURCE and "clusters" in self._config
        return definition.required and not (
            is_whole_file and definition.name == "source.cluster.alias"
        )

    def _shown(self, name: str, text: str | None) -> str | None:
        """Return a value without what must not be seen: references stay as they were posted."""
        if text is None:
            return None
        if is_secret_name(name):
            return HIDDEN
        return self._config[name] if self._is_referred(name) else text

    def _masked(self, name: str, error: str) -> str:
        text = self._resolved.get(name)
        if text and is_secret_name(name):
            return without_wholes(error, (text, text.strip()))
        return error

    def _is_referred(self, name: str) -> bool:
        return name in self._config and self._resolved[name] != self._config[name]

    def _overrides(self) -> Iterator[tuple[str, tuple[ConfigDefinition | None, ConfigValue]]]:
        """Yield what the connector overrides of the producer, by name."""
        prefixes = [OVERRIDE_PREFIX]
        if any(name.startswith(_TOPIC_CREATION) for name in self._config):
            # Then Connect has an admin client for the connector, too.
            prefixes.append(_ADMIN_OVERRIDE)
        for name, text in self._resolved.items():
            if not name.startswith(tuple(prefixes)) or text is None:
                continue
            bare = name.partition(".override.")[2]
            why = self._worker.override_policy.refusal(bare)
            setting = producer_settings().get(bare)
            value: str | None = text
            errors: tuple[str, ...] = ()
            if setting is not None:
                type_ = setting.definition.type
                found = read(bare, type_, text, lambda _: True)
                value, errors = shown(found.value, type_), found.errors
                if self._is_referred(name):
                    self._brought.add_read(value)
            yield (
                name,
                (
                    None if setting is None else replace(setting.definition, name=name),
                    ConfigValue(
                        name=name,
                        value=self._shown(name, value),
                        errors=tuple(self._masked(name, each) for each in errors)
                        or (() if why is None else (why,)),
                    ),
                ),
            )

    def _refusals(
        self,
        found: dict[str, tuple[ConfigDefinition, ConfigValue]],
        overrides: dict[str, tuple[ConfigDefinition | None, ConfigValue]],
        others: Mapping[str, Mapping[str, str]],
    ) -> list[ConfigValue]:
        """Add what kmirror refuses to settings that are right for Kafka; give the others."""
        config = {name: text for name, text in self._config.items() if text is not None}
        wrong = {name for name, (_, value) in found.items() if value.errors}
        wrong |= {name for name, (_, value) in overrides.items() if value.errors}
        stray: list[ConfigValue] = []
        name = config.get("name", "")
        for problem in refusal(others, name, config, self._worker):
            if problem.key in wrong:
                continue
            words = _words(problem)
            if problem.key in found:
                definition, value = found[problem.key]
                found[problem.key] = definition, replace(value, errors=(*value.errors, words))
            elif problem.key in overrides:
                setting, value = overrides[problem.key]
                overrides[problem.key] = setting, replace(value, errors=(*value.errors, words))
            else:
                stray.append(ConfigValue(name=problem.key, value=problem.value, errors=(words,)))
        return stray


def _words(problem: Problem) -> str:
    if problem.value is None:
        return f"{problem.key}: {problem.expected}"
    return f"Invalid value {problem.value} for configuration {problem.key}: {problem.expected}"
