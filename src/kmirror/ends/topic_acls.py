"""ACLs: reads both clusters, plans, and applies the plan to the target."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from kmirror.admin.base import ClusterAdmin
from kmirror.config.flows import FlowConfig
from kmirror.ends.created_acls import AclMemory
from kmirror.errors import ClusterError, MirrorError, NotAuthorized
from kmirror.plans.acl_binding import AclBinding
from kmirror.plans.exact_acls import ExactRules, KnownAcls, plan_exact_acls
from kmirror.plans.snapshot import settings_of
from kmirror.plans.topic_acls import AclPlan, GoneAcl, NewAcl, plan_topic_acls

_AUTHORIZER = "authorizer.class.name"


@dataclass(frozen=True, slots=True, kw_only=True)
class AclFailure:
    """An ACL that the target did not create, or not delete, and why."""

    acl: AclBinding
    error: MirrorError

    def __str__(self) -> str:
        return f"{self.acl}: {self.error}"


@dataclass(frozen=True, slots=True, kw_only=True)
class AclSurvey:
    """
    A plan, and why it is none.

    Args:
        plan: How ACLs on the target would change.
        obstacle: Why nothing is known of it, or nothing can be done: a right is missing, or the
            target has no authorizer.
        is_asked: The file itself asks for ACLs, so that an obstacle is a failure.
    """

    plan: AclPlan = field(default_factory=AclPlan)
    obstacle: ClusterError | None = None
    is_asked: bool = False

    @property
    def note(self) -> ClusterError | None:
        """An obstacle that only has to be known."""
        return None if self.is_asked else self.obstacle

    @property
    def failure(self) -> ClusterError | None:
        """An obstacle to what the file asks for."""
        return self.obstacle if self.is_asked else None


@dataclass(frozen=True, slots=True, kw_only=True)
class AclOutcome:
    """What became of an `AclPlan`."""

    created: tuple[NewAcl, ...] = ()
    removed: tuple[GoneAcl, ...] = ()
    failed: tuple[AclFailure, ...] = ()

    def __bool__(self) -> bool:
        """Tell whether anything was changed."""
        return bool(self.created) or bool(self.removed)


def survey_acls(
    config: FlowConfig,
    source: ClusterAdmin,
    target: ClusterAdmin,
    memory: AclMemory | None = None,
) -> AclSurvey:
    """
    Read the ACLs of both clusters, and plan how the target's would change.

    Nothing is changed. There is nothing to plan if the file switches it off.

    Args:
        config: The flow.
        source, target: Control planes.
        memory: Which ACLs the flow has created, where it may take some away.

    Raises:
        ClusterError: One of the clusters did not answer.
    """
    if config.acls.interval_s is None:
        return AclSurvey()
    survey = AclSurvey(is_asked=config.acls.is_asked)
    try:
        ours = source.acls().read()
        created = frozenset[AclBinding]() if memory is None else memory.read()
        if not ours and not created:
            return survey  # nothing to do: the target need not be asked
        theirs = target.acls().read()
        plan = (
            plan_topic_acls(ours, theirs, config.topic_selection())
            if memory is None
            else _exact(config, source, ours, theirs, created)
        )
    except NotAuthorized as error:
        return replace(survey, obstacle=error)
    if not plan:
        return replace(survey, plan=plan)
    return _possible(replace(survey, plan=plan), target)


def _exact(
    config: FlowConfig,
    source: ClusterAdmin,
    ours: Collection[AclBinding],
    theirs: Collection[AclBinding],
    created: Collection[AclBinding],
) -> AclPlan:
    known = KnownAcls(
        source=ours,
        target=theirs,
        created=created,
        topics=source.topics(),
        is_complete=bool(ours) or _has_authorizer(source),
    )
    rules = ExactRules(
        selection=config.topic_selection(),
        allows_group=config.consumers.group_filter().allows,
        principals=dict(config.acls.principals),
        allows_write=config.acls.allows_write,
    )
    return plan_exact_acls(known, rules)


def _has_authorizer(cluster: ClusterAdmin) -> bool:
    """
    Whether a cluster that has no ACL at all could have some.

    Brokers that were started without an authorizer, by mistake perhaps, have none to show.
    """
    try:
        settings = settings_of(cluster.broker_configs(cluster.describe().brokers[0].id))
    except NotAuthorized:
        return False
    return bool(settings.get(_AUTHORIZER))


def _possible(survey: AclSurvey, target: ClusterAdmin) -> AclSurvey:
    """Ask the target whether it would do what is planned."""
    try:
        target.acls().check_alter()
    except ClusterError as error:
        if error.retriable:
            raise
        # Nobody asked for it: then it is not wanted either.
        plan = survey.plan if survey.is_asked else AclPlan(left_out=survey.plan.left_out)
        return replace(survey, plan=plan, obstacle=error)
    return survey


def gone_acls(survey: AclSurvey) -> frozenset[AclBinding]:
    """Return what would be taken away, or forgotten, because the source has it no more."""
    return frozenset((*(each.binding for each in survey.plan.remove), *survey.plan.forget))


def gone_twice(survey: AclSurvey, before: Collection[AclBinding]) -> AclSurvey:
    """
    Leave what is gone for the first time.

    A broker that has lost its controllers answers with what it knew before.

    Args:
        survey: What is to be done.
        before: What was gone when the clusters were asked the last time.
    """
    plan = replace(
        survey.plan,
        remove=tuple(each for each in survey.plan.remove if each.binding in before),
        forget=tuple(each for each in survey.plan.forget if each in before),
    )
    return replace(survey, plan=plan)


def apply_acls(
    target: ClusterAdmin, survey: AclSurvey, memory: AclMemory | None = None
) -> AclOutcome:
    """
    Create ACLs, and delete those that are gone; one that the target refuses stops no other.

    Args:
        target: The target's control plane.
        survey: What to do.
        memory: See `survey_acls`.

    Raises:
        MirrorError: What is created could not be written down; then it is not created.
    """
    plan = survey.plan
    if survey.obstacle is not None or not (plan or plan.forget):
        return AclOutcome()
    wanted = [new.binding for new in plan.create]
    if memory is not None:
        # First of all: what is not known to be the flow's is never taken away again.
        memory.note(wanted, "creating")
    refused = target.acls().create(wanted)
    if memory is not None:
        memory.note((each for each in wanted if each not in refused), "created")
        # Somebody else may create it now. Of a lost answer nobody knows what came of it.
        memory.forget(acl for acl, error in refused.items() if not error.retriable)
    kept = _remove(target, plan, memory) if memory is not None else {}
    return AclOutcome(
        created=tuple(new for new in plan.create if new.binding not in refused),
        removed=tuple(gone for gone in plan.remove if gone.binding not in kept),
        failed=_failures({**refused, **kept}),
    )


def _remove(
    target: ClusterAdmin, plan: AclPlan, memory: AclMemory
) -> Mapping[AclBinding, MirrorError]:
    gone = [each.binding for each in plan.remove]
    kept = target.acls().delete(gone)
    memory.forget([*plan.forget, *(each for each in gone if each not in kept)])
    return kept


def _failures(refused: Mapping[AclBinding, MirrorError]) -> tuple[AclFailure, ...]:
    return tuple(AclFailure(acl=acl, error=error) for acl, error in sorted(refused.items()))
