"""The architecture model: every fact of one run as machine-readable data (`model.json`).

Schema history
    1  first version
    2  `resources`: the inferred resource model, absent where the run holds no pair of operations
    3  instructions have a class, the shape of a matrix product, and what the assembler encodes;
       `execution`, and the version of reportgen
    4  `multiprocessors`
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

import msgspec

from reportgen.findings.finding import Claim
from reportgen.model.resources import Resources
from reportgen.status import Status

MODEL_SCHEMA = 4
OLDEST_SCHEMA = 1
"""The oldest that is still read."""


class Fact(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A quantity with its claim and confidence; `metric` is its stable id."""

    metric: str
    unit: str
    status: Status
    claim: Claim
    confidence: float
    value: float | None = None
    low: float | None = None
    high: float | None = None
    n: int = 0
    modes: tuple[float, ...] = ()
    reason: str = ""
    method: str = ""
    probe: str = ""


class Instruction(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One operation on the target."""

    operation: str
    title: str
    form: str
    """The assembly form that was measured."""
    dependent_latency: Fact | None = None
    issue_interval: Fact | None = None
    """Cycles per instruction on the throughput plateau."""
    throughput: Fact | None = None
    knee: int | None = None
    """Independent accumulators from which the plateau holds."""
    likely_pipeline: str = ""
    """An inference: operations with which it competes; worded as such."""
    flop: float = 0.0
    group: str = ""
    """Class of operations: `integer`, `float`, `memory`, `tensor`, ..."""
    shape: tuple[int, ...] = ()
    """m, n, k of a matrix product; empty for any other instruction."""
    encoded_latency: Fact | None = None
    encoded_issue: Fact | None = None
    """What the vendor's assembler encodes, read from machine code; never measured."""

    @property
    def latency(self) -> Fact | None:
        """Cycles until a dependent instruction may start: measured, else encoded; `claim` says which.

        None where the run did not ask.
        """
        return self.dependent_latency if self.dependent_latency is not None else self.encoded_latency


class UnknownName(KeyError):
    """A name that a run does not hold; the message is a sentence, and names similar ones."""

    def __str__(self) -> str:
        return str(self.args[0])  # KeyError would quote it


class Interference(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How far two operation classes get in each other's way: 0 independent, 1 serialised."""

    first: str
    second: str
    index: Fact
    reading: str
    """`shared`, `separate`, `partly shared`, `cannot tell`."""


class Level(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One level of the memory hierarchy, as measured."""

    name: str
    """`l1`, `l2`, `l3`, `dram`."""
    facts: dict[str, Fact]
    """By last part of the metric id: `capacity`, `latency`, `line`, `associativity`, ..."""
    bandwidth: dict[str, Fact]
    """By kernel: `read`, `write`, `copy`, `triad`, `nt_write`, `nt_copy`."""


class Ceiling(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A roof of the roofline: `kind` is `compute` or `memory`."""

    name: str
    kind: str
    fact: Fact


class Architecture(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All facts of one run."""

    schema: int
    device: str
    name: str
    isa: str
    run: str
    created: str
    suite: str
    environment: dict[str, int | float | str | bool]
    instructions: tuple[Instruction, ...]
    interference: tuple[Interference, ...]
    memory: tuple[Level, ...]
    ceilings: tuple[Ceiling, ...]
    ridges: tuple[Fact, ...]
    facts: tuple[Fact, ...]
    """Every fact, the ones above included, in metric order: the flat view."""
    supersedes: str = ""
    resources: Resources | None = None
    """An inference: what operations compete for; the cost model schedules by it."""
    execution: tuple[Fact, ...] = ()
    """Of a GPU: what warps, registers, shared memory and launches allow; occupancy, which is nominal."""
    reportgen: str = ""
    """Version that derived the model."""
    multiprocessors: int = 0
    """Of a GPU: how many the driver let the run use; nominal.  0 of a CPU, and where no device took part."""

    @property
    def matrix_units(self) -> tuple[Instruction, ...]:
        """Matrix products by shape and type."""
        return tuple(one for one in self.instructions if one.shape)

    def instruction(self, operation: str) -> Instruction:
        """The operation `operation`, a key of the instruction table.

        Raises:
            UnknownName: the run does not know it; the message names similar ones.
        """
        for one in self.instructions:
            if one.operation == operation:
                return one
        raise _unknown("operation", operation, (one.operation for one in self.instructions))

    def level(self, name: str) -> Level:
        """The level `name` of the memory hierarchy.

        Raises:
            UnknownName: the run does not know it.
        """
        for one in self.memory:
            if one.name == name:
                return one
        raise _unknown("level", name, (one.name for one in self.memory))

    def fact(self, metric: str) -> Fact:
        """The fact of the metric id `metric`.

        Raises:
            UnknownName: the run does not know it; the message names similar ones.
        """
        for one in self.facts:
            if one.metric == metric:
                return one
        raise _unknown("metric", metric, (one.metric for one in self.facts))

    def fact_id(self, metric: str) -> str:
        """The address of a fact that never changes: `device/run#metric`."""
        return f"{self.device}/{self.run}#{metric}"


def _unknown(what: str, name: str, known: Iterable[str]) -> UnknownName:
    similar = get_close_matches(name, list(known), n=3)
    hint = f"; similar: {', '.join(similar)}" if similar else ""
    return UnknownName(f"no {what} '{name}' in this run{hint}")
