"""A point -> assembly, by the family's template for the device's ISA."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import jinja2

from reportgen.backends.base import Source
from reportgen.backends.cpu import generator_accesses, generator_branches
from reportgen.backends.cpu.clock import CANARY_BLOCK, CHAIN_BLOCK, LENGTHS, SHORT_CHAIN
from reportgen.backends.cpu.isa import Bound, assembly
from reportgen.backends.cpu.routines import ROUTINES
from reportgen.errors import Unsupported
from reportgen.runs.schema import Device
from reportgen.suite.definition import Definition, Operation, PlannedPoint, Probe
from reportgen.suite.location import probes_root

THROUGHPUT_INSTRUCTIONS = 384
"""Body length of throughput programs: a multiple of every accumulator count, short enough for the
micro-operation cache, long enough that the loop's one instruction pair is under 0.3 %."""
INTERFERENCE_GROUPS = 20
PROPORTION = re.compile(r"\d+to\d+")
"""Order of a pair that is a mix: `2to1` has the first operation's instructions twice."""
CHASE_UNROLL = 64
IN_FRAMES = ("loop", "form")
"""Templates of probes that are made from code, not from a folder of definitions."""
SLICE_BYTES = 512 << 10
"""Of each array, one repetition of a stream takes so much: tens of microseconds even from DRAM."""


@cache
def _environment(root: Path) -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(root),
        undefined=jinja2.StrictUndefined,
        autoescape=False,  # assembly, not HTML
        trim_blocks=False,
        keep_trailing_newline=True,
    )


class CpuGenerator:
    """Renders sources for one CPU; raises `Unsupported` with a reason a person can act on."""

    def __init__(self, device: Device, operations: dict[str, Operation], root: Path | None = None) -> None:
        self.device = device
        self.operations = operations
        self.assembly = assembly(device.isa)
        self.root = root if root is not None else probes_root()

    def generate(self, probe: Probe, point: PlannedPoint) -> Source:
        """Source, expectation, work and set-up of one point."""
        definition = probe.definition
        if definition.isas and self.device.isa not in definition.isas:
            raise Unsupported(definition.skip_reason or f"asked of {', '.join(definition.isas)} only")
        self._features(definition.features)
        if definition.template.startswith("library:"):
            return self._library(definition, point)
        folder = "frames" if definition.template in IN_FRAMES else probe.family
        template = f"{folder}/{definition.template}.{self.device.isa}.s.j2"
        if not (self.root / template).is_file():
            raise Unsupported(f"this family has no template '{definition.template}' for {self.device.isa}")
        kind = KINDS[definition.template]
        context, expect, work, setup = kind(self, probe, point)
        text = self._render(template, context)
        if "ldtilecfg" in text:
            setup["tiles"] = 1
        return Source(point.id, text, expect, work, {"seconds": definition.seconds, **setup})

    def _render(self, template: str, context: dict[str, Any]) -> str:
        lengths = LENGTHS[self.device.isa]
        text = (
            _environment(self.root)
            .get_template(template)
            .render(
                long_chain=lengths.long_chain,
                chain_block=CHAIN_BLOCK,
                canary_block=CANARY_BLOCK,
                short_chain=SHORT_CHAIN,
                canary_instructions=lengths.canary_instructions,
                **self.assembly.frame(self.device.features),
                **{"threads": 0, **context},
            )
        )
        return re.sub(r"\n\s*\n+", "\n", text)

    def _features(self, wanted: tuple[str, ...]) -> None:
        missing = [name for name in wanted if name not in self.device.features]
        if missing:
            why = self.device.reported.get("amx", "") if any(n.startswith("amx") for n in missing) else ""
            raise Unsupported(f"this processor lacks {', '.join(missing)}{f' ({why})' if why else ''}")

    def operation(self, name: str) -> Operation:
        """The table's row, if this device can run it."""
        if name not in self.operations:
            raise Unsupported(f"the {self.device.isa} table has no operation '{name}'")
        operation = self.operations[name]
        self._features(operation.features)
        return self.assembly.adapt(operation, self.device.features)

    def expected(self, lines: list[str]) -> dict[str, int | str]:
        """Opcode -> count of a list of forms, each of one or more lines."""
        opcodes: Counter[str] = Counter()
        for text, count in Counter(lines).items():
            for line in text.splitlines():
                opcodes[self.assembly.opcode(line)] += count
        return dict(opcodes)

    def _library(self, definition: Definition, point: PlannedPoint) -> Source:
        routine = definition.template.partition(":")[2]
        text = self._render(f"frames/timed.{self.device.isa}.s.j2", {"settings": point.settings})
        given = {**definition.constants, **point.settings}
        sizes = {name: value for name, value in given.items() if isinstance(value, int)}
        counts = ROUTINES[routine].count(sizes)
        work = {"flop": counts.flop, "bytes": counts.bytes, "footprint": counts.footprint}
        setup: dict[str, int | float | str] = {"kind": "library", "routine": routine, **sizes}
        return Source(point.id, text, {"kind": "frame"}, work, {"seconds": definition.seconds, **setup})


