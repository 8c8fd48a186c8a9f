"""The image: what it copies is there, nobody has rights in it, and words reach their program."""

from __future__ import annotations

import fnmatch
import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.support.deploy import DEPLOY, ROOT
from tests.support.image import ENTRYPOINT, copied, instructions

# Prints its words, one a line: blanks stay visible.
_ECHO = '#!/bin/sh\necho "$0"\nfor word in "$@"; do printf "%s\\n" "[$word]"; done\n'
# As Spark's `BasicExecutorFeatureStep` sets them.
_POD = {
    "SPARK_DRIVER_URL": "spark://CoarseGrainedScheduler@10.0.0.1:7078",
    "SPARK_EXECUTOR_ID": "7",
    "SPARK_EXECUTOR_CORES": "1",
    "SPARK_EXECUTOR_MEMORY": "512m",
    "SPARK_APPLICATION_ID": "spark-application-1",
    "SPARK_EXECUTOR_POD_IP": "10.0.0.2",
    "SPARK_RESOURCE_PROFILE_ID": "0",
    "SPARK_EXECUTOR_POD_NAME": "kmirror-exec-7",
    "SPARK_HOME": "/spark",
    "SPARK_CONF_DIR": "/opt/spark/conf",
    # Of `spark.executor.extraClassPath`.
    "SPARK_CLASSPATH": "/extra/a.jar:/extra/b.jar",
    "SPARK_JAVA_OPT_0": "-Dspark.driver.port=7078",
    "SPARK_JAVA_OPT_1": "-Dspark.app.name=two words",
}


def test_what_it_copies_is_there() -> None:
    """And travels to the builder, which gets nothing else."""
    ignored = (DEPLOY / "image" / "Dockerfile.dockerignore").read_text("utf-8").split("\n")
    sent = [line[1:] for line in ignored if line.startswith("!")]
    assert "*" in ignored
    for name in copied():
        assert (ROOT / name).exists(), name
        assert any(fnmatch.fnmatch(f"{name}/", f"{each}/*") for each in sent), name


def test_nobody_has_rights() -> None:
    """It runs as a user of its own, from a base with a version; nothing comes from elsewhere."""
    steps = instructions()
    verbs = [verb for verb, _ in steps]
    assert "ADD" not in verbs
    assert [words for verb, words in steps if verb == "USER"] == ["10001:10001"]
    assert "RUN" not in verbs[verbs.index("USER") :]
    (base,) = (words for verb, words in steps if verb == "ARG")
    assert re.fullmatch(r"PYTHON=python:\d+\.\d+-slim-\w+", base)


def test_the_python_is_that_of_the_lock_files() -> None:
    """Or other wheels would be needed than those whose digests are there."""
    (locked,) = re.findall(r"--python-version (\S+)", (ROOT / "Makefile").read_text("utf-8"))
    (base,) = (words for verb, words in instructions() if verb == "ARG")
    assert base.startswith(f"PYTHON=python:{locked}-")


def test_the_steps_are_run() -> None:
    """Those that install kmirror are the script that `test_image_steps` runs."""
    runs = [words for verb, words in instructions() if verb == "RUN"]
    assert "deploy/image/install.sh /opt/kmirror" in runs
    others = [words for words in runs if not words.startswith(("apt-get ", "deploy/image/"))]
    assert others == ["python -m kmirror.pipeline.class_archive"]


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """Give a folder with a kmirror and a Java that say their words."""
    for name in ("kmirror", "java"):
        (tmp_path / name).write_text(_ECHO)
        (tmp_path / name).chmod(0o755)
    return tmp_path


def run(programs: Path, *words: str, **environ: str) -> list[str]:
    """Run the entrypoint; give what the program was, and its words."""
    path = f"{programs}:{os.environ['PATH']}"
    done = subprocess.run(
        [str(ENTRYPOINT), *words],
        capture_output=True,
        text=True,
        check=True,
        timeout=30,
        env={"PATH": path, **environ},
    )
    program, *said = done.stdout.splitlines()
    return [Path(program).name, *(word[1:-1] for word in said)]


def test_words_are_kmirrors(programs: Path) -> None:
    """Also if they hold blanks, or there are none."""
    words = ["run", "/etc/kmirror/my file.properties", "--log-format", "json"]
    assert run(programs, *words) == ["kmirror", *words]
    assert run(programs) == ["kmirror"]


def test_an_executor_of_kubernetes(programs: Path) -> None:
    """Every variable of Spark's arrives, and an option with a blank is one."""
    program, *words = run(programs, "executor", **_POD)
    assert program == "java"
    assert words[:2] == ["-Dspark.driver.port=7078", "-Dspark.app.name=two words"]
    classes = f"/opt/spark/conf:{_POD['SPARK_CLASSPATH']}:/spark/jars/*"
    assert words[words.index("-cp") + 1] == classes
    main = words.index("org.apache.spark.scheduler.cluster.k8s.KubernetesExecutorBackend")
    options = dict(zip(words[main + 1 :: 2], words[main + 2 :: 2], strict=True))
    assert options == {
        "--driver-url": _POD["SPARK_DRIVER_URL"],
        "--executor-id": "7",
        "--cores": "1",
        "--app-id": "spark-application-1",
        "--hostname": "10.0.0.2",
        "--resourceProfileId": "0",
        "--podName": "kmirror-exec-7",
    }


@pytest.mark.parametrize(("role", "name"), [("spark-master", "Master"), ("spark-worker", "Worker")])
def test_a_standalone_cluster(programs: Path, role: str, name: str) -> None:
    """Master and worker take their words, and Spark's settings from a variable."""
    settings = "-Dspark.authenticate=true -Dspark.authenticate.secret=s"
    said = run(programs, role, "--port", "1", SPARK_HOME="/s", SPARK_DAEMON_JAVA_OPTS=settings)
    program = f"org.apache.spark.deploy.{name.lower()}.{name}"
    options = ["-Xmx512m", *settings.split(), "-cp", "/s/jars/*"]
    assert said == ["java", *options, program, "--port", "1"]
