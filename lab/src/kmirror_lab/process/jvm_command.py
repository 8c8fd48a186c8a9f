"""
The command line that runs a Kafka main class, and the archive that makes it start fast.

The JVM can keep loaded classes in a file (class data sharing). With one, a broker is up in half
the time for half the processor seconds; what it does afterwards is not touched.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from kmirror.errors import EnvironmentProblem
from kmirror.jvm import JarSet, archive_key, class_path, find_java, jar_folder
from kmirror.jvm.cache import make_once
from kmirror.jvm.jars import say
from kmirror.waits import waiting
from kmirror_lab.jars import KAFKA
from kmirror_lab.process import process
from kmirror_lab.process.ports import LOOPBACK, free_ports, is_free
from kmirror_lab.process.waiting import wait_until

_LOGGING = Path(__file__).with_name("log4j2.properties")
# As in bin/kafka-run-class.sh: the variable, and what is taken without it.
_TUNING = "KAFKA_JVM_PERFORMANCE_OPTS"
_TUNING_DEFAULT = (
    "-XX:+UseG1GC -XX:MaxGCPauseMillis=20 -XX:InitiatingHeapOccupancyPercent=35 "
    "-XX:+ExplicitGCInvokesConcurrent"
)
_TRAINING_S_MAX = 180
_TOOL_S_MAX = 120


def kafka_command(
    main_class: str,
    *arguments: str,
    folder: Path,
    heap_mb: int = 512,
    level: str = "warn",
    jars: JarSet = KAFKA,
) -> list[str]:
    """
    Write the command for one of Kafka's main classes.

    Args:
        main_class: For instance `kafka.Kafka`.
        arguments: What follows it.
        folder: Where the JVM leaves its report if it crashes.
        heap_mb: The largest heap, MiB.
        level: What is logged.
        jars: Which Kafka.
    """
    return _command(
        jars,
        f"-Xmx{heap_mb}m",
        f"-XX:SharedArchiveFile={_class_archive(jars)}",
        # An archive that does not fit is no reason to stop, nor to say so.
        *("-Xshare:auto", "-Xlog:disable", "-Xlog:all=error:stderr"),
        f"-XX:ErrorFile={folder}/hs_err.log",
        f"-Dkmirror.lab.level={level}",
        main_class,
        *arguments,
    )


def run_tool(command: Sequence[str], trouble: str) -> str:
    """
    Run one of Kafka's tools to its end, and give what it wrote.

    Args:
        command: See `kafka_command`.
        trouble: What has happened when it fails.

    Raises:
        EnvironmentProblem: It failed.
    """
    with waiting("for Kafka's own tool", trouble):
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_TOOL_S_MAX, check=False
        )
    if done.returncode != 0:
        raise EnvironmentProblem(f"{trouble}: {done.stdout}{done.stderr}")
    return done.stdout


def _command(jars: JarSet, *words: str) -> list[str]:
    tuning = shlex.split(os.environ.get(_TUNING) or _TUNING_DEFAULT)
    return [
        *(str(find_java().path), "-cp", class_path(jar_folder(jars)), *tuning),
        *("-Djava.awt.headless=true", f"-Dlog4j2.configurationFile={_LOGGING}"),
        *words,
    ]


def _class_archive(jars: JarSet) -> Path:
    folder = jar_folder(jars)
    place = folder.with_name(f"classes-{archive_key(folder)}")
    return make_once(place, partial(_train, jars)) / "kafka.jsa"


def _train(jars: JarSet, into: Path) -> None:
    """Run a throw-away broker once; the JVM writes the archive when it ends."""
    say("preparing a fast start of brokers (once, some seconds)")
    client_port, controller_port = free_ports(2)
    with tempfile.TemporaryDirectory() as folder:
        settings = Path(folder) / "server.properties"
        settings.write_text(
            "process.roles=broker,controller\nnode.id=1\n"
            f"controller.quorum.voters=1@{LOOPBACK}:{controller_port}\n"
            f"listeners=PLAINTEXT://{LOOPBACK}:{client_port},"
            f"CONTROLLER://{LOOPBACK}:{controller_port}\n"
            "listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT\n"
            f"controller.listener.names=CONTROLLER\nlog.dirs={folder}/data\n"
        )
        storage = ("kafka.tools.StorageTool", "format", "-t", "kmirrorkmirrorkmirrorA")
        run_tool(_command(jars, *storage, "-c", str(settings)), "formatting failed")
        archive = into / "kafka.jsa"
        log = Path(folder) / "log"
        command = _command(
            jars, f"-XX:ArchiveClassesAtExit={archive}", "kafka.Kafka", str(settings)
        )
        broker = process.start(command, log=log)
        try:
            wait_until(
                lambda: not is_free(client_port) or not process.alive(broker),
                "the broker listens",
                timeout_s=_TRAINING_S_MAX,
            )
        finally:
            process.end(broker, timeout_s=_TRAINING_S_MAX)
        if not archive.exists():
            shutil.copy(log, into.parent / "classes.log")
            hint = f"the log is {into.parent / 'classes.log'}"
            raise EnvironmentProblem("a broker did not start", hint=hint)