Parts = tuple[dict[str, Any], dict[str, int | str], dict[str, float], dict[str, int | float | str]]


def _chain(generator: CpuGenerator, probe: Probe, point: PlannedPoint) -> Parts:
    operation = generator.operation(probe.operations[0])
    length = int(point.settings["length"])
    operands = generator.assembly.bind(operation, 0, 1)
    expect = generator.expected([operands.latency(0)] * length) | {"kind": "chain", "chains": 1}
    work = {"steps": float(length), "instructions": float(length * operation.repeat)}
    return {"settings": point.settings, "operands": operands}, expect, work, {"kind": "body"}


def _independent(generator: CpuGenerator, probe: Probe, point: PlannedPoint) -> Parts:
    name = str(point.settings.get("operation") or probe.operations[0])
    operation = generator.operation(name)
    count = int(point.settings["accumulators"])
    operands = generator.assembly.bind(operation, 0, count)
    turn = [operands.throughput(i) for i in range(count)]
    lines = [turn[i % count] for i in range(THROUGHPUT_INSTRUCTIONS)]
    # a form of its own for throughput is one whose instances do not depend on each other
    kind = "apart" if operation.throughput else "independent"
    expect = generator.expected(lines) | {"kind": kind, "chains": count}
    context = {"settings": point.settings, "operands": operands, "lines": lines}
    total = float(THROUGHPUT_INSTRUCTIONS * (1 if operation.throughput else operation.repeat))
    work = {"instructions": total, "flop": total * operation.flop, "op": total * operation.op}
    return context, expect, work, {"kind": "body"}


def _sustained(generator: CpuGenerator, probe: Probe, point: PlannedPoint) -> Parts:
    """The same body as a peak, on every core that may be used, which meet before each window."""
    context, expect, work, _ = _independent(generator, probe, point)
    context["threads"] = 1 if generator.device.cores > 1 else 0
    return context, expect, work, {"kind": "windows", "cores": generator.device.cores}


