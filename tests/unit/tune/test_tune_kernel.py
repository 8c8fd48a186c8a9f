"""The kernel's settings: what is read, and what links ask for."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from kmirror.inspect.kernel_files import read_kernel
from kmirror.model import Flow
from kmirror.tune.kernel import KERNEL_NAMES, KernelAdvice, KernelSettings, advise_kernel
from kmirror.tune.link import Link, Measured
from tests.support.tuned import about, advice_for

MIB = 1024 * 1024
FLOW = Flow("A", "B")
USUAL = KernelSettings(
    values={
        "net.core.rmem_default": (212_992,),
        "net.core.rmem_max": (212_992,),
        "net.core.wmem_default": (65_536,),
        "net.core.wmem_max": (212_992,),
        "net.core.optmem_max": (20_480,),
        "net.ipv4.tcp_rmem": (4096, 131_072, 6 * MIB),
        "net.ipv4.tcp_wmem": (4096, 16_384, 4 * MIB),
        "net.ipv4.tcp_window_scaling": (0,),
        "net.ipv4.tcp_slow_start_after_idle": (1,),
    }
)
# 100 ms and 1 Gbit/s hold 12.5 MB; twice that is 25 MB, and the next power of two 32 MiB.
LONG = Link(rtt_ms=100, bytes_per_s=125e6)
NEAR = Link(rtt_ms=1, bytes_per_s=125e6)


def wanted(measured: Measured, kernel: KernelSettings = USUAL) -> dict[str, str]:
    """Give what each setting should be, for those that should change."""
    return {
        each.name: each.wanted for each in advise_kernel(kernel, {FLOW: measured}) if each.changes
    }


def test_two_long_links() -> None:
    """Each has twice what its link holds; what does not depend on the link has its own reason."""
    assert wanted(Measured(source=LONG, target=LONG)) == {
        "net.core.rmem_max": str(32 * MIB),
        "net.core.wmem_default": "131072",
        "net.core.wmem_max": str(32 * MIB),
        "net.core.optmem_max": "65536",
        "net.ipv4.tcp_rmem": f"4096 131072 {32 * MIB}",
        "net.ipv4.tcp_wmem": f"4096 65536 {32 * MIB}",
        "net.ipv4.tcp_window_scaling": "1",
        "net.ipv4.tcp_slow_start_after_idle": "0",
    }


def test_only_the_side_that_is_far_away() -> None:
    """Beside the target a machine receives over the long link, and sends nearby."""
    found = wanted(Measured(source=LONG, target=NEAR))
    assert "net.ipv4.tcp_rmem" in found
    assert "net.ipv4.tcp_wmem" not in found
    assert "net.ipv4.tcp_slow_start_after_idle" not in found


@pytest.mark.parametrize(
    "measured", [Measured(source=NEAR, target=NEAR), Measured(), Measured(source=Link(rtt_ms=1))]
)
def test_without_a_long_link_nothing_changes(measured: Measured) -> None:
    """But for what would be wrong with any link."""
    assert wanted(measured) == {"net.ipv4.tcp_window_scaling": "1"}


def test_a_rate_that_is_unknown() -> None:
    """What the link holds is then unknown, too, and the reason says how to tell it."""
    rows = advise_kernel(USUAL, {FLOW: Measured(source=Link(rtt_ms=100))})
    (row,) = (each for each in rows if each.name == "net.ipv4.tcp_rmem")
    assert not row.changes
    assert "--bandwidth" in row.why


def test_what_is_more_already_stays() -> None:
    """Nothing is ever made smaller."""
    large = KernelSettings(
        values={**USUAL.values, "net.core.rmem_max": (1 << 30,), "net.ipv4.tcp_rmem": (1, 2, 3)}
    )
    found = wanted(Measured(source=LONG, target=LONG), large)
    assert "net.core.rmem_max" not in found
    assert found["net.ipv4.tcp_rmem"] == f"1 131072 {32 * MIB}"


def test_every_setting_has_a_row() -> None:
    """Also those that a container does not see."""
    rows = advise_kernel(KernelSettings(values={}), {FLOW: Measured(source=LONG)})
    assert [each.name for each in rows] == list(KERNEL_NAMES)
    assert not any(each.changes for each in rows)
    assert rows[0] == KernelAdvice(
        name="net.core.rmem_default", today="", wanted="", why="this machine does not say"
    )


def test_files_are_read(tmp_path: Path) -> None:
    """One file for each setting; what is no number, or is not there, is unknown."""
    for name, text in {
        "net/ipv4/tcp_rmem": "4096\t131072\t6291456\n",
        "net/core/rmem_max": "212992\n",
        "net/core/wmem_max": "what\n",
    }.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="ascii")
    assert read_kernel(tmp_path).values == {
        "net.ipv4.tcp_rmem": (4096, 131_072, 6_291_456),
        "net.core.rmem_max": (212_992,),
    }
    assert read_kernel(tmp_path / "nowhere").values == {}


def test_a_known_kernel_replaces_what_is_usual() -> None:
    """The rules that guess it are silent then."""
    measured = Measured(source=LONG, target=LONG)
    guessed = [line.key for each in advice_for(measured=measured).findings for line in each.lines]
    assert "sysctl net.ipv4.tcp_rmem" in guessed


def test_the_line_for_sysctl_conf() -> None:
    """As it is written there."""
    row = KernelAdvice(name="net.ipv4.tcp_rmem", today="1 2 3", wanted="1 2 4", why="")
    assert row.line == "net.ipv4.tcp_rmem = 1 2 4"
    assert row.changes


def test_memory_of_the_producer() -> None:
    """A batch of each partition, or what keeps the link busy, whatever is more."""
    more = "B.producer.buffer.memory = 33554432\nB.producer.batch.size = 1048576\n"
    (found,) = about(advice_for(more, Measured(partitions=100)), "buffer.memory")
    assert "100 partitions with a batch of 1 MiB each need 100 MiB" in found.says
    assert [each.value for each in found.instead] == [str(128 * MIB)]
    (found,) = about(advice_for(more, Measured(target=LONG)), "buffer.memory")
    assert "busy with 47.68 MiB" in found.says
    assert about(advice_for(more, Measured(partitions=3)), "buffer.memory") == []


def test_beside_neither_cluster() -> None:
    """Only if it is known where the mirror runs: --rtt alone does not say."""
    far = Measured(source=Link(rtt_ms=30), target=Link(rtt_ms=40))
    says = [each.says for each in advice_for(measured=far).findings]
    assert any("beside neither cluster" in each for each in says)
    says = [each.says for each in advice_for(measured=replace(far, placed=False)).findings]
    assert not any("beside neither cluster" in each for each in says)
