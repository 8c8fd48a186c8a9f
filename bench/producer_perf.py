"""How fast Kafka's own producer fills the target: what a copy through a client reaches at most."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from kmirror_lab.process.jvm_command import kafka_command

from bench.arena import Arena
from bench.workload import Workload
from kmirror.errors import EnvironmentProblem

_TOPIC = "producer-perf"
_RUN_S_MAX = 300
_RATE = re.compile(r"([\d.]+) records/sec")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProducerPerfRun:
    """
    `kafka-producer-perf-test` wrote as many records as a workload has.

    Args:
        workload: The workload's topic.
        records_per_s: By its own account, the start of its JVM left out.
    """

    workload: str
    records_per_s: float


def run_producer_perf(arena: Arena, workload: Workload, folder: Path) -> ProducerPerfRun:
    """
    Write into the target with large batches, and nothing else.

    Args:
        arena: Where the target is.
        workload: How many records, of which size, in how many partitions.
        folder: For what the JVM leaves behind.

    Raises:
        EnvironmentProblem: It failed, or its words are not understood.
    """
    arena.clear(keep=workload.topic)
    arena.target.create_topic(_TOPIC, partitions=workload.partitions)
    folder.mkdir(parents=True, exist_ok=True)
    command = kafka_command(
        "org.apache.kafka.tools.ProducerPerformance",
        *("--topic", _TOPIC, "--throughput", "-1"),
        *("--num-records", str(workload.records), "--record-size", str(workload.size_bytes)),
        "--producer-props",
        f"bootstrap.servers={arena.target.bootstrap}",
        *("acks=all", "linger.ms=20", f"batch.size={workload.batch_bytes}"),
        f"compression.type={workload.compression}",
        folder=folder,
    )
    done = subprocess.run(command, capture_output=True, text=True, timeout=_RUN_S_MAX, check=False)
    rates = _RATE.findall(done.stdout)
    if done.returncode != 0 or not rates:
        raise EnvironmentProblem(f"kafka-producer-perf-test failed:\n{done.stdout}{done.stderr}")
    return ProducerPerfRun(workload=workload.topic, records_per_s=float(rates[-1]))