def _pair(generator: CpuGenerator, _probe: Probe, point: PlannedPoint) -> Parts:
    names = [str(point.settings["first"]), str(point.settings["second"])]
    operations = [generator.operation(name) for name in names if name]
    sets: list[Bound] = []
    used: Counter[str] = Counter()
    for index, operation in enumerate(operations):
        bank, count = generator.assembly.share(operation, generator.device.features)
        sets.append(generator.assembly.bind(operation, used[bank], count, tag=f"c{index}"))
        used[bank] += count
    order = str(point.settings.get("order", ""))
    times = [int(number) for number in order.split("to")] if PROPORTION.fullmatch(order) else [1, 1]
    groups = max(1, INTERFERENCE_GROUPS // max(times))
    parts = [
        [part.throughput(i) for i in range(part.count)] * often
        for part, often in zip(sets, times, strict=False)
    ]
    group = [line for part in parts for line in part] if order == "blocked" else _interleave(parts)
    lines = group * groups
    tied = [part.count for part in sets if not part.operation.throughput]
    kind = "mixed" if len(tied) == len(sets) else "mixed_apart"
    expect = generator.expected(lines) | {"kind": kind, "chains": sum(tied)}
    work = {
        "groups": float(groups),
        "first_count": float(len(parts[0])),
        "second_count": float(len(parts[1])) if len(parts) > 1 else 0.0,
        "instructions": float(sum(line.count("\n") + 1 for line in lines)),
    }
    return {"settings": point.settings, "sets": sets, "lines": lines}, expect, work, {"kind": "body"}


def _chase(generator: CpuGenerator, probe: Probe, point: PlannedPoint) -> Parts:
    expect: dict[str, int | str] = {generator.assembly.CHASE: CHASE_UNROLL, "kind": "chain", "chains": 1}
    setup: dict[str, int | float | str] = {
        "kind": "chase",
        "unroll": CHASE_UNROLL,
        "page": int(generator.device.reported.get("page_bytes", 4096)),
        **probe.definition.constants,
        **point.settings,
    }
    if "level" in setup:
        setup["bytes"] = _inside(generator.device, str(setup["level"]))
    return {"settings": point.settings, "unroll": CHASE_UNROLL}, expect, {"steps": float(CHASE_UNROLL)}, setup


def _inside(device: Device, level: str) -> int:
    """A working set well inside a level, from the sizes that the system reports."""
    l1, l2, l3 = (int(device.reported.get(f"{name}_bytes", 0)) for name in ("l1d", "l2", "l3"))
    last = l3 or l2
    if level == "dram":
        if not last:
            raise Unsupported(
                "the system reports no last-level cache to be larger than; see the working-set sweep"
            )
        return min(4 * last, int(device.memory_bytes * 0.2), 1 << 30)
    size = {"l1": l1 // 2, "l2": max(l2 // 4, 2 * l1) if l2 else 0, "l3": 9 * l2 // 4 if l3 else 0}[level]
    if not size:
        raise Unsupported(f"the system reports no {level.upper()} size; see the working-set sweep")
    return size // 64 * 64


def _window(generator: CpuGenerator, probe: Probe, point: PlannedPoint) -> Parts:
    filling, count = str(point.settings["filling"]), int(point.settings["count"])
    window = generator.assembly.window(filling, generator.device.features)
    lines = window.lines(count)
    # what waits depends on the load before it; nothing else depends on anything
    chains = len(window.walkers) if filling.startswith("waiting") else 0
    expect = generator.expected(list(lines)) | {"kind": "window", "chains": chains}
    context = {"settings": point.settings, "init": window.init, "lines": lines, "save": window.save}
    setup: dict[str, int | float | str] = {
        "kind": "window",
        "bytes": _inside(generator.device, str(probe.definition.constants["level"])),
    }
    return context, expect, {"pairs": 1.0, "instructions": float(len(lines))}, setup


def _misses(generator: CpuGenerator, probe: Probe, point: PlannedPoint) -> Parts:
    chains = int(point.settings["chains"])
    made = generator.assembly.misses(chains)
    expect = generator.expected(list(made.body))
    # addresses of a list join no two loads; that each is taken from it, the histogram tells
    expect |= {"kind": "independent", "chains": chains} if chains else {"kind": "list"}
    context: dict[str, Any] = {"settings": point.settings}
    context |= {
        name: [f"  {line}" for line in lines]
        for name, lines in (("init", made.init), ("lines", made.body), ("save", made.save))
    }
    setup: dict[str, int | float | str] = {
        "kind": "misses",
        "chains": chains,
        "loads": made.loads,
        "bytes": _inside(generator.device, str(probe.definition.constants["level"])),
    }
    return context, expect, {"loads": float(made.loads)}, setup


def _footprint(generator: CpuGenerator, _probe: Probe, point: PlannedPoint) -> Parts:
    filler = generator.assembly.filler(str(point.settings["instruction"]))
    times = int(point.settings["bytes"]) // len(filler.unit)
    total = times * filler.instructions
    expect: dict[str, int | str] = {
        filler.opcode: total,
        "kind": "footprint",
        "chains": 0,
        "unit": len(filler.unit),
    }
    context = {
        "settings": point.settings,
        "init": filler.init,
        "times": times,
        "unit": len(filler.unit),
        "value": f"{int.from_bytes(filler.unit[:4], 'little'):#x}",
    }
    work = {"steps": float(total), "instructions": float(total), "bytes": float(total * filler.length)}
    return context, expect, work, {"kind": "footprint"}


_STREAMS = {
    "read": (1, 1),
    "write": (1, 1),
    "copy": (2, 2),
    "triad": (3, 3),
    "nt_write": (1, 1),
    "nt_copy": (2, 2),
}
"""Kernel -> arrays, and bytes counted per byte of one array."""


def _stream(generator: CpuGenerator, _probe: Probe, point: PlannedPoint) -> Parts:
    kernel = str(point.settings["kernel"])
    arrays, counted = _STREAMS[kernel]
    stream = generator.assembly.stream(kernel, generator.device.features)
    step = stream.step
    size = int(point.settings["bytes"])
    each, part = _sliced(size // arrays, step, SLICE_BYTES)
    cores = int(point.settings["cores"])
    if cores > generator.device.cores:
        raise Unsupported(f"{cores} cores wanted, {generator.device.cores} may be used")
    context = {
        "settings": point.settings,
        "kernel": kernel,
        "threads": 1 if cores > 1 else 0,
        **stream.context,
    }
    setup: dict[str, int | float | str] = {
        "kind": "stream",
        "arrays": arrays,
        "array_bytes": each,
        "slice_bytes": part,
        **point.settings,
        "vector_bytes": stream.vector_bytes,
    }
    return context, {"kind": "stream", **stream.opcodes}, {"bytes": float(part * counted)}, setup


def _sliced(size: int, step: int, most: int) -> tuple[int, int]:
    """Bytes of an array of about `size`, and of its slices of at most `most`: whole turns of `step`."""
    each = max(step, size // step * step)
    slices = -(-each // most)
    part = max(step, each // slices // step * step)
    return part * slices, part


ARITHMETIC = 64
"""Multiply-adds of a group from which on slices are shorter, the more the shorter: a repetition takes no
longer."""


def _intensity_sweep(generator: CpuGenerator, probe: Probe, point: PlannedPoint) -> Parts:
    """A stream from a level whose loads have multiply-adds between them."""
    wanted = int(point.settings["multiply_adds"])
    blend = generator.assembly.blend(wanted, generator.device.features)
    level = str(point.settings["level"])
    size = _inside(generator.device, level)
    each, part = _sliced(size, blend.step, SLICE_BYTES // max(1, wanted // ARITHMETIC))
    expect = generator.expected([line for line in blend.body if not line.endswith(":")])
    turn = {"loaded": blend.step, "accumulators": blend.accumulators, "multiply_adds": blend.multiply_adds}
    context = {"settings": point.settings, "init": blend.init, "lines": blend.body, "save": blend.save}
    setup: dict[str, int | float | str] = {
        "kind": "stream",
        "arrays": 1,
        "array_bytes": each,
        "slice_bytes": part,
        "bytes": size,
        "cores": 1,
        "vector_bytes": blend.vector_bytes,
    }
    work = {"bytes": float(part), "flop": part * blend.flop_per_byte}
    return context, {"kind": "blend", **turn, **expect}, work, setup


def _loop(generator: CpuGenerator, probe: Probe, point: PlannedPoint) -> Parts:
    """A validation loop: its text and its arrays stand in the definition's constants."""
    constants = probe.definition.constants
    body = str(constants["body"])
    expect = generator.expected([line for line in body.splitlines() if line.strip()]) | {"kind": "loop"}
    context = {"settings": point.settings, **{key: constants[key] for key in ("before", "body", "constants")}}
    setup: dict[str, int | float | str] = {"kind": "loop"}
    for name in ("a", "b", "c"):
        if name in constants:
            setup[name] = str(constants[name])
    return context, expect, {"rounds": 1.0, "items": float(constants["items"])}, setup


def _form(generator: CpuGenerator, probe: Probe, point: PlannedPoint) -> Parts:
    """A question about one instruction form: its text and operands stand in the definition's constants."""
    body = generator.assembly.form(
        probe.title, probe.definition.constants, str(point.settings["of"]), generator.device.features
    )
    expect = generator.expected(list(body.turn) * body.times) | {"kind": body.kind}
    if body.chains:
        expect |= {"chains": body.chains}
    work = {"steps": float(body.steps), "instructions": float(body.steps), "beside": float(body.beside)}
    return {"settings": point.settings, "form": body}, expect, work, {"kind": "body"}


def _interleave(parts: list[list[str]]) -> list[str]:
    """Instructions of the parts in turn, spread evenly (a b a b, or a a b a a b)."""
    ranked = [((i + 0.5) / len(part), j, line) for j, part in enumerate(parts) for i, line in enumerate(part)]
    return [line for _, _, line in sorted(ranked, key=lambda row: row[:2])]


KINDS = {
    "chain": _chain,
    "independent": _independent,
    "sustained": _sustained,
    "pair": _pair,
    "chase": _chase,
    "window": _window,
    "misses": _misses,
    "outcomes": generator_branches.conditional,
    "jumps": generator_branches.jumps,
    "calls": generator_branches.calls,
    "footprint": _footprint,
    "access": generator_accesses.accesses,
    "stream": _stream,
    "intensity_sweep": _intensity_sweep,
    "loop": _loop,
    "form": _form,
}
"""Template name -> what it needs; a new template is a file and a row here."""
