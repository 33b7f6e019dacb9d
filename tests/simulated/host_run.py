"""The CUDA backend with its own generator, builder and launcher, on a device whose memory is the host's."""

from __future__ import annotations

import sys
from pathlib import Path

from reportgen.backends.base import Batch, Candidate, Order
from reportgen.backends.cuda.backend import CudaBackend
from reportgen.backends.cuda.launcher import CudaLauncher
from reportgen.collect.worker import serve
from reportgen.runs.schema import Device
from tests.simulated.host_gpu import HostGpu

ROOT = Path(__file__).resolve().parents[2]
MULTIPROCESSORS = 4
DEVICE = Device(
    "nvidia-h200", "cuda", "NVIDIA", "NVIDIA H200", "sm_90", cores=MULTIPROCESSORS, memory_bytes=1 << 30,
    reported={"l2_bytes": 60 << 20, "ordinal": 0},
)  # fmt: skip


class SmallGpu(HostGpu):
    """Few multiprocessors, so that nobody waits for the clock reads of many."""

    def attribute(self, which: int) -> int:
        return MULTIPROCESSORS


class HostLauncher(CudaLauncher):
    """Tells the device what the program that is launched next shall do."""

    def __init__(self) -> None:
        self.gpu = SmallGpu()
        super().__init__(0, DEVICE, self.gpu)

    def measure(self, order: Order) -> Batch:
        self.gpu.setup = order.setup
        return super().measure(order)


class HostBackend(CudaBackend):
    """A GPU that is found here, whatever is here."""

    def discover(self) -> list[Candidate]:
        return [Candidate("cuda:0", DEVICE)]

    def launcher(self, selector: str, device: Device) -> HostLauncher:
        return HostLauncher()

    def environment(self, device: Device) -> dict[str, int | float | str | bool]:
        return {"warning": "it is a simulation"}

    def counters(self, device: Device) -> str:
        return "unsupported: it has none"


def command(selector: str, role: str) -> list[str]:
    """How a worker of this device is started."""
    found = f"import sys; sys.path.insert(0, {str(ROOT)!r})"
    return [sys.executable, "-c", f"{found}; from tests.simulated.host_run import main; main({role!r})"]


def main(role: str) -> None:
    """A worker process."""
    serve(HostBackend(), role)
