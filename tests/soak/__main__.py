"""`python -m tests.soak`: run one, or make the page of one that has run."""

from __future__ import annotations

import argparse
import logging
import os
import secrets
import shutil
import signal
import sys
import tempfile
import threading
from pathlib import Path

from tests.soak.page import html
from tests.soak.plots import pictures
from tests.soak.result import Result, load, save

_HOURS_MIN, _HOURS_MAX = 0.01, 72.0


def main() -> int:
    """Run a soak; 0 when every answer at its end is a good one."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--hours", type=float, default=2.0, help="How long faults come.")
    parser.add_argument("--seed", type=int, help="Which faults; random without it.")
    parser.add_argument("--out", type=Path, default=Path("build/soak"), help="For page and data.")
    parser.add_argument("--svg", type=Path, help="Write the curves into this folder, too.")
    parser.add_argument("--again", type=Path, help="Make the page of this data anew.")
    given = parser.parse_args()
    if given.again is not None:
        return _write(load(given.again), given.out, given.svg)
    if not _HOURS_MIN <= given.hours <= _HOURS_MAX:
        parser.error(f"--hours: from {_HOURS_MIN} to {_HOURS_MAX:g}")
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(message)s")
    # Brokers of an hour are worth compiling; those of minutes are not.
    if given.hours < 1:
        os.environ.setdefault(
            "KAFKA_JVM_PERFORMANCE_OPTS", "-XX:+UseSerialGC -XX:TieredStopAtLevel=1"
        )
    from tests.soak.run import soak  # noqa: PLC0415  # what it starts takes the variable

    seed = secrets.randbelow(100_000) if given.seed is None else given.seed
    sys.stderr.write(f"seed {seed}\n")
    folder = Path(tempfile.mkdtemp(prefix="kmirror-soak-"))
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    result = soak(folder, hours=given.hours, seed=seed, stop=stop)
    code = _write(result, given.out, given.svg)
    if code:
        sys.stderr.write(f"logs and ledgers: {folder}\n")
    else:
        shutil.rmtree(folder, ignore_errors=True)
    return code


def _write(result: Result, out: Path, svg: Path | None) -> int:
    out.mkdir(parents=True, exist_ok=True)
    stem = f"soak-{result.seed}"
    save(result, out / f"{stem}.json")
    page = out / f"{stem}.html"
    page.write_text(html(result), encoding="utf-8")
    for picture in pictures(result) if svg is not None else ():
        (svg / f"{picture.name}.svg").write_text(picture.wide, encoding="utf-8")
    for finding in result.findings:
        sys.stderr.write(
            f"{'ok ' if finding.good else 'BAD'} {finding.question} {finding.answer}\n"
        )
    sys.stderr.write(f"{page}\n")
    return 0 if result.ok else 1


if __name__ == "__main__":
    sys.exit(main())
