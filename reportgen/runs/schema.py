"""The run bundle: what `collect` writes and every later stage reads.

Schema history
    1  first version (run.json, samples.parquet, programs.jsonl.gz)
    2  `clock` is null in a run of kind `toolchain` (key `kind` of `plan`), in which nothing was timed
    3  kind `validation`: loops that a model's estimates are checked with; `plan` names the `model` and holds
       what it and other models said (`estimates`, `others`)
    4  kind `survey`: every instruction form of the processor; `plan` holds what was not asked of (`left_out`)
    5  kind `measurement`: code of the user's own; `plan` holds what models said of it (`said`, `model`)

A bundle is a folder `data/<device>/<run>/`:

`run.json`            one `Run` record (this module), the manifest
`samples.parquet`     one row a sample, columns `SAMPLE_COLUMNS`
`programs.jsonl.gz`   one `Program` a line: source, machine code listing, inspection

Nothing in a bundle is ever edited; derived numbers live elsewhere.
"""

from __future__ import annotations

from typing import Any

import msgspec

from reportgen.status import Status

SCHEMA_VERSION = 5

MANIFEST = "run.json"
SAMPLES = "samples.parquet"
PROGRAMS = "programs.jsonl.gz"

TOOLCHAIN = "toolchain"
"""Kind of a run whose programs were built and inspected, and none was run."""

VALIDATION = "validation"
"""Kind of a run that timed the loops of `validation/`, and none of the suite's probes."""

SURVEY = "survey"
"""Kind of a run that asked of every instruction form of a processor, and of none of the suite's probes."""

MEASUREMENT = "measurement"
"""Kind of a run that timed code of the user's own, and none of the suite's probes."""

ASIDE = frozenset({VALIDATION, SURVEY, MEASUREMENT})
"""Kinds of runs that stand beside a device's runs of the suite: they are meant by their own name only."""

EMULATED = "emulated: "
"""Beginning of the reason of an `unsupported` point where the compiler makes the operation of others."""


