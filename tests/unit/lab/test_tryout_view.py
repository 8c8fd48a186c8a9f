"""What the laboratory's page counts, and what it says of that."""

from __future__ import annotations

from kmirror_lab.web.counter import Tally
from kmirror_lab.web.sender import Sending
from kmirror_lab.web.view import Arrived, Counted, GroupView, OwnedPartition

from kmirror.wire.load_stamps import LoadStamp


def _judged(sent: int, counted: Counted, *, is_sending: bool = False) -> tuple[str, str]:
    found = Arrived(cluster="B", topic="orders", counted=counted)
    judged = found.against(sent, is_sending=is_sending)
    return judged.tone, judged.text


def test_records_count_once_whatever_their_order() -> None:
    """What comes again is counted apart, and so is what belongs to another count."""
    tally = Tally("ours")
    for partition, number in ((0, 1), (0, 0), (1, 0), (0, 1), (0, 1)):
        tally.add(LoadStamp("ours", partition, number, 0))
    tally.add(LoadStamp("theirs", 0, 0, 0))
    tally.add(None)
    assert tally.counted == Counted(distinct=3, twice=2, others=2)


def test_what_arrived_is_judged_by_what_was_sent() -> None:
    """Equal is said when nothing is on its way any more, and never of nothing."""
    assert _judged(0, Counted()) == ("none", "nothing sent yet")
    assert _judged(5, Counted(distinct=5)) == ("ok", "equal")
    assert _judged(5, Counted()) == ("none", "nothing came yet")
    assert _judged(5, Counted(distinct=5), is_sending=True) == ("none", "sending")
    assert _judged(1500, Counted(distinct=5)) == ("none", "1,495 to come")
    assert _judged(5, Counted(distinct=5, twice=1)) == ("warn", "1 came twice")
    assert _judged(5, Counted(distinct=6)) == ("warn", "1 more than acknowledged")
    stuck = Arrived(cluster="B", topic="orders", counted=Counted(), trouble="no answer")
    assert stuck.against(0, is_sending=False).text == "no answer"


def _group(*partitions: OwnedPartition) -> GroupView:
    return GroupView(group="mirror", state="stable", partitions=partitions)


def test_owners_and_offsets() -> None:
    """All partitions need an owner, and an offset at the end unless they are empty."""
    owned = OwnedPartition(partition=0, log_size=7, offset=7, owner="mirror-0", member="m0")
    other = OwnedPartition(partition=1, log_size=9, offset=4, owner="mirror-1", member="m1")
    nobody = OwnedPartition(partition=2, log_size=3, offset=None)
    empty = OwnedPartition(partition=3, log_size=0, offset=None)
    assert _group(owned).owners.text == "1 of 1 have an owner: 1 member"
    assert _group(owned, other).owners.text == "2 of 2 have an owner: 2 members"
    assert _group(owned, nobody).owners.tone == "none"
    assert _group(owned, empty).progress.text == "log size = consumer offset"
    assert _group(owned, other, nobody).progress.text == "8 records behind"
    assert (owned.lag, other.lag, nobody.lag) == (0, 5, None)


def test_a_sending_says_how_it_goes() -> None:
    """While it goes on, when it is over, and why it ended."""
    sending = Sending(180, 0)
    sending.acknowledged = 1200
    assert sending.text == "sending one after the other for 180 s: 1,200 records so far"
    sending.ended.set()
    assert sending.text == "sent 1,200 records one after the other in 180 s"
    sending.stop.set()
    assert sending.text == "sent 1,200 records one after the other until it was stopped"
    sending.trouble = "orders: Broker: gone"
    assert sending.text == "ended after 1,200 records: orders: Broker: gone"
