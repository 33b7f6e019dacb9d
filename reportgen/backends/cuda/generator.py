"""A point -> CUDA C++ with inline PTX, by the family's template, for one compute target."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import jinja2

from reportgen.backends.base import Source
from reportgen.backends.cuda import generator_rows as rows
from reportgen.backends.cuda.generator_fragments import Fragment
from reportgen.backends.cuda.generator_operands import CONSTRAINTS, Bound
from reportgen.errors import Unsupported
from reportgen.runs.schema import Device
from reportgen.suite.definition import Operation, PlannedPoint, Probe
from reportgen.suite.isa import asked
from reportgen.suite.location import probes_root

STEPS = 64
"""Steps of a throughput window over all accumulators: a multiple of every accumulator count."""
TENSOR_STEPS = 16
"""The same of matrix instructions, some of which are followed by hundreds of fillers."""
LAUNCHED = frozenset({"warps", "blocks"})
"""Settings that change how a kernel is launched, not what is in it: their points share a program."""

PAIR_CHAINS = 4
"""Accumulators of each operation of a pair."""
PAIR_GROUPS = 8
"""Times that every accumulator of a pair takes a step."""
NARROW_CLOCK = 120
"""From this target on the clock is always read in 32 bits."""


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

    @property
    def isa(self) -> str:
        """`sm_90`."""
        return self.device.isa

    def generate(self, probe: Probe, point: PlannedPoint) -> Source:
        """Source, expectation, work and set-up of one point.

        Raises:
            Unsupported: the target lacks what the point is about, or the question is not asked of a GPU.
        """
        definition = probe.definition
        if not asked(definition, self.isa):
            raise Unsupported(definition.skip_reason or f"asked of {', '.join(definition.isas)} only")
        template = f"{probe.family}/{definition.template}.cuda.cu.j2"
        if definition.template not in KINDS or not (self.root / template).is_file():
            raise Unsupported(f"this family has no template '{definition.template}' for a GPU")
        name = kernel_name(point)
        parts = KINDS[definition.template](self, probe, point, name)
        wide = parts.wide_clock and rows.number(self.isa) < NARROW_CLOCK
        counter = "unsigned long long" if wide else "unsigned"
        passed = [*parts.parameters, (f"{counter} *clocks", f"clocks:{counter}")]
        context = {
            "file": [],
            "before": [],
            "after": [],
            "attributes": "",
            "counter": counter,
            "read": 'mov.u64 %0, %%clock64;" : "=l"' if wide else 'mov.u32 %0, %%clock;" : "=r"',
            **parts.context,
        }
        text = (
            _environment(self.root)
            .get_template(template)
            .render(kernel=name, parameters=", ".join(declared for declared, _ in passed), **context)
        )
        setup: dict[str, int | float | str] = {
            "kernel": name,
            "target": parts.target or self.isa,
            "kind": "body",
            "seconds": definition.seconds,
            "arguments": "; ".join(what for _, what in passed),
            **{key: value for key, value in point.settings.items() if key in LAUNCHED},
            **parts.setup,
        }
        return Source(point.id, re.sub(r"\n\s*\n+", "\n", text), parts.expect, parts.work, setup)

    def operation(self, name: str) -> tuple[Operation, str]:
        """The table's row and the target to compile for.

        Raises:
            Unsupported: no such row, or this target lacks it.
        """
        if name not in self.operations:
            raise Unsupported(f"the CUDA table has no operation '{name}'")
        operation = self.operations[name]
        return operation, rows.require(operation.title, operation.targets, self.isa)


def kernel_name(point: PlannedPoint) -> str:
    """The `extern "C"` symbol of a point's kernel, of what makes up its code."""
    named = [f"{key}={value}" for key, value in point.settings.items() if key not in LAUNCHED]
    return "probe_" + re.sub(r"\W+", "_", f"{point.probe}_{'_'.join(named)}").strip("_")


def bind(operation: Operation, form: str, chains: int, kernel: str, tag: str = "") -> Bound | Fragment:
    """An operation on accumulators of its kind."""
    kind = Fragment if operation.registers == "fragment" else Bound
    return kind(operation, form, chains, kernel, tag)


