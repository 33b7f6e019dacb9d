"""The ten-second check of a GPU: `python -m reportgen.backends.cuda.check [cuda:N]`.

Device, driver and binding; then a dependent chain of 32 multiply-adds is built, loaded and run, and must
take exactly the cycles that its machine code says.  `--selector` prints the first GPU that can be used,
or nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

from reportgen.backends.base import Candidate, Order
from reportgen.backends.cuda import device as cuda_device
from reportgen.backends.cuda.builder import CudaBuilder
from reportgen.backends.cuda.generator import CudaGenerator
from reportgen.backends.cuda.launcher import CudaLauncher
from reportgen.errors import ReportgenError
from reportgen.suite import expand
from reportgen.suite.definition import PlannedPoint
from reportgen.suite.load import load_suite

PROBE, LENGTH = "instruction_latency/fp32_fma", 32
READS = 20
"""Cycles that two clock reads may take beside what lies between them; one more a step would be 31."""
SECONDS = 0.05
TABLE = "cuda"


def usable(found: Sequence[Candidate]) -> Iterator[Candidate]:
    """GPUs without a reason against them."""
    return (one for one in found if one.selector.startswith("cuda:") and not one.reason)


def check(candidate: Candidate, launcher: CudaLauncher | None = None) -> Iterator[tuple[bool, str]]:
    """(whether it is as it should be, what was seen), step by step.

    Args:
        candidate: the GPU.
        launcher: instead of one on it.

    Raises:
        ReportgenError: a step could not be taken.
    """
    device = candidate.device
    yield True, f"{candidate.selector}: {device.name}, {device.isa}, {device.cores} multiprocessors"
    suite = load_suite()
    probe = next(one for one in expand.probes(suite, device.isa) if one.id == PROBE)
    point = PlannedPoint(f"{PROBE}#length={LENGTH}", PROBE, {"length": LENGTH})
    source = CudaGenerator(device, suite.tables[TABLE]).generate(probe, point)
    build = CudaBuilder().build(source)
    facts = build.program.facts if build.program is not None else {}
    yield (
        build.status == "ok",
        f"built by {facts.get('toolkit', '?')}: {build.reason or 'inspected, as meant'}",
    )
    runs = launcher or CudaLauncher(cuda_device.number(candidate.selector), device)
    sha = build.program.sha256 if build.program is not None else ""
    batch = runs.measure(Order(point.id, build.code, sha, source.setup, SECONDS, 0.0, 1, 0))
    yield (
        batch.status == "ok",
        f"runs through {batch.facts['binding']}: {batch.reason or 'results are right'}",
    )
    least, wanted = min(batch.columns["ticks"]), int(facts.get("predicted_window", 0))
    near = wanted > 0 and -2 <= least - wanted <= READS
    yield near, f"{LENGTH} multiply-adds take {least} cycles, the machine code says {wanted}"
    cycles, ns = batch.columns["calibration_before"][-1], batch.columns["calibration_after"][-1]
    yield ns > 0, f"the clock runs at {cycles / max(ns, 1):.3f} GHz"


def main(arguments: Sequence[str]) -> int:
    """Exit code 0 if all is as it should be, 1 if something is not, 3 if there is no GPU."""
    found = cuda_device.discover()
    able = list(usable(found))
    if "--selector" in arguments:
        print(able[0].selector if able else "", end="")
        return 0
    wanted = arguments[0] if arguments else ""
    chosen = next((one for one in able if wanted in ("", one.selector)), None)
    if chosen is None:
        reasons = [f"{one.selector}: {one.reason}" for one in found if one.selector.startswith("cuda:")]
        print("no GPU can be used.", *reasons, sep="\n")
        return 3
    good = True
    try:
        for right, text in check(chosen):
            good &= right
            print("ok  " if right else "NOT ", text)
    except (ReportgenError, MemoryError, PermissionError) as error:
        print("NOT ", error)
        return 1
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
