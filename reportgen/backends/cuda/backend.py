"""The CUDA backend: every role of `backends/base.py`, for GPUs and for targets on which nothing runs."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from typing import TYPE_CHECKING

from reportgen.backends.base import Build, Candidate, ClockConstants, Launcher, Order, Source
from reportgen.backends.cuda import (
    clock,
    compiler,
    counters,
    expectation,
    inspector,
    occupancy,
    register_ports,
    targets,
    toolkit,
)
from reportgen.backends.cuda import device as cuda_device
from reportgen.backends.cuda import environment as cuda_environment
from reportgen.backends.cuda.builder import CudaBuilder
from reportgen.errors import BackendUnavailable
from reportgen.runs.schema import Device
from reportgen.suite.definition import Operation

if TYPE_CHECKING:
    from reportgen.backends.cuda.generator import CudaGenerator


class CudaBackend:
    """NVIDIA GPUs, and the targets that the toolchain here builds for."""

    name = "cuda"

    def discover(self) -> list[Candidate]:
        """Targets, `sm_all` and GPUs."""
        return cuda_device.discover()

    def generator(self, device: Device, operations: dict[str, Operation]) -> CudaGenerator:
        """A generator for one target and its instruction table."""
        from reportgen.backends.cuda.generator import CudaGenerator

        return CudaGenerator(device, operations)

    def builder(self, device: Device) -> CudaBuilder:
        """Compiler and inspector."""
        return CudaBuilder()

    def batch_builder(self, device: Device) -> CudaBuilder:
        """The same: it builds many sources at once."""
        return CudaBuilder()

    def is_target(self, device: Device) -> bool:
        """Whether programs are made for it and none is run."""
        return cuda_device.is_target(device)

    def members(self, selector: str) -> tuple[str, ...]:
        """The targets that `sm_all` stands for; else the selector alone.

        Raises:
            UserError: it looks like a target and is none, or one that is no longer built.
        """
        if selector != cuda_device.ALL:
            if selector.startswith("sm_"):
                targets.parse(selector)
            return (selector,)
        return tuple(f"sm_{number}" for number in targets.PUBLISHED)

    def point_facts(self, device: Device, source: Source, build: Build) -> dict[str, int | float | str]:
        """What a launch asks for, how much of it a multiprocessor holds, what reads of registers cost."""
        program = build.program
        facts = {} if program is None else program.facts
        known = {register_ports.FACT: facts[register_ports.FACT]} if register_ports.FACT in facts else {}
        return known | occupancy.of_launch(targets.parse(device.isa).number, source.setup, program)

    def sweep_faults(self, sweep: Sequence[tuple[Source, Build]]) -> dict[str, str]:
        """Points of a sweep whose window holds other instructions than those of most points, and which.

        What the generator allows beside the wanted instructions may differ.
        """
        histograms = []
        for source, build in sweep:
            if not source.text:  # a routine of a library
                continue
            wanted = expectation.read(source.expect)
            counts = build.program.opcodes if build.program is not None else {}
            histograms.append((source.point, {op: n for op, n in counts.items() if not wanted.allows(op)}))
        return inspector.sweep_faults(histograms)

    def launcher(self, selector: str, device: Device) -> Launcher:
        """A launcher on the GPU of the selector.

        Raises:
            BackendUnavailable: it is no GPU, or no binding to the driver can be loaded.
            LaunchError: the driver refuses.
        """
        if cuda_device.is_target(device):
            raise BackendUnavailable(
                f"'{selector}' is a target of the compiler, not a device: nothing runs on it.",
                "Its programs are built and inspected without samples.",
            )
        from reportgen.backends.cuda.launcher import CudaLauncher

        return CudaLauncher(cuda_device.number(selector), device)

    def clock(self) -> ClockConstants:
        """What a tick is."""
        return clock.CONSTANTS

    def environment(self, device: Device) -> dict[str, int | float | str | bool]:
        """The fixed list of fields that may leave the machine."""
        here: dict[str, int | float | str | bool] = {
            "os": platform.system(),
            "kernel": platform.release().partition("-")[0],
            "python": platform.python_version(),
        }
        if cuda_device.is_target(device):
            return here
        return here | cuda_environment.environment(device)

    def toolchain(self, device: Device) -> dict[str, str]:
        """Compiler, its options, PTX version, disassembler and target."""
        target = targets.parse(device.isa)
        return compiler.describe() | {
            "target": target.name,
            "ptx_version": compiler.ptx_version(target.name),
            "nvdisasm": toolkit.release(toolkit.find().nvdisasm),
        }

    def count(
        self, selector: str, device: Device, orders: Sequence[Order], seconds: float
    ) -> tuple[str, dict[str, dict[str, float]]]:
        """What the counters said of themselves, and work and bytes of points by them."""
        from reportgen.backends.cuda import profiling

        chosen = profiling.chosen(orders)
        if not chosen:
            return self.counters(device), {}
        return profiling.count(cuda_device.number(selector), device, chosen, seconds)

    def counters(self, device: Device) -> str:
        """What the hardware counters say of themselves."""
        if cuda_device.is_target(device):
            return "unsupported: nothing is run, so there is nothing to count"
        return counters.describe()
