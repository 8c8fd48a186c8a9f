"""What the kernel is told for given settings: pure texts and command lines, nothing is run."""

from __future__ import annotations

from kmirror_lab.net.settings import LOSS_MIN, OneWay

# The same name on both sides. `link` would be read as a word of `ip`'s own language.
DEVICE = "wan0"
MTU_BYTES = 1500
_TABLE = "inet kmirror_link"
# A bucket filled once in so many parts of a second never runs dry between two timer ticks.
_REFILLS_PER_S = 100
_BUCKET_BYTES_MIN = 4_096
# What waits where there is no rate; netem's own limit would be its delay times a few packets.
_QUEUE_PACKETS = 1_000
_DELAYED_PACKETS = 100_000
_ODDS = round(1 / LOSS_MIN)


def arriving_rules(way: OneWay) -> str:
    """
    Write the nftables rules of the side where packets of *way* arrive.

    They are lost there, not where they leave: a packet dropped by its own sender's firewall is
    reported to TCP as an error, and one that is lost behind the queue has used up its rate.
    """
    rules = []
    if way.cut or way.loss == 1:
        rules.append(f'iifname "{DEVICE}" counter drop')
    elif way.loss and way.burst > 1:
        every = round(way.burst / way.loss)
        kept = every - way.burst
        rules.append(f'iifname "{DEVICE}" numgen inc mod {every} >= {kept} counter drop')
    elif way.loss:
        odds = round(way.loss * _ODDS)
        rules.append(f'iifname "{DEVICE}" numgen random mod {_ODDS} < {odds} counter drop')
    lines = [
        # Declared first, so that deleting it succeeds; all of it is one transaction.
        f"table {_TABLE}",
        f"delete table {_TABLE}",
        f"table {_TABLE} {{",
        "  chain arriving {",
        "    type filter hook prerouting priority -300; policy accept;",
        *(f"    {rule}" for rule in rules),
        "  }",
        "}",
    ]
    return "".join(f"{line}\n" for line in lines)


def leaving_commands(way: OneWay, *, netem: bool) -> list[list[str]]:
    """
    Write the `tc` commands of the side where packets of *way* leave.

    Args:
        way: What shall happen.
        netem: Whether the kernel delays; otherwise the wire does, see `kmirror_lab.net.wire`.
    """
    qdisc = ["tc", "qdisc", "replace", "dev", DEVICE]
    commands = [[*qdisc, "root", "pfifo", "limit", str(_QUEUE_PACKETS)]]
    place = ["root"]
    if netem and way.delay_s:
        commands.append([*qdisc, "root", "handle", "1:", *_netem(way)])
        place = ["parent", "1:1"]
    if way.rate_bit_s:
        commands.append([*qdisc, *place, "handle", "2:", *_tbf(way)])
    return commands


def address_commands(own: str, peer: str, congestion: str) -> list[list[str]]:
    """
    Write the `ip` commands that give a side its address and its only route.

    The congestion control is the route's: a namespace may choose by itself only what the
    machine's owner allows to everybody.
    """
    return [
        ["ip", "link", "set", "dev", "lo", "up"],
        ["ip", "address", "add", f"{own}/32", "dev", DEVICE],
        # Packets that the kernel glued together would be lost, delayed and counted as one.
        ["ip", "link", "set", "dev", DEVICE, "mtu", str(MTU_BYTES), "gso_max_segs", "1", "up"],
        ["ip", "route", "add", f"{peer}/32", "dev", DEVICE, "src", own, "congctl", congestion],
    ]


def reset_command(peer: str) -> list[str]:
    """Write the command that ends a side's connections to *peer*, both ends told by RST."""
    return ["ss", "--kill", *connections_command(peer)[1:]]


def connections_command(peer: str) -> list[str]:
    """Write the command that lists a side's connections to *peer*."""
    return ["ss", "--no-header", "--tcp", "--numeric", "dst", peer]


def established(listing: str) -> frozenset[tuple[str, str]]:
    """Read the two ends of each connection that `ss` lists and that is open."""
    lines = (line.split() for line in listing.splitlines())
    return frozenset((words[3], words[4]) for words in lines if words[:1] == ["ESTAB"])


def _tbf(way: OneWay) -> list[str]:
    usual = max(_BUCKET_BYTES_MIN, way.rate_bit_s // 8 // _REFILLS_PER_S)
    bucket = way.bucket_bytes or usual
    queue_us = round(way.queue_s * 1e6)
    rate = f"{way.rate_bit_s}bit"
    return ["tbf", "rate", rate, "burst", f"{bucket}b", "latency", f"{queue_us}us"]


def _netem(way: OneWay) -> list[str]:
    words = ["netem", "limit", str(_DELAYED_PACKETS), "delay", f"{round(way.delay_s * 1e6)}us"]
    if way.jitter_s:
        words.append(f"{round(way.jitter_s * 1e6)}us")
    if way.reorder:
        words += ["reorder", f"{way.reorder * 100:g}%"]
    return words
