"""The roles a backend plays, one file each in every backend folder.

device      what is here, and why what is here may not be usable
generator   a point -> source
compiler    source -> machine code
inspector   machine code -> verdict, by a decoder that is not the compiler's own
launcher    machine code -> samples
clock       what a tick is
counters    optional corroboration

Generator, compiler, inspector and launcher run in worker processes; records cross the border
as msgspec JSON.
"""

from __future__ import annotations

from typing import Protocol

import msgspec

from reportgen.runs.schema import FROM_RUNNER, SAMPLE_COLUMNS, Device, Program
from reportgen.suite.definition import Operation, PlannedPoint, Probe


class Candidate(msgspec.Struct, frozen=True):
    """A device found by discovery; `reason` says why it cannot be used, empty when it can."""

    selector: str
    """What `--device` takes: `cpu`, `cpu:atom`, `cuda:0`, `replay:PATH`."""
    device: Device
    reason: str = ""


class Source(msgspec.Struct, frozen=True):
    """What the generator made of a point."""

    point: str
    text: str
    expect: dict[str, int | str]
    """What the inspector shall find: mnemonic -> count, plus `chains` and `kind`."""
    work: dict[str, float]
    """Per repetition of the body."""
    setup: dict[str, int | float | str]
    """What the launcher must prepare: `kind`, buffers, layout, cores, `seconds`."""


class Build(msgspec.Struct, frozen=True):
    """Machine code with its inspection, or why there is none."""

    point: str
    code: bytes = b""
    program: Program | None = None
    status: str = "ok"
    reason: str = ""
    seconds: dict[str, float] = {}
    """Where the time went: `build`, `verify`."""


class Order(msgspec.Struct, frozen=True):
    """One visit of one point, sent to the measuring worker."""

    point: str
    code: bytes
    """Empty where the launcher has had this program (by `sha256`) before."""
    sha256: str
    setup: dict[str, int | float | str]
    seconds: float
    """Cap on sampling time."""
    canary_best: float
    """Best canary rate the run has seen so far, instructions per cycle; 0 at first."""
    seed: int
    visit: int
    unit: str = ""
    """sha256 of `code`, which several programs may share."""


class Batch(msgspec.Struct, frozen=True):
    """Samples of one visit, column by column (names of `SAMPLE_COLUMNS`)."""

    point: str
    columns: dict[str, list[int]]
    gates: list[str]
    status: str = "ok"
    reason: str = ""
    stop: str = ""
    facts: dict[str, int | float | str] = {}
    canary_best: float = 0.0
    seconds: dict[str, float] = {}
    """Where the time went: `setup`, `measure`, `calibrate`."""
    clock: tuple[int, int] = (0, 0)
    """(monotonic nanoseconds, ticks) read together at the end of the visit: the first and the
    last of a run give the tick frequency over the whole run."""

    @property
    def held(self) -> bool:
        """Whether it was one stretch of load in windows (fact `windows`), which no bracket judges."""
        return bool(self.facts.get("windows"))


def empty_columns() -> dict[str, list[int]]:
    """Columns of a batch without rows: those of a sample but for what the runner adds."""
    return {name: [] for name in SAMPLE_COLUMNS if name not in FROM_RUNNER}


class ClockConstants(msgspec.Struct, frozen=True):
    """What the backend's sample frame holds; goes into the run's `ClockRecord`."""

    calibration_cycles: int
    canary_instructions: int
    agreement: float
    canary_share: float
    note: str
    granularity: int = 1
    """Ticks by which the counter moves at a time."""


class Generator(Protocol):
    """Renders the source of a point, or raises `Unsupported` with the reason."""

    def generate(self, probe: Probe, point: PlannedPoint) -> Source:
        """Source, expectation, work and set-up of one point."""


class Builder(Protocol):
    """Compiler and inspector, called in a worker because a bad mnemonic ends the process."""

    def build(self, source: Source) -> Build:
        """Assemble, decode and judge one source."""


class Launcher(Protocol):
    """Runs programs on the device."""

    def measure(self, order: Order) -> Batch:
        """One visit of one point: set up, sample until precise enough, gate."""


class Backend(Protocol):
    """One folder under `reportgen/backends`."""

    name: str

    def discover(self) -> list[Candidate]:
        """Every device this backend can see, usable or not."""

    def generator(self, device: Device, operations: dict[str, Operation]) -> Generator:
        """A generator for one device and its instruction table."""

    def builder(self, device: Device) -> Builder:
        """Compiler and inspector for one device."""

    def launcher(self, selector: str, device: Device) -> Launcher:
        """A launcher bound to one device."""

    def clock(self) -> ClockConstants:
        """Constants of the sample frame and of its gates."""

    def environment(self, device: Device) -> dict[str, int | float | str | bool]:
        """From the fixed list of fields that may leave the machine."""

    def toolchain(self, device: Device) -> dict[str, str]:
        """Versions, triple, CPU and features of compiler and decoder."""

    def counters(self, device: Device) -> str:
        """What the hardware counters say of themselves."""
