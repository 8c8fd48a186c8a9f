"""What MirrorMaker 2's connectors, and Connect for source connectors, check of several settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kmirror.config.connector import Kind
from kmirror.config.worker import WorkerConfig
from kmirror.connect.plugins import KAFKA_VERSION

_EXACTLY_ONCE = "exactly.once.support"
_BOUNDARY = "transaction.boundary"
_SYNCS = "emit.offset-syncs.enabled"
_CHECKPOINTS = "emit.checkpoints.enabled"
_ISOLATIONS = ("source.consumer.isolation.level", "consumer.isolation.level")

Found = tuple[str, tuple[str, ...], bool]
Texts = Mapping[str, str | None]


def connector_errors(kind: Kind, config: Texts, worker: WorkerConfig) -> Iterator[Found]:
    """
    Check what one setting alone does not tell.

    Args:
        kind: Which connector.
        config: Its settings, references replaced.
        worker: The worker's file.

    Yields:
        A setting, what is wrong with it, and whether that takes the place of its value and of what
        was wrong before.
    """
    yield from _version(kind, config)
    yield from _negated(config)
    committed = kind is Kind.SOURCE and _reads_committed(config)
    yield from _exactly_once(kind, config, worker, committed=committed)
    if (config.get(_BOUNDARY) or "").strip().upper() == "CONNECTOR" and not worker.standalone:
        yield (
            _BOUNDARY,
            (
                "The connector does not support connector-defined transaction boundaries with the "
                "given configuration. Please reconfigure it to use a different transaction "
                "boundary definition.",
            ),
            False,
        )
    if kind is Kind.SOURCE:
        yield from _offset_syncs(config)
    elif kind is Kind.CHECKPOINT and config.get("enabled") != "false":
        if config.get(_CHECKPOINTS) == "false":
            words = f"MirrorCheckpointConnector can't run with {_CHECKPOINTS} set to false"
            yield _CHECKPOINTS, (words,), False
        if config.get(_SYNCS) == "false":
            yield _SYNCS, ("MirrorCheckpointConnector can't run without offset syncs",), False


def _version(kind: Kind, config: Texts) -> Iterator[Found]:
    """There is one version of each connector, so a range has to name it."""
    version = (config.get("connector.plugin.version") or "").strip()
    if version and KAFKA_VERSION not in version:
        wanted = version if version[0] in "[(" else f"[{version},{version}]"
        words = (
            f"Plugin {kind.class_name} not found that matches the version range {wanted}, "
            f"available versions: [{KAFKA_VERSION}]"
        )
        yield "connector.class", (words,), False
        yield "connector.plugin.version", (words,), False


def _negated(config: Texts) -> Iterator[Found]:
    """Connect refuses to negate a predicate that is not there."""
    for name in config:
        alias = name.removeprefix("transforms.").removesuffix(".negate")
        if name != f"transforms.{alias}.negate" or f"transforms.{alias}.predicate" in config:
            continue
        words = (
            f"Config '{name}' was provided but there is no config 'transforms.{alias}.predicate' "
            "defining a predicate to be negated."
        )
        if f"transforms.{alias}.type" in config:
            yield f"transforms.{alias}.type", (words,), False


def _exactly_once(
    kind: Kind, config: Texts, worker: WorkerConfig, *, committed: bool
) -> Iterator[Found]:
    text = config.get(_EXACTLY_ONCE) or ""
    if text.strip().upper() != "REQUIRED" or worker.standalone:
        return
    if kind is Kind.SOURCE and text == "required" and not committed:
        yield (
            _EXACTLY_ONCE,
            (
                "MirrorSourceConnector can only provide exactly-once guarantees when its source "
                "consumer is configured with isolation.level set to 'read_committed'; otherwise, "
                "records from aborted and uncommitted transactions will be replicated from the "
                "source cluster to the target cluster.",
            ),
            True,
        )
        return
    errors = []
    if worker.exactly_once_source_support.lower() != "enabled":
        errors.append("This worker does not have exactly-once source support enabled.")
    if kind is not Kind.SOURCE:
        errors.append(
            "The connector does not implement the API required for preflight validation of "
            "exactly-once source support. Please consult the documentation for the connector to "
            "determine whether it supports exactly-once semantics, and then consider reconfiguring "
            'the connector to use the value "requested" for this property (which will disable this '
            "preflight check and allow the connector to be created)."
        )
    elif not committed:
        errors.append(
            "The connector does not support exactly-once semantics with the provided configuration."
        )
    if errors:
        yield _EXACTLY_ONCE, tuple(errors), False


def _offset_syncs(config: Texts) -> Iterator[Found]:
    has_settings = any(name.startswith(("offset-syncs-", "offset-syncs.topic.")) for name in config)
    if config.get(_SYNCS) == "false" and has_settings:
        words = (
            f"MirrorSourceConnector can't setup offset-syncs feature while {_SYNCS} set to false"
        )
        yield _SYNCS, (words,), False


def _reads_committed(config: Texts) -> bool:
    text = next((config[name] for name in _ISOLATIONS if name in config), None)
    return text == "read_committed"
