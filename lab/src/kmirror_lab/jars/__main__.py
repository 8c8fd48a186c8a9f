"""`python -m kmirror_lab.jars [--digests]`: fetch Kafka now, and say where it is."""

from __future__ import annotations

import argparse
import sys

from kmirror.errors import EnvironmentProblem
from kmirror.jvm import jar_folder
from kmirror.jvm.jars import say, write_digests
from kmirror_lab.jars import KAFKA, KAFKA_2_8


def main() -> int:
    """Prepare the machine; give the exit status."""
    parser = argparse.ArgumentParser(prog="python -m kmirror_lab.jars", description=__doc__)
    parser.add_argument(
        "--digests", action="store_true", help="write jars.sha256 anew, and nothing else"
    )
    try:
        if parser.parse_args().digests:
            write_digests([KAFKA, KAFKA_2_8])
        else:
            say(f"Kafka: {jar_folder(KAFKA)}")
    except EnvironmentProblem as error:
        say(str(error))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
