"""Workers that share flows, without brokers and in no time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kmirror.runtime.group import (
    HANDOVER_S_MAX,
    REPEAT_INTERVAL_S,
    SILENCE_S_MAX,
    TAKE_BACK_S_MIN,
    Group,
)
from kmirror.runtime.offers import candidates
from kmirror.runtime.sharing import share
from kmirror.wire.worker_group import (
    Offer,
    Shares,
    SignOfLife,
    WorkerRecord,
    decode_worker_record,
    workers_topic,
)

FLOWS = ("A->B", "A->C", "B->A")


class Log:
    """The topic, and the workers that read it."""

    def __init__(self, *names: str) -> None:
        self.now_s = 0.0
        self.groups = {name: self._new(name) for name in names}
        self.held: dict[str, tuple[str, ...]] = {}

    def _new(self, name: str) -> Group:
        group = Group(name)
        group.listen(self.now_s)
        return group

    def join(self, name: str) -> None:
        self.groups[name] = self._new(name)

    def write(self, record: WorkerRecord) -> None:
        again = decode_worker_record(*record.encode())
        assert again == record
        for group in self.groups.values():
            group.take(again, self.now_s)

    def pass_s(self, seconds: float, *silent: str, flows: tuple[str, ...] = FLOWS) -> None:
        """Let all live and lead for so long, in steps, but for those that are silent."""
        until_s = self.now_s + seconds
        while self.now_s < until_s:
            self.now_s += 0.5
            for name, group in self.groups.items():
                if name in silent:
                    continue
                holds = self.held.get(name, ())
                sign = SignOfLife(
                    instance=name, worker_id=f"{name}:1", holds=holds, process=f"process-{name}"
                )
                self.write(sign)
                wanted = group.proposal(flows, self.now_s, int(self.now_s * 1000))
                if wanted is not None:
                    self.write(wanted)

    def mine(self) -> dict[str, frozenset[str]]:
        return {name: group.mine(self.now_s, {}) for name, group in self.groups.items()}


def test_flows_are_shared_evenly_once_all_have_listened() -> None:
    log = Log("1", "2")
    log.pass_s(SILENCE_S_MAX - 0.5)
    assert set().union(*log.mine().values()) == set()
    log.pass_s(2.0)
    mine = log.mine()
    assert mine["1"] | mine["2"] == set(FLOWS)
    assert not mine["1"] & mine["2"]
    assert {len(own) for own in mine.values()} == {1, 2}
    assert log.groups["1"].is_settled(log.now_s)


def test_who_is_silent_loses_its_flows_and_gets_some_back() -> None:
    """The oldest leads again when it is back; what it had is known to be lost."""
    log = Log("1", "2")
    log.pass_s(5.0)
    had = log.mine()["1"]
    log.held["1"] = tuple(had)
    log.pass_s(SILENCE_S_MAX + 1.0, "1")
    assert log.mine()["2"] == set(FLOWS), "nobody waits for one that is gone"
    assert log.groups["1"].lost >= had
    del log.held["1"]
    log.pass_s(2.0)
    assert {len(own) for own in log.mine().values()} == {1, 2}


def test_a_flow_goes_over_when_it_was_let_go() -> None:
    """Or after a while, if it never is."""
    log = Log("1")
    log.pass_s(5.0)
    log.held["1"] = FLOWS
    log.join("2")
    log.pass_s(4.0)
    assert log.mine()["2"] == set()
    moved = set(FLOWS) - log.mine()["1"]
    assert moved
    assert log.groups["2"].holds(moved, log.now_s)
    parts = {each: ("X->Y", each) for each in moved}
    assert log.groups["2"].mine(log.now_s, parts) == set()
    log.held["1"] = tuple(set(FLOWS) - moved)
    log.pass_s(0.5)
    assert log.mine()["2"] == moved
    log.held["1"] = FLOWS
    log.pass_s(HANDOVER_S_MAX)
    assert log.mine()["2"] == moved


def test_who_comes_back_takes_nothing_by_saying_that_it_has_it() -> None:
    """A frozen worker does not know yet what it has lost: what runs elsewhere goes on there."""
    log = Log("1", "2")
    log.pass_s(5.0)
    had = log.mine()["1"]
    log.held["1"] = tuple(had)
    log.pass_s(SILENCE_S_MAX + 1.0, "1")
    log.write(SignOfLife(instance="1", worker_id="1:1", holds=tuple(had)))
    two = log.groups["2"]
    assert two.mine(log.now_s, {}, FLOWS) == set(FLOWS)
    assert not two.mine(log.now_s, {}) & had


def test_what_a_late_claim_of_the_group_has_fenced_is_taken_back_when_it_lies() -> None:
    """And only then: what others claim is theirs, and nodes do not fight back."""
    log = Log("1", "2")
    log.pass_s(5.0)
    two = log.groups["2"]
    (flow, *_) = log.mine()["2"]

    def asked_for(seconds: float, by: str) -> frozenset[str]:
        found = two.may_take_back({flow: by}, log.now_s)
        log.pass_s(seconds)
        return found | two.may_take_back({flow: by}, log.now_s)

    log.held["1"] = (flow,)
    log.pass_s(0.5)
    assert not asked_for(TAKE_BACK_S_MIN + 1.0, "process-1"), "it has not let go"
    log.held["1"] = ()
    log.pass_s(0.5)
    assert not asked_for(TAKE_BACK_S_MIN - 1.0, "process-1"), "perhaps it begins"
    assert not asked_for(TAKE_BACK_S_MIN + 1.0, "process-9"), "it is none of these"
    assert asked_for(TAKE_BACK_S_MIN, "process-1") == {flow}
    assert asked_for(TAKE_BACK_S_MIN, "process-2") == {flow}, "a claim of its own may come late"
    assert not two.may_take_back({}, log.now_s)


def test_who_hears_not_even_itself_takes_nothing_back() -> None:
    """It was frozen, and its news are old: the flow runs elsewhere."""
    log = Log("1", "2")
    log.pass_s(5.0)
    two = log.groups["2"]
    fenced = {"A->B": "process-1"}
    log.now_s += SILENCE_S_MAX
    assert not two.may_take_back(fenced, log.now_s)
    two.forgive(log.now_s)
    assert not two.may_take_back(fenced, log.now_s)
    log.now_s += TAKE_BACK_S_MIN
    assert not two.may_take_back(fenced, log.now_s)


def test_who_leaves_is_not_waited_for() -> None:
    """It copies until another one has claimed, so that nothing stands still meanwhile."""
    log = Log("1", "2")
    log.pass_s(5.0)
    log.held["1"] = tuple(log.mine()["1"])
    sign = SignOfLife(instance="1", worker_id="1:1", holds=log.held["1"], leaves=True)
    for _ in range(2):
        log.write(sign)
        log.pass_s(0.5, "1")
    assert log.mine()["2"] == set(FLOWS)
    assert log.groups["2"].holds(log.held["1"], log.now_s)
    assert log.mine()["1"] == set()


def test_who_was_away_judges_nobody_at_once() -> None:
    log = Log("1", "2")
    log.pass_s(5.0)
    log.now_s += 60.0
    group = log.groups["1"]
    assert group.members(log.now_s) == ()
    assert not group.is_member(log.now_s)
    group.forgive(log.now_s)
    assert group.members(log.now_s) == ("1", "2")
    assert group.proposal(FLOWS[:1], log.now_s, 10**9) is None


def test_who_reads_all_again_judges_nobody_and_begins_nothing() -> None:
    """Signs of life are old then, and who has let go of what is not known."""
    log = Log("1", "2")
    log.pass_s(5.0)
    two = log.groups["2"]
    number, mine = two.number, log.mine()["2"]
    log.held["1"] = FLOWS
    two.deafen()
    moved = Shares(number=number + 1, by="1", members=("2",), flows=dict.fromkeys(FLOWS, "2"))
    log.write(moved)
    log.write(SignOfLife(instance="0", worker_id="0:1"))
    assert two.members(log.now_s) == ()
    assert two.proposal(FLOWS, log.now_s, 10**9) is None
    assert two.mine(log.now_s, {}, mine) == mine
    two.listen(log.now_s)
    log.pass_s(0.5)
    assert "0" not in two.members(log.now_s)
    assert two.is_member(log.now_s)


def test_what_is_proposed_is_waited_for() -> None:
    """It is on its way; if it never comes, it is proposed again."""
    group = Group("1")
    group.listen(0.0)
    group.take(SignOfLife(instance="1", worker_id="1:1"), 2.0)
    first = group.proposal(FLOWS, 2.0, 1000)
    assert first is not None
    assert group.proposal(FLOWS, 2.1, 1100) is None
    group.take(SignOfLife(instance="1", worker_id="1:1"), 3.0)
    again = group.proposal(FLOWS, 3.1, 2100)
    assert again is not None
    group.take(again, 3.2)
    assert group.proposal(FLOWS, 3.2, 2200) is None
    assert group.proposal(FLOWS[:1], 3.2, 2200) is not None


def test_of_two_that_lead_the_first_word_counts() -> None:
    one, other = Group("1"), Group("2")
    first = Shares(number=5, by="1", members=("1",), flows={"A->B": "1"})
    second = Shares(number=5, by="2", members=("2",), flows={"A->B": "2"})
    for group in (one, other):
        for record in (first, second):
            group.take(record, 1.0)
    assert one.mine(1.0, {}) == {"A->B"}
    assert other.mine(1.0, {}) == frozenset()


def test_shares_are_said_again_for_those_who_come_later() -> None:
    log = Log("1")
    log.pass_s(5.0)
    late = Group("2")
    assert not late.has_shares
    log.groups["late"] = late
    log.pass_s(REPEAT_INTERVAL_S + 1.0, "late")
    assert late.has_shares
    assert late.owners(log.now_s) == {}, "it has not listened, and knows nobody"
    assert log.groups["1"].owners(log.now_s) == dict.fromkeys(FLOWS, "1:1")


def test_a_group_may_be_called_anything() -> None:
    assert workers_topic("connect-cluster") == "__kmirror-workers-connect-cluster"
    assert workers_topic("a b") == "__kmirror-workers-a_20_b"


def test_what_others_write_there_is_passed_over() -> None:
    assert decode_worker_record(None, b"{}") is None
    assert decode_worker_record(b'["worker", 1]', b"{}") is None
    assert decode_worker_record(b'["shares"]', b"nonsense") is None
    assert decode_worker_record(b'["offer", "1"]', b'{"file": "f"}') is None


OLD, NEW = ("old", 100), ("new", 200)


def offered(log: Log, name: str, file: tuple[str, int], flows: tuple[str, ...] = FLOWS) -> None:
    """Let a node say what it has; nothing else is to be done."""
    digest, written_ms = file
    log.write(Offer(instance=name, file=digest, written_ms=written_ms, flows=flows))


def test_a_flow_that_begins_has_the_newest_file_and_never_goes_back() -> None:
    """Three nodes are started again with another file, one after the other."""
    log = Log("1", "2", "3")
    for name in log.groups:
        offered(log, name, OLD)
    log.pass_s(5.0, flows=())
    files = dict.fromkeys("123", OLD) | dict.fromkeys("456", NEW)
    newest: set[str] = set()
    for gone, fresh in (("1", "4"), ("2", "5"), ("3", "6")):
        del log.groups[gone]
        log.pass_s(SILENCE_S_MAX + 1.0, flows=())
        for new in (fresh, ""):
            if new:
                log.join(new)
                for earlier, group in list(log.groups.items()):
                    group.take(Offer(instance=new, file="new", written_ms=200, flows=FLOWS), 0.0)
                    offered(log, earlier, files[earlier])
            log.pass_s(5.0, flows=())
            mine = log.mine()
            assert set().union(*mine.values()) == set(FLOWS)
            now = {flow for name, own in mine.items() for flow in own if files[name] is NEW}
            assert now >= newest, "one went back"
            newest = now
    assert newest == set(FLOWS)
    assert {len(own) for own in log.mine().values()} == {1}


def test_nobody_gets_what_it_has_no_settings_for() -> None:
    log = Log("1", "2")
    offered(log, "1", OLD, FLOWS[:1])
    offered(log, "2", ("other", 50), FLOWS[1:])
    log.pass_s(5.0, flows=())
    assert log.mine() == {"1": set(FLOWS[:1]), "2": set(FLOWS[1:])}


def test_what_runs_goes_on_with_older_settings_until_it_has_to_move() -> None:
    log = Log("1")
    offered(log, "1", OLD)
    log.pass_s(5.0, flows=())
    log.join("2")
    offered(log, "1", OLD)
    offered(log, "2", NEW, FLOWS[:1])
    log.pass_s(5.0, flows=())
    assert log.mine() == {"1": set(FLOWS[1:]), "2": set(FLOWS[:1])}, "one moves, for evenness"


def test_of_equal_files_the_one_written_last_counts_for_all() -> None:
    """A file that was put back is the newest, also for those who still have it."""
    offers = {
        "1": Offer(instance="1", file="old", written_ms=100, flows=FLOWS),
        "2": Offer(instance="2", file="new", written_ms=200, flows=FLOWS),
        "3": Offer(instance="3", file="old", written_ms=300, flows=FLOWS),
    }
    assert candidates((), ("1", "2"), offers) == dict.fromkeys(FLOWS, ("2",))
    assert candidates((), ("1", "2", "3"), offers) == dict.fromkeys(FLOWS, ("1", "3"))
    assert candidates(FLOWS, ("8", "9"), offers) == dict.fromkeys(FLOWS, ("8", "9"))


@given(
    flows=st.sets(st.text(min_size=1, max_size=3), max_size=12),
    members=st.sets(st.sampled_from("abcdef"), max_size=5),
    data=st.data(),
)
def test_sharing_is_even_and_moves_no_more_than_it_must(
    flows: set[str], members: set[str], data: st.DataObject
) -> None:
    before = {flow: data.draw(st.sampled_from("abcdefg")) for flow in flows}
    candidates = dict.fromkeys(flows, sorted(members))
    kept = {flow: member for flow, member in before.items() if member in members}
    found = share(candidates, kept)
    if not members:
        assert found == {}
        return
    assert found.keys() == flows
    counts = [list(found.values()).count(member) for member in members]
    assert max(counts) - min(counts) <= 1
    assert share(candidates, found) == found
    loads = [list(kept.values()).count(member) for member in members]
    least = len(flows) // len(members)
    must = sum(max(0, load - least - 1) for load in loads)
    assert must <= sum(found[flow] != member for flow, member in kept.items())
    if max(loads) <= least:
        assert all(found[flow] == member for flow, member in kept.items())


@pytest.mark.parametrize(("gone", "moved"), [("b", 2), ("", 0)])
def test_only_what_has_lost_its_worker_moves(gone: str, moved: int) -> None:
    before = {"1": "a", "2": "a", "3": "b", "4": "b"}
    members = [each for each in "ab" if each != gone]
    kept = {flow: member for flow, member in before.items() if member != gone}
    after = share(dict.fromkeys(before, members), kept)
    assert sum(after[flow] != before[flow] for flow in before) == moved