class Device(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What was measured.  `id` is made of what does not change (vendor, model, memory)."""

    id: str
    """Folder and URL name, `[a-z0-9-]+`."""
    backend: str
    """`cpu`, `cuda`, `simulated`."""
    vendor: str
    name: str
    """As the vendor or the operating system calls it."""
    isa: str
    """`x86_64`, `aarch64`, `sm_90`: names the instruction table."""
    features: tuple[str, ...] = ()
    """Instruction-set extensions that the device says it has and that passed a trial."""
    cores: int = 1
    """Cores that may be used here (not what the package holds)."""
    memory_bytes: int = 0
    reported: dict[str, int | float | str] = {}
    """What the operating system or driver says, never what was measured: `l1d_bytes`,
    `l1i_bytes`, `l2_bytes`, `l3_bytes`, `line_bytes`, `page_bytes`, `family`, `model`, `stepping`,
    `hypervisor`, ..."""

    @property
    def gpu(self) -> bool:
        """Whether it is a GPU: its rates are those of multiprocessors and launches, not of cores."""
        return self.isa.startswith("sm_")


class ProbeInfo(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A probe as it was asked, frozen into the run so that a report needs no probe files."""

    id: str
    """`family/name`, for example `instruction_latency/integer_add`."""
    family: str
    question: str
    hypothesis: str
    variable: str
    """The setting that the sweep varies."""
    analysis: str
    """Name of the analysis that turns the samples into quantities."""
    metric: str
    """Metric id, or the stem of several (`memory`, `bandwidth`)."""
    unit: str
    title: str = ""
    operation: str = ""
    """Key in the instruction table; empty for memory and library probes."""
    constants: dict[str, Any] = {}
    """What the analysis must know: flop per instruction, companions, precision, notes."""


class Point(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One setting of one probe, and what became of it."""

    id: str
    """`family/name#variable=value[,other=value]`, unique in the run."""
    probe: str
    settings: dict[str, int | float | str]
    status: Status
    reason: str = ""
    stop: str = ""
    """Why sampling ended: `precise`, `time cap`, `sample cap`."""
    program: str = ""
    """sha256 of the machine code; key into programs.jsonl.gz."""
    work: dict[str, float] = {}
    """Per repetition of the body: `instructions`, `flop`, `op`, `bytes`, `steps`, `groups`..."""
    facts: dict[str, int | float | str] = {}
    """Requested and granted: `bytes_requested`, `bytes_actual`, `huge_bytes`, `cores`, ..."""
    accepted: int = 0
    total: int = 0


class Program(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Generated source, the machine code that ran, and what the inspector saw in it."""

    sha256: str
    source: str
    listing: str
    """Disassembly by a decoder that is not the assembler's own."""
    opcodes: dict[str, int]
    """Opcode histogram of the timed region."""
    verdict: str
    """`verified`, `rejected`, `unverified`."""
    explanation: str
    """In words: what was wanted, what was found."""
    size: int = 0
    """Bytes of machine code."""
    facts: dict[str, int | float | str] = {}
    """Registers, spills, chain length, chain count as read from the code."""


class ClockRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How ticks become cycles and seconds."""

    tick_hz: float
    """Ticks of the time-stamp counter a second, over the whole run."""
    tick_hz_low: float
    tick_hz_high: float
    calibration_cycles: int
    """Length of the dependent add chain beside each sample; 0 where ticks are cycles already (GPUs)."""
    canary_instructions: int
    canary_best: float
    """Best issue rate of the canary seen in the run, instructions per cycle."""
    agreement: float
    """Calibrations must agree within this ratio."""
    canary_share: float
    """Canaries must reach this share of the best."""
    note: str = ""
    granularity: int = 1
    """Ticks by which the counter moves at a time: the resolution of every duration."""


class DriftMark(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The canary point at start, middle or end of the run."""

    where: str
    order: int
    cycle_hz: float
    canary_rate: float


class Run(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The manifest, `run.json`."""

    schema: int
    run: str
    """`YYYYMMDDTHHMMSSZ-<8 hex>`: folder name under the device."""
    created: str
    """ISO 8601, UTC."""
    finished: str
    device: Device
    environment: dict[str, int | float | str | bool]
    """From a fixed list: kernel, python, governor, huge pages, memory limit, load. Never host
    name, user, serial number or path."""
    toolchain: dict[str, str]
    suite: dict[str, str]
    """`version`, `digest`."""
    plan: dict[str, Any]
    """`seed`, `passes`, `quick`, `probes` (glob), `order`; `kind` is `toolchain` where nothing ran,
    `validation` where the loops of the validation did, `survey` where instruction forms did, else absent."""
    clock: ClockRecord | None
    """Absent where nothing was timed."""
    probes: tuple[ProbeInfo, ...]
    points: tuple[Point, ...]
    drift: tuple[DriftMark, ...] = ()
    timing: dict[str, float] = {}
    """Seconds: `build`, `verify`, `calibrate`, `measure`, `setup`, `write`, `other`, `total`."""
    counters: str = ""
    """`unsupported: why`, `not_permitted: why`, or the names read."""
    supersedes: str = ""
    files: dict[str, str] = {}
    """sha256 of the other files in the bundle."""

    @property
    def title(self) -> str:
        """What readers call the device: its own name, and of a CPU that by which LLVM detected it.

        In virtual machines all CPUs of a maker may have one name.
        """
        core = "" if self.device.gpu else self.toolchain.get("cpu", "")
        return f"{self.device.name} ({core})" if core else self.device.name

    @property
    def toolchain_only(self) -> bool:
        """Whether programs were built and inspected, and none was run."""
        return self.plan.get("kind") == TOOLCHAIN

    @property
    def is_validation(self) -> bool:
        """Whether loops were timed in order to check a model, which was made of another run."""
        return self.plan.get("kind") == VALIDATION

    @property
    def is_survey(self) -> bool:
        """Whether instruction forms were asked of, each the same."""
        return self.plan.get("kind") == SURVEY

    @property
    def is_measurement(self) -> bool:
        """Whether code of the user's own was timed."""
        return self.plan.get("kind") == MEASUREMENT

    @property
    def sample_clock(self) -> ClockRecord:
        """The clock of a run that has samples.

        Raises:
            ValueError: nothing was timed.
        """
        if self.clock is None:
            raise ValueError(f"run {self.run} timed nothing")
        return self.clock


SAMPLE_COLUMNS: dict[str, str] = {
    "point": "string (dictionary)",
    "pass": "int8",
    "order": "int32",
    "sample": "int32",
    "thread": "int16",
    "start": "int64",
    "ticks": "int64",
    "empty": "int64",
    "calibration_before": "int64",
    "calibration_after": "int64",
    "canary_before": "int64",
    "canary_after": "int64",
    "warmup": "int64",
    "repetitions": "int64",
    "cpu": "int16",
    "gate": "string (dictionary)",
}
"""`order` is the position of the point in the run's random order; `sample` counts within one
visit of a point; `start` and all durations are ticks of the time-stamp counter; `ticks` is the
timed body, `repetitions` how often it ran; `empty` the same window with nothing in it; `gate` is
`accepted` or why not: `first of batch`, `calibrations disagree`, `issue rate low`, `migrated`,
`clock stood still`, `empty window long`, `warm-up and body disagree`, `wrong result`, `throttled`,
`partner did not answer`.

Where ticks are cycles (`calibration_cycles` 0: GPUs), `start` is nanoseconds of the device's timer,
`calibration_before` and `calibration_after` are cycles and nanoseconds of one wait beside the sample,
canaries are not taken (0), and `cpu` is the multiprocessor (-1: not told)."""

FROM_RUNNER = frozenset({"point", "pass", "order", "gate"})
"""Columns that the runner adds to those of the launcher."""

ACCEPTED = "accepted"
SLOW = "issue rate low"
"""Of gates: somebody else took issue slots beside the sample."""
