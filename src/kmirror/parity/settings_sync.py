"""Keeps the settings of copies equal to their topics', and tells what it changes before it does."""

from __future__ import annotations

from itertools import groupby

from kmirror.admin.base import ClusterAdmin
from kmirror.config.flows import FlowConfig
from kmirror.ends.topic_settings import SettingOutcome, apply_settings, survey_settings
from kmirror.events.emit import emit
from kmirror.events.topic_settings import TOPIC_SETTINGS_DRIFTED, TOPIC_SETTINGS_KEPT
from kmirror.parity.kept_settings import KeptSettings, kept_settings
from kmirror.plans.topic_settings import SettingChange, SettingPlan


class SettingsSync:
    """
    The settings of one flow's topics. What stays different is told once, not every time.

    Args:
        config: The flow.
        source, target: Control planes.
    """

    def __init__(self, config: FlowConfig, source: ClusterAdmin, target: ClusterAdmin) -> None:
        self._config = config
        self._source = source
        self._target = target
        # What could not be changed the last time, and what was told of it.
        self._refused: frozenset[SettingChange] = frozenset()
        self._told: frozenset[KeptSettings] = frozenset()

    def sync(self) -> SettingOutcome:
        """
        Compare, tell what differs, and change it.

        Raises:
            ClusterError: A cluster did not answer.
        """
        survey = survey_settings(
            self._config,
            self._source,
            self._target,
            source_topics=self._source.topics(),
            target_topics=self._target.topics(),
        )
        self._tell_drift(survey.plan)
        outcome = apply_settings(self._target, survey.plan)
        self._refused = frozenset(survey.plan.changes) - frozenset(outcome.changed)
        self._tell_kept(kept_settings(survey, outcome.failed))
        for failure in outcome.failed:
            if failure.error.retriable:
                raise failure.error
        return outcome

    def _tell_drift(self, plan: SettingPlan) -> None:
        drifted = [change for change in plan.changes if change not in self._refused]
        for topic, group in groupby(drifted, key=lambda change: change.topic):
            changes = list(group)
            emit(
                TOPIC_SETTINGS_DRIFTED,
                flow=self._config.flow,
                topic=topic,
                settings=[change.name for change in changes],
                reason="; ".join(change.words for change in changes),
            )

    def _tell_kept(self, kept: tuple[KeptSettings, ...]) -> None:
        """Tell what is new of it: the same stays true for hours, and what comes back is new."""
        for each in kept:
            if each not in self._told:
                emit(
                    TOPIC_SETTINGS_KEPT,
                    flow=self._config.flow,
                    topic=each.topics[0],
                    topic_count=len(each.topics),
                    settings=each.settings,
                    reason=str(each),
                )
        self._told = frozenset(kept)
