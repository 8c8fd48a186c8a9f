"""`python -m kmirror.jvm [--pack]`: fetch and build everything now, and say where it is."""

from __future__ import annotations

import argparse
import shutil
import sys

from kmirror.errors import EnvironmentProblem
from kmirror.jvm.connector import PACKED, connector_jar
from kmirror.jvm.jars import CLIENTS, jar_folder, pyspark_jars, say, write_digests
from kmirror.jvm.java import find_java


def main() -> int:
    """Prepare the machine; give the exit status."""
    parser = argparse.ArgumentParser(prog="python -m kmirror.jvm", description=__doc__)
    parser.add_argument("--pack", action="store_true", help=f"put the connector at {PACKED}")
    parser.add_argument(
        "--digests", action="store_true", help="write jars.sha256 anew, and nothing else"
    )
    options = parser.parse_args()
    try:
        if options.digests:
            write_digests([CLIENTS])
            return 0
        java = find_java()
        say(f"Java {java.version}: {java.path}")
        say(f"PySpark's jars: {pyspark_jars()}")
        say(f"Kafka's clients: {jar_folder(CLIENTS)}")
        jar = connector_jar()
        if options.pack and jar != PACKED:
            PACKED.parent.mkdir(exist_ok=True)
            jar = shutil.copyfile(jar, PACKED)
        say(f"the connector: {jar}")
    except EnvironmentProblem as error:
        say(str(error))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
