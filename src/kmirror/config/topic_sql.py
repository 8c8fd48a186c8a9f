"""Names of copies as Spark SQL over the column `topic`: what the replication policy makes of it."""

from __future__ import annotations

from kmirror.policy.replication import HEARTBEATS_TOPIC, ReplicationPolicy
from kmirror.policy.routed import RoutedPolicy
from kmirror.policy.routes import NameCondition, Route


def first_copy_sql(policy: ReplicationPolicy, source: str) -> str:
    """
    Return the name of a topic's first copy.

    Args:
        policy: The policy, which merges no topics.
        source: The source's alias.
    """
    if isinstance(policy, RoutedPolicy):
        first = name = first_copy_sql(policy.base, source)
        for route in policy.routes:
            name = _route_sql(name, route)
        # The separator and the word; see `is_heartbeats_topic`.
        end = literal(policy.base.format_remote_topic("", HEARTBEATS_TOPIC))
        is_heartbeats = f"topic = {literal(HEARTBEATS_TOPIC)} or endswith(topic, {end})"
        return f"case when {is_heartbeats} then {first} else {name} end"
    heartbeats = policy.format_remote_topic(source, "heartbeats")
    renamed = f"concat({literal(heartbeats.removesuffix('heartbeats'))}, topic)"
    if policy.names_carry_source:
        return renamed
    # Identity keeps names, except of heartbeats: see IdentityReplicationPolicy.
    return f"case when endswith(topic, 'heartbeats') then {renamed} else topic end"


def _route_sql(name: str, route: Route) -> str:
    """Return the name behind a route, as Java's `matches` and `replaceFirst` give it."""
    pattern = literal(route.pattern)
    condition = _whole_match_sql("n", route.pattern)
    if route.only is not None:
        condition = f"{condition_sql('n', route.only)} and {condition}"
    begin = f"regexp_instr(n, {pattern})"
    new = ", ".join(
        literal(part) if isinstance(part, str) else f"regexp_extract(n, {pattern}, {part})"
        for part in (*route.parts, "")
    )
    end = f"{begin} + length(regexp_extract(n, {pattern}, 0))"
    renamed = f"concat(substring(n, 1, {begin} - 1), {new}, substring(n, {end}))"
    # The name is worked out once, however often it is asked for.
    return f"transform(array({name}), n -> case when {condition} then {renamed} else n end)[0]"


def condition_sql(name: str, condition: NameCondition) -> str:
    """Return whether a name is one that a route is for."""
    found = _whole_match_sql(name, condition.pattern)
    return f"(not {found})" if condition.negate else found


def _whole_match_sql(name: str, pattern: str) -> str:
    """Return whether all of a name matches, as Java's `matches` does."""
    whole = literal(rf"\A(?:{pattern})\z")
    return f"({name} rlike {whole})"


def literal(text: str) -> str:
    """Return a text as SQL."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