def _chain(generator: CudaGenerator, probe: Probe, point: PlannedPoint, kernel: str) -> Parts:
    name = probe.operations[0]
    operation, target = generator.operation(name)
    length = int(point.settings["length"])
    bound = bind(operation, operation.latency or operation.form, 1, kernel)
    expect: dict[str, int | str] = {"kind": "chain", "chains": 1}
    expect |= rows.expected([(name, operation, length)], generator.isa)
    work = {"steps": float(length), "instructions": float(length * operation.repeat)}
    context = {"bound": bound, "length": length, **_code(bound)}
    return Parts(context, bound.parameters, expect, work, target=target)


def _independent(generator: CudaGenerator, probe: Probe, point: PlannedPoint, kernel: str) -> Parts:
    name = str(point.settings.get("operation") or probe.operations[0])
    operation, target = generator.operation(name)
    count = int(point.settings["accumulators"])
    bound = bind(operation, operation.throughput or operation.form, count, kernel)
    # a form of its own for throughput is one whose instances do not depend on each other
    expect: dict[str, int | str] = {"kind": "independent", "chains": 0 if operation.throughput else count}
    steps = TENSOR_STEPS if operation.registers == "fragment" else STEPS
    expect |= rows.expected([(name, operation, steps)], generator.isa)
    total = float(steps * operation.repeat)
    work = {"instructions": total, "flop": total * operation.flop, "op": total * operation.op}
    context = {"bound": bound, "rounds": steps // count, **_code(bound)}
    return Parts(context, bound.parameters, expect, work, target=target)


def _pair(generator: CudaGenerator, _probe: Probe, point: PlannedPoint, kernel: str) -> Parts:
    names = [name for name in (str(point.settings["first"]), str(point.settings["second"])) if name]
    bounds: list[Bound | Fragment] = []
    target = ""
    for index, name in enumerate(names):
        operation, wanted = generator.operation(name)
        # where one of the two asks for a target with a suffix, both are compiled for it
        target = max(target, wanted, key=len)
        form = operation.throughput or operation.form
        bounds.append(bind(operation, form, PAIR_CHAINS, kernel, tag="xy"[index]))
    tied = [bound for bound in bounds if not bound.operation.throughput]
    expect: dict[str, int | str] = {"kind": "pair", "chains": PAIR_CHAINS * len(tied)}
    each = PAIR_GROUPS * PAIR_CHAINS
    named = zip(names, bounds, strict=True)
    expect |= rows.expected([(name, bound.operation, each) for name, bound in named], generator.isa)
    counts = [float(PAIR_CHAINS * bound.operation.repeat) for bound in bounds]
    work = {
        "groups": float(PAIR_GROUPS),
        "first_count": counts[0],
        "second_count": counts[1] if len(counts) > 1 else 0.0,
        "instructions": float(sum(int(n) for key, n in expect.items() if key.startswith("want."))),
    }
    context = {
        "groups": PAIR_GROUPS,
        "turns": max(bound.turns for bound in bounds),
        "warm": [step for bound in bounds for step in bound.warm],
        "even": _arranged([bound.steps() for bound in bounds], point),
        "odd": _arranged([bound.steps(odd=True) for bound in bounds], point),
        **_code(*bounds),
    }
    parameters = [one for bound in bounds for one in bound.parameters]
    wide = any(CONSTRAINTS[bound.operation.ctype] in "dl" for bound in bounds)
    return Parts(context, parameters, expect, work, target=target, wide_clock=wide)


def _arranged(parts: list[list[str]], point: PlannedPoint) -> list[str]:
    """a0 b0 a1 b1 ..., or blocks of each; the assembler may still change the order."""
    blocked = point.settings.get("order") == "blocked"
    return [line for lines in (parts if blocked else zip(*parts, strict=True)) for line in lines]


def _code(*bounds: Bound | Fragment) -> dict[str, list[str]]:
    """Lines round the window."""
    return {
        "file": [line for bound in bounds for line in bound.file],
        "before": [line for bound in bounds for line in bound.before],
        "after": [line for bound in bounds for line in bound.after],
    }


KINDS = {"chain": _chain, "independent": _independent, "pair": _pair}
"""Template name -> what it needs; a new template is a file and a row here."""
