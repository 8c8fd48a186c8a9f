"""Laws of topic names."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kmirror.model import Flow
from kmirror.policy.acl_names import acl_names
from kmirror.policy.filters import NameFilter
from kmirror.policy.regex import RegexProblem, compile_any
from kmirror.policy.replication import DefaultReplicationPolicy, IdentityReplicationPolicy
from kmirror.policy.selection import TopicSelection

NAME = "abcdefghijklmnopqrstuvwxyzABC0123456789-"
aliases = st.text(NAME, min_size=1, max_size=12)
topics = st.text(NAME + "._", min_size=1, max_size=40)
# What splits away as trailing empty parts does not come back: Java's own quirk.
whole_topics = topics.filter(lambda topic: topic.strip("._"))
separators = st.sampled_from([".", "_", "..", "._"])


@given(aliases, whole_topics, separators)
def test_upstream_undoes_format(alias: str, topic: str, separator: str) -> None:
    policy = DefaultReplicationPolicy(separator=separator)
    remote = policy.format_remote_topic(alias, topic)
    assert policy.topic_source(remote) == alias
    assert policy.upstream_topic(remote) == topic
    assert policy.original_topic(remote) == policy.original_topic(topic)


@given(aliases, topics)
def test_identity_keeps_all_names_but_heartbeats(alias: str, topic: str) -> None:
    policy = IdentityReplicationPolicy(source_alias=alias)
    kept = policy.format_remote_topic(alias, topic) == topic
    assert kept is not topic.endswith("heartbeats")


@given(aliases, aliases, whole_topics)
def test_a_copy_never_goes_back(a: str, b: str, topic: str) -> None:
    """What A->B has copied, B->A does not copy."""
    policy = DefaultReplicationPolicy()
    back = TopicSelection(flow=Flow(b, a), filter=NameFilter((".*",), ()), policy=policy)
    assert not back.selects(policy.format_remote_topic(a, topic))


@given(st.text("ab.*+?{}()[]|\\^$-&Q E,12dwpz<>:=!i#", max_size=30), topics)
def test_any_regex_is_run_or_refused(pattern: str, topic: str) -> None:
    """No other exception, and no warning of Python's, comes out of a user's regex."""
    try:
        compiled = compile_any((pattern,))
    except RegexProblem:
        return
    assert compiled is not None
    compiled.matches(topic)


@given(
    st.lists(st.text("ab.*+?()|[]-", min_size=1, max_size=12), min_size=1, max_size=3),
    st.text("ab-", min_size=1, max_size=8),
)
def test_acls_allow_what_regexes_match(items: list[str], name: str) -> None:
    """A dot in a name means itself; see `acl_names`. So names here have none."""
    # What a dot alone matches is no matter of ACLs.
    items = [item.replace(".", ".*").replace("**", "*") for item in items]
    try:
        chosen = NameFilter(tuple(items))
    except RegexProblem:
        return
    if chosen.allows(name):
        assert any(each.allows(name) for each in acl_names(items))
