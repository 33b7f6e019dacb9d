"""The CPU backend: every role of `backends/base.py`, each in the file of its name."""

from __future__ import annotations

import time

from reportgen.backends.base import Build, Candidate, ClockConstants, Source
from reportgen.backends.cpu import clock as cpu_clock
from reportgen.backends.cpu import counters as cpu_counters
from reportgen.backends.cpu import device as cpu_device
from reportgen.backends.cpu import environment as cpu_environment
from reportgen.backends.cpu.generator import CpuGenerator
from reportgen.backends.cpu.isa import decoder
from reportgen.backends.cpu.launcher import CpuLauncher
from reportgen.errors import CompileError
from reportgen.runs.schema import Device
from reportgen.suite.definition import Operation


class CpuBuilder:
    """Assembles and inspects; a mnemonic that LLVM refuses ends the process, so call it in a worker."""

    def build(self, source: Source) -> Build:
        """Assemble, decode and judge one source."""
        from reportgen.backends.cpu import compiler, inspector

        began = time.perf_counter()
        try:
            code = compiler.assemble(source.text)
        except CompileError as error:
            return Build(source.point, status="failed", reason=str(error))
        assembled = time.perf_counter()
        program = inspector.inspect(code, source.text, source.expect)
        seconds = {"build": assembled - began, "verify": time.perf_counter() - assembled}
        status, reason = "ok", ""
        if program.verdict == "rejected":
            status, reason = "invalid", program.explanation
        return Build(source.point, code.code, program, status, reason, seconds)


class CpuBackend:
    """The host's processor, one device a core type."""

    name = "cpu"

    def discover(self) -> list[Candidate]:
        """Every core type this process may use."""
        return cpu_device.discover()

    def generator(self, device: Device, operations: dict[str, Operation]) -> CpuGenerator:
        """A generator for one device and its instruction table."""
        return CpuGenerator(device, operations)

    def builder(self, device: Device) -> CpuBuilder:
        """Compiler and inspector."""
        return CpuBuilder()

    def launcher(self, selector: str, device: Device) -> CpuLauncher:
        """A launcher pinned to the cores of the selector."""
        return CpuLauncher(device, cpu_device.cpus_of(selector))

    def clock(self) -> ClockConstants:
        """Constants of the sample frame and of its gates."""
        return cpu_clock.constants()

    def environment(self, device: Device) -> dict[str, int | float | str | bool]:
        """The fixed list of fields that may leave the machine."""
        return cpu_environment.environment()

    def toolchain(self, device: Device) -> dict[str, str]:
        """Versions of assembler and decoder, target triple, CPU and features."""
        from importlib.metadata import version

        from reportgen.backends.cpu import compiler

        name = decoder(device.isa).NAME
        return compiler.toolchain() | {"decoder": f"{name} {version(name)}"}

    def counters(self, device: Device) -> str:
        """What perf events say of themselves."""
        return cpu_counters.describe()
