"""A point -> CUDA C++ with inline PTX, by the family's template, for one compute target."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import jinja2

from reportgen.backends.base import Source
from reportgen.backends.cuda import generator_async as asynchronous
from reportgen.backends.cuda import generator_blocks as blocks
from reportgen.backends.cuda import generator_crowd as crowd
from reportgen.backends.cuda import generator_footprint as footprint
from reportgen.backends.cuda import generator_intensity as intensity
from reportgen.backends.cuda import generator_kernels as kernels
from reportgen.backends.cuda import generator_memory as memory
from reportgen.backends.cuda import generator_rows as rows
from reportgen.backends.cuda import generator_saturated as saturated
from reportgen.backends.cuda import generator_synchronisation as synchronisation
from reportgen.backends.cuda import generator_tiles as tiles
from reportgen.backends.cuda import generator_windows as windows
from reportgen.backends.cuda.device import is_target
from reportgen.backends.cuda.generator_parts import LAUNCHED, Parts, Request
from reportgen.backends.cuda.vendor_gemm import bytes_moved
from reportgen.errors import Unsupported
from reportgen.runs.schema import Device
from reportgen.suite.definition import Definition, Operation, PlannedPoint, Probe
from reportgen.suite.isa import asked
from reportgen.suite.location import probes_root

VENDOR, LINK = "vendor:", "link:"
"""Before the name of a routine that is not ours, and of a copy over the link, in place of a template."""
MOST_SECONDS = {
    **dict.fromkeys(("body", "crowd", "contended"), 0.03),
    **dict.fromkeys(("chase", "trace", "bulk", "stream"), 0.05),
}
"""Kind -> cap on sampling one visit, so that the whole suite stays within minutes: cycles of a multiprocessor
that nobody shares come back the same."""
NARROW_CLOCK = 120
"""From this target on the clock is always read in 32 bits."""
LEAST_TARGET = {"tf32": 80, "bf16": 80, "fp8": 89}
"""Precision -> first target with products of it in cuBLAS, which before takes another, or refuses."""

KINDS: dict[str, Callable[[Request], Parts]] = {
    "chain": windows.chain,
    "independent": windows.independent,
    "pair": windows.pair,
    "warpgroup": asynchronous.warpgroup,
    "tensor_memory": asynchronous.tensor_memory,
    "saturated": saturated.saturated,
    "sustained": saturated.held,
    "chase": memory.chase,
    "trace": memory.trace,
    "l2_matrix": memory.l2_matrix,
    "stream": memory.stream,
    "intensity_sweep": intensity.intensity,
    "crowd": crowd.crowd,
    "banks": blocks.banks,
    "cluster": blocks.cluster,
    "empty": blocks.empty,
    "footprint": footprint.footprint,
    "bulk": blocks.bulk,
    "tile": tiles.tile,
    "wait": synchronisation.wait,
    "meeting": synchronisation.meeting,
    "contention": synchronisation.contention,
    "paths": synchronisation.paths,
    "gemm": kernels.gemm,
    "axpy": kernels.axpy,
    "gemv": kernels.gemv,
    "softmax": kernels.softmax,
    "layer_norm": kernels.layer_norm,
}
"""Template name -> what it needs; a new template is a file and a row here."""


@cache
def _environment(root: Path) -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(root),
        undefined=jinja2.StrictUndefined,
        autoescape=False,  # CUDA C++, not HTML
        keep_trailing_newline=True,
    )


class CudaGenerator:
    """Renders sources for one target; raises `Unsupported` with a reason a person can act on."""

    def __init__(self, device: Device, operations: dict[str, Operation], root: Path | None = None) -> None:
        self.device = device
        self.operations = operations
        self.root = root if root is not None else probes_root()

    def generate(self, probe: Probe, point: PlannedPoint) -> Source:
        """Source, expectation, work and set-up of one point.

        Raises:
            Unsupported: the target lacks what the point is about, or the question is not asked of a GPU.
        """
        definition, isa = probe.definition, self.device.isa
        if not asked(definition, isa):
            raise Unsupported(definition.skip_reason or f"asked of {', '.join(definition.isas)} only")
        if definition.template.startswith(VENDOR):
            return self._vendor(definition, point)
        if definition.template.startswith(LINK):
            return self._link(definition, point)
        template = f"{probe.family}/{definition.template}.cuda.cu.j2"
        if definition.template not in KINDS or not (self.root / template).is_file():
            raise Unsupported(f"this family has no template '{definition.template}' for a GPU")
        request = Request(isa, self.operations, probe, point)
        parts = KINDS[definition.template](request)
        wide = parts.wide_clock and rows.number(isa) < NARROW_CLOCK
        counter = "unsigned long long" if wide else "unsigned"
        passed = [*parts.parameters, (f"{counter} *clocks", f"clocks:{counter}")]
        context = {
            "kernel": request.kernel,
            "parameters": ", ".join(declared for declared, _ in passed),
            "file": [],
            "before": [],
            "after": [],
            "attributes": "",
            "counter": counter,
            "read": 'mov.u64 %0, %%clock64;" : "=l"' if wide else 'mov.u32 %0, %%clock;" : "=r"',
            **parts.context,
        }
        text = _environment(self.root).get_template(template).render(context)
        setup: dict[str, int | float | str] = {
            "kernel": request.kernel,
            "target": parts.target or isa,
            "kind": "body",
            "seconds": definition.seconds,
            "arguments": "; ".join(what for _, what in passed),
            **{key: value for key, value in point.settings.items() if key in LAUNCHED},
            **parts.setup,
        }
        setup["seconds"] = min(definition.seconds, MOST_SECONDS.get(str(setup["kind"]), definition.seconds))
        return Source(point.id, re.sub(r"\n\s*\n+", "\n", text), parts.expect, parts.work, setup)

    def _link(self, definition: Definition, point: PlannedPoint) -> Source:
        """A copy between host and device, which no program of ours makes."""
        if is_target(self.device):
            raise Unsupported("a copy needs a device and its host: there is nothing to build for a target")
        settings = point.settings
        setup: dict[str, int | float | str] = {
            "kind": "link",
            "target": self.device.isa,
            "seconds": definition.seconds,
            **settings,
        }
        ways = 2.0 if settings["direction"] == "both" else 1.0
        return Source(point.id, "", {}, {"bytes": ways * float(settings["bytes"])}, setup)

    def _vendor(self, definition: Definition, point: PlannedPoint) -> Source:
        """A routine of the vendor's, of which there is no source."""
        routine = definition.template.removeprefix(VENDOR)
        if is_target(self.device):
            raise Unsupported(
                f"the vendor's {routine} needs a device: there is nothing to build for a target"
            )
        setup: dict[str, int | float | str] = {
            "kind": "vendor",
            "routine": routine,
            "target": self.device.isa,
            "seconds": definition.seconds,
            **point.settings,
        }
        if routine == "copy":
            return Source(point.id, "", {}, {"bytes": 2.0 * float(point.settings["bytes"])}, setup)
        n = float(point.settings["n"])
        precision = str(definition.constants["precision"]).removeprefix("tensor_")
        least = LEAST_TARGET.get(precision, 0)
        if rows.number(self.device.isa) < least:
            raise Unsupported(f"needs sm_{least} or later: cuBLAS has no {precision.upper()} products before")
        kind = "op" if definition.unit.startswith("OP") else "flop"
        work = {kind: 2 * n**3, "bytes": bytes_moved(precision, n)}
        return Source(point.id, "", {}, work, setup | {"precision": precision})
