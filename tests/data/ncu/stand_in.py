#!/usr/bin/env python3
"""An ncu for tests: runs the command it is given, then tells what it was told to tell.

`STAND_IN_NCU` is `fine`, `refused`, `silent`, `hang` or `short` (a launch is missing from the report).
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

BEHAVIOUR = os.environ.get("STAND_IN_NCU", "fine")
METRICS = {
    "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum": ("inst", "1,024"),
    "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum": ("inst", "16"),
    "dram__bytes_read.sum": ("byte", "2,000"),
    "dram__bytes_write.sum": ("byte", "1,000"),
    "lts__t_bytes.sum": ("byte", "n/a"),
    "gpu__time_duration.sum": ("nsecond", "1,500"),
}


def table(kernels: list[str]) -> None:
    names = list(METRICS)
    quoted = [["ID", "Kernel Name", *names], ["", "", *(METRICS[name][0] for name in names)]]
    for number, kernel in enumerate(kernels):
        quoted.append([str(number), kernel, *(METRICS[name][1] for name in names)])
    print("==PROF== Connected to process 1")
    for row in quoted:
        print(",".join(f'"{cell}"' for cell in row))


def main(arguments: list[str]) -> int:
    if "--version" in arguments:
        print("NVIDIA (R) Nsight Compute Command Line Profiler\nVersion 2025.3.1.0 (build 36398880)")
        return 0
    if "--import" in arguments:
        table(json.loads(Path(arguments[arguments.index("--import") + 1]).read_text(encoding="utf-8")))
        return 0
    if BEHAVIOUR == "hang":
        time.sleep(60)
    if BEHAVIOUR == "refused":
        print("==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Counters")
        return 1
    own = arguments[arguments.index("--metrics") + 2 :]
    if BEHAVIOUR == "silent":
        return 0
    subprocess.run(own, check=True)
    lines = [json.loads(line) for line in Path(own[-1]).read_text(encoding="utf-8").splitlines()]
    launched = [line["point"] for line in lines if not line.get("reason")]
    if BEHAVIOUR == "short":
        launched = launched[1:]
    Path(arguments[arguments.index("-o") + 1] + ".ncu-rep").write_text(json.dumps(launched), encoding="utf-8")
    print("==PROF== Report written")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
