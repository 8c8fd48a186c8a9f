"""What the console's pages cost with many partitions: `python -m bench.console` prints it."""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests.support.chromium import chromium
from tests.support.console_scale import (
    FLOWS,
    PARTITIONS_OF_TOPIC,
    PATHS,
    TOPICS,
    large_console,
    page_cost,
)


def main() -> None:
    """Look at each page once with a browser."""
    print(f"{FLOWS} flows x {TOPICS * PARTITIONS_OF_TOPIC:,} partitions")
    with (
        tempfile.TemporaryDirectory() as folder,
        large_console(Path(folder)) as client,
        chromium() as browser,
    ):
        for path in PATHS:
            cost = page_cost(browser, client, path)
            print(
                f"{path}: first byte {cost.first_byte_ms:.0f} ms, first paint "
                f"{cost.first_paint_ms:.0f} ms, useful {cost.useful_ms:.0f} ms; "
                f"{cost.page_bytes / 1e3:.0f} kB, {cost.first_visit_bytes / 1e3:.0f} kB at a "
                "first visit"
            )


if __name__ == "__main__":
    main()
