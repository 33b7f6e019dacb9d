"""`python -m calibration`: how often reportgen is right, counted on simulated devices.

    --devices N    how many, each judged as it is and with troubles (default: enough for the published page)
    --first SEED   number of the first one
    --workers N    processes (default: all cores this process may use)
    --out FOLDER   where the page and its files go (default: docs/method)

Exit code 1 where a published limit does not hold; the page is written all the same.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from calibration import limits, page
from calibration.counts import Seeds
from calibration.sample import calibrate
from reportgen.collect.progress import for_stream

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "method"
PUBLISHED = Seeds(first=10_000, devices=340)
"""At least 2,000 boundaries, latencies, throughputs and ridges.

None that anything was fitted to: those are devices 1000 to 1219."""


def main(arguments: list[str] | None = None) -> int:
    """Calibrate, write, and say which limits do not hold; `arguments` are those of the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m calibration",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--devices", type=int, default=PUBLISHED.devices)
    parser.add_argument("--first", type=int, default=PUBLISHED.first)
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--out", type=Path, default=FOLDER)
    asked = parser.parse_args(arguments)
    progress = for_stream()
    try:
        numbers = calibrate(Seeds(asked.first, asked.devices), asked.workers, progress)
    finally:
        progress.close()
    asked.out.mkdir(parents=True, exist_ok=True)
    for name, text in page.files(numbers).items():
        part = asked.out / f"{name}.part"
        part.write_text(text, encoding="utf-8")
        part.replace(asked.out / name)
    broken = limits.broken(numbers)
    for line in broken:
        print(line, file=sys.stderr)
    print(f"Written: {asked.out / page.NAME}.md and its files")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
