"""
kmirror for those who start everything by `spark-submit`.

    spark-submit --conf spark.pyspark.python=/opt/kmirror/bin/python \
        deploy/spark-submit/mirror.py run mm2.properties --master spark://host:7077

The arguments are those of `kmirror`, the master among them. kmirror starts a JVM of its own, with
settings of its file (`kmirror.spark.*`); that of `spark-submit` only waits for its end, and gives
its exit code. It may be of another version of Spark.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from pathlib import Path

_PR_SET_PDEATHSIG = 1
# By these the JVM of `spark-submit`, and its Spark, would be taken for kmirror's own.
_OF_SUBMIT = ("PYSPARK_GATEWAY_PORT", "PYSPARK_GATEWAY_SECRET", "PYTHONPATH", "SPARK_HOME")


def main() -> None:
    """Become kmirror, which ends in good order when `spark-submit` ends."""
    submit = os.getppid()
    # A signal to `spark-submit` ends that alone. Executing another program keeps this order.
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != submit:
        sys.exit(128 + signal.SIGTERM)
    environ = {name: value for name, value in os.environ.items() if name not in _OF_SUBMIT}
    kmirror = Path(sys.executable).with_name("kmirror")
    os.execve(kmirror, [str(kmirror), *sys.argv[1:]], environ)


if __name__ == "__main__":
    main()
