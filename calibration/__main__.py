"""`python -m calibration`: how often reportgen is right, counted on simulated devices.

    --devices N    how many cores, each as it is and with troubles (default: those of the published page)
    --gpus N       how many GPUs, the same
    --first SEED   number of the first one of either
    --only PART    `cores` or `gpus`: count these anew, and keep the other part as it is in --out
    --workers N    processes (default: all cores this process may use)
    --out FOLDER   where the page and its files go (default: docs/method)

Exit code 1 where a published limit does not hold; the page is written all the same.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

import msgspec

from calibration import limits, page
from calibration.counts import FORMAT, Calibration, Seeds
from calibration.sample import cores, gpus
from reportgen.collect.progress import for_stream
from reportgen.threads import keep_one

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "method"
PUBLISHED = Seeds(first=10_000, devices=340)
"""At least 2,000 boundaries, latencies, throughputs and ridges.

None that anything was fitted to: those are devices 1000 to 1219."""
PUBLISHED_GPUS = Seeds(first=10_000, devices=100)
"""None that anything was fitted to: those are GPUs 1000 to 1099."""
CORES, GPUS = "cores", "gpus"


def main(arguments: list[str] | None = None) -> int:
    """Calibrate, write, and say which limits do not hold; `arguments` are those of the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m calibration",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--devices", type=int, default=PUBLISHED.devices)
    parser.add_argument("--gpus", type=int, default=PUBLISHED_GPUS.devices)
    parser.add_argument("--only", choices=(CORES, GPUS))
    parser.add_argument("--first", type=int, default=PUBLISHED.first)
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--out", type=Path, default=FOLDER)
    asked = parser.parse_args(arguments)
    kept = _kept(asked.out / f"{page.NAME}.json") if asked.only else None
    if asked.only and kept is None:
        parser.error(f"--only needs the other part in {asked.out}; leave it out")
    keep_one()
    progress = for_stream()
    try:
        numbers = Calibration(
            FORMAT,
            kept.cores
            if kept and asked.only == GPUS
            else cores(Seeds(asked.first, asked.devices), asked.workers, progress),
            kept.gpus
            if kept and asked.only == CORES
            else gpus(Seeds(asked.first, asked.gpus), asked.workers, progress),
        )
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


def _kept(path: Path) -> Calibration | None:
    """What was counted before; None where there is nothing, or of another format."""
    try:
        return page.read(path.read_bytes())
    except (OSError, msgspec.ValidationError):
        return None


if __name__ == "__main__":
    sys.exit(main())
