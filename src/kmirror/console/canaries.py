"""What a console says of a flow's canary: by the file, and by what it has seen."""

from __future__ import annotations

from kmirror.api.canaries import CanarySeen, CanaryVerdict, CanaryView
from kmirror.config.flows import FlowConfig

_ONLY_DRIVER = (
    "only the flow's driver knows what its canary sees: set kmirror.console or "
    "kmirror.metrics.listen in its file"
)
_NOT_HERE = "it does not run: the flow is not driven here at the moment, or has come to its end"


def canary_view(
    config: FlowConfig, seen: CanarySeen | None, *, as_of_ms: int | None, has_driver: bool
) -> CanaryView:
    """
    Say how a flow's canary is.

    Args:
        config: The flow.
        seen: What it has seen; `None` when nobody here knows.
        as_of_ms: When that was, milliseconds since the epoch.
        has_driver: Whether who asks is the flow's driver.
    """
    verdict, words = _judged(config, seen, has_driver=has_driver)
    topic = config.canary_topic
    return CanaryView(
        flow=str(config.flow),
        verdict=verdict,
        words=words,
        is_on=config.canary.enabled,
        why_none="" if topic else _why_none(config),
        topic=topic,
        copy=config.topic_selection().remote_topic(topic) if topic else "",
        interval_s=config.canary.interval_s,
        overdue_s=config.canary.overdue_s,
        as_of_ms=None if seen is None else as_of_ms,
        seen=seen,
    )


def _why_none(config: FlowConfig) -> str:
    if config.policy.merges:
        return "several topics of its source become one: an alias topic"
    return "it drops or changes records, and what becomes of a canary's records is not known"


def _judged(
    config: FlowConfig, seen: CanarySeen | None, *, has_driver: bool
) -> tuple[CanaryVerdict, str]:
    if not config.canary_topic:
        return CanaryVerdict.OFF, f"the flow can have no canary: {_why_none(config)}"
    if seen is not None:
        return _seen(config, seen)
    if not config.canary.enabled:
        return CanaryVerdict.OFF, "the canary is switched off"
    return CanaryVerdict.UNKNOWN, _NOT_HERE if has_driver else _ONLY_DRIVER


def _seen(config: FlowConfig, seen: CanarySeen) -> tuple[CanaryVerdict, str]:
    """Say the worst that it has seen."""
    if seen.trouble:
        return CanaryVerdict.TROUBLE, seen.trouble
    wrong = {"never arrived": seen.lost, "arrived again": seen.duplicated}
    wrong |= {"arrived out of order": seen.reordered}
    words = "; ".join(f"{_records(count)} {what}" for what, count in wrong.items() if count)
    if words:
        return CanaryVerdict.LOST if seen.lost else CanaryVerdict.DISORDER, words
    if seen.overdue:
        late = f"on the way for more than {config.canary.overdue_s:g} s"
        verb = "is" if seen.overdue == 1 else "are"
        return CanaryVerdict.OVERDUE, f"{_records(seen.overdue)} {verb} {late}"
    if not seen.consumed:
        return CanaryVerdict.WAITING, "no record of the canary has arrived yet"
    return CanaryVerdict.OK, f"{_records(seen.consumed)} arrived, each once and in order"


def _records(count: int) -> str:
    return "1 record" if count == 1 else f"{count:,} records"
