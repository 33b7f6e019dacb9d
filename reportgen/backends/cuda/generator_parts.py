"""What a template is asked for, and what it answers with."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from reportgen.backends.cuda import generator_rows as rows
from reportgen.errors import Unsupported
from reportgen.suite.definition import Operation, PlannedPoint, Probe

LAUNCHED = frozenset(
    "warps blocks bytes dynamic_bytes count stride offset layout peer n batch rows mode".split()
    + "row swizzle promotion blocks_each block_bytes level multiply_adds".split()
    + "distinct place paths".split()
)
"""Settings that change how a kernel is launched and on what, not what is in it: their points share a
program."""


@dataclass(frozen=True)
class Request:
    """One point of one probe on one target."""

    isa: str
    """`sm_90`."""
    operations: Mapping[str, Operation]
    probe: Probe
    point: PlannedPoint

    @property
    def kernel(self) -> str:
        """The `extern "C"` symbol: of what makes up the code."""
        named = [f"{key}={value}" for key, value in self.point.settings.items() if key not in LAUNCHED]
        return "probe_" + re.sub(r"\W+", "_", "_".join([self.probe.id, *named])).strip("_")

    def setting(self, name: str) -> int:
        """A setting that is a whole number."""
        return int(self.point.settings[name])

    def chosen(self, name: str) -> str:
        """A setting that is a word."""
        return str(self.point.settings[name])

    def operation(self, name: str) -> tuple[Operation, str]:
        """The table's row and the target to compile for.

        Raises:
            Unsupported: no such row, or this target lacks it.
        """
        if name not in self.operations:
            raise Unsupported(f"the CUDA table has no operation '{name}'")
        operation = self.operations[name]
        return operation, rows.require(operation.title, operation.targets, self.isa)


class Parts(NamedTuple):
    """What a template needs, and what goes with its program."""

    context: dict[str, Any]
    parameters: list[tuple[str, str]]
    """(declaration, what the launcher passes), but for the clocks."""
    expect: dict[str, int | str]
    work: dict[str, float]
    setup: dict[str, int | float | str] = {}  # noqa: RUF012
    target: str = ""
    """Where another than the device's own is compiled for: `sm_90a`."""
    wide_clock: bool = False
    """Read the clock in 64 bits: with many live registers the compiler would read 32 bits by the uniform
    datapath, which waits for all that is under way.  Not from sm_120, where it is the other way round."""
