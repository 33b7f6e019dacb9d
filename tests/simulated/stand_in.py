"""A GPU whose driver is the stand-in of `tests/data/cuda_stand_in`: `how` is what a point's program does."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from reportgen.backends.base import Build, Candidate, ClockConstants, Source
from reportgen.backends.cuda import binding
from reportgen.backends.cuda.clock import CONSTANTS
from reportgen.backends.cuda.ctypes_binding import CtypesBinding
from reportgen.backends.cuda.launcher import CudaLauncher
from reportgen.collect.worker import serve
from reportgen.runs.schema import Device, Program
from reportgen.suite.definition import Operation, PlannedPoint, Probe
from tests.simulated import nvml

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "tests/data/cuda_stand_in/libcuda.c"
LIBRARY = "STAND_IN_LIBRARY"
"""Variable that names the built library."""
DEVICE = Device("nvidia-h200", "cuda", "NVIDIA", "NVIDIA H200", "sm_90", cores=4)
CYCLES = 128


def build(folder: Path, *flags: str) -> Path | None:
    """The stand-in as `libcuda.so.1` in a folder; nothing without a C compiler."""
    cc = shutil.which("gcc") or shutil.which("cc")
    if cc is None:
        return None
    made = folder / "libcuda.so.1"
    subprocess.run(
        [cc, "-shared", "-fPIC", "-O1", *flags, "-o", made, SOURCE], check=True, capture_output=True
    )
    return made


def build_for_pycuda(folder: Path) -> str:
    """The same with every call that pycuda names, or why there is none."""
    spec = find_spec("pycuda")
    places = list(spec.submodule_search_locations or []) if spec else []
    driver = next((path for place in places for path in Path(place).glob("_driver*.so")), None)
    if driver is None:
        return "pycuda is not installed"
    cc, nm = shutil.which("gcc") or shutil.which("cc"), shutil.which("nm")
    if cc is None or nm is None:
        return "no C compiler is here to build a stand-in for the driver"
    listed = subprocess.run(
        [nm, "-D", "--undefined-only", driver], capture_output=True, text=True, check=True
    )
    wanted = set(re.findall(r"\bcu[A-Z]\w+", listed.stdout))
    own = "".join(path.read_text() for path in SOURCE.parent.glob("*.[ch]"))
    known = set(re.findall(r"^int (cu\w+)", own, re.MULTILINE))
    rest = folder / "rest.c"
    rest.write_text("".join(f"int {name}(void) {{ return 801; }}\n" for name in sorted(wanted - known)))
    library = folder / "libcuda.so.1"
    subprocess.run([cc, "-shared", "-fPIC", "-o", library, SOURCE, rest], check=True)
    return ""


class StandIn:
    """Every role of the CUDA backend, with programs in words and the real launcher."""

    name = "cuda"

    def discover(self) -> list[Candidate]:
        return [Candidate("cuda:0", DEVICE)]

    def generator(self, device: Device, operations: dict[str, Operation]) -> StandIn:
        return self

    def builder(self, device: Device) -> StandIn:
        return self

    def launcher(self, selector: str, device: Device) -> CudaLauncher:
        library = os.environ.get(LIBRARY)
        chosen: binding.Binding = CtypesBinding(library) if library else binding.choose()
        return CudaLauncher(0, device, chosen)

    def clock(self) -> ClockConstants:
        return CONSTANTS

    def environment(self, device: Device) -> dict[str, int | float | str | bool]:
        return {}

    def toolchain(self, device: Device) -> dict[str, str]:
        return {}

    def counters(self, device: Device) -> str:
        return "unsupported: it is none"

    def generate(self, probe: Probe, point: PlannedPoint) -> Source:
        how = str(point.settings["how"])
        setup: dict[str, int | float | str] = {
            "kernel": f"probe_{how}",
            "arguments": "input:float; output:unsigned; clocks:unsigned",
            "threads": 32,
            "seconds": 0.01,
        }
        return Source(point.id, f"stand-in ioc {CYCLES} {how}", {}, {"instructions": 32.0}, setup)

    def build(self, source: Source) -> Build:
        program = Program(f"sha of {source.text}", source.text, "FFMA", {"FFMA": 32}, "verified", "it is")
        return Build(source.point, f"{source.text}\0".encode(), program)


def command(selector: str, role: str) -> list[str]:
    """How a worker of this device is started."""
    found = f"import sys; sys.path.insert(0, {str(ROOT)!r})"
    return [sys.executable, "-c", f"{found}; from tests.simulated.stand_in import main; main({role!r})"]


def main(role: str) -> None:
    """A worker process."""
    if os.environ.get(nvml.VARIABLE):
        nvml.install()
    serve(StandIn(), role)
