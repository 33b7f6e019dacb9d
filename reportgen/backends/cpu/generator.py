"""A point -> assembly, by the family's template for the device's ISA."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import jinja2

from reportgen.backends.base import Source
from reportgen.backends.cpu import (
    generator_accesses,
    generator_branches,
    generator_communication,
    generator_streams,
    generator_trails,
)
from reportgen.backends.cpu.clock import CANARY_BLOCK, CHAIN_BLOCK, LENGTHS, SHORT_CHAIN
from reportgen.backends.cpu.generator_sequences import sequence
from reportgen.backends.cpu.generator_streams import inside
from reportgen.backends.cpu.isa import Bound, assembly
from reportgen.backends.cpu.processor import RDTSCP
from reportgen.backends.cpu.routines import ROUTINES
from reportgen.backends.layouts import pair_slots
from reportgen.errors import Unsupported
from reportgen.runs.schema import Device
from reportgen.suite.definition import Definition, Operation, PlannedPoint, Probe
from reportgen.suite.expand import MEMORY_SHARE
from reportgen.suite.location import probes_root

THROUGHPUT_INSTRUCTIONS = 384
"""Body length of throughput programs: a multiple of every accumulator count, short enough for the
micro-operation cache, long enough that the loop's one instruction pair is under 0.3 %."""
INTERFERENCE_GROUPS = 20
PROPORTION = re.compile(r"\d+to\d+")
"""Order of a pair that is a mix: `2to1` has the first operation's instructions twice."""
CHASE_UNROLL = 64
REACH = (1 << 20) - 8
"""Bytes of a body over which a conditional branch goes back, the counter before it included: 1 MiB on
AArch64.  On x86-64 it goes back over 2 GiB, and the frame does not ask."""
IN_FRAMES = ("loop", "form", "own_code")
"""Templates of probes that are made from code, not from a folder of definitions."""


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
                no_rdtscp=RDTSCP in self.device.reported,
                **{"threads": 0, "far": 0, **context},
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
    features = generator.device.features
    operations = [generator.operation(name) for name in names if name]
    chained = [not one.throughput for one in operations]
    operations = [generator.assembly.apart(one, features) for one in operations]
    sets: list[Bound] = []
    used: Counter[str] = Counter()
    for index, operation in enumerate(operations):
        bank, count = generator.assembly.share(operation, features)
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
    tied = sum(
        _chains(part, often * groups) for part, often, own in zip(sets, times, chained, strict=False) if own
    )
    expect = generator.expected(lines) | {"kind": "mixed" if all(chained) else "mixed_apart", "chains": tied}
    work = {
        "groups": float(groups),
        "first_count": float(len(parts[0])),
        "second_count": float(len(parts[1])) if len(parts) > 1 else 0.0,
        "instructions": float(sum(line.count("\n") + 1 for line in lines)),
    }
    return {"settings": point.settings, "sets": sets, "lines": lines}, expect, work, {"kind": "body"}


def _chains(part: Bound, turns: int) -> int:
    """Dependency chains of the accumulators in so many turns.

    One each; where each is written anew every time, one an instance that takes several instructions.
    """
    if not part.operation.throughput:
        return part.count
    return part.count * turns if "\n" in part.throughput(0) else 0


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
        setup["bytes"] = inside(generator.device, str(setup["level"]))
    if setup.get("layout") == "pair":
        l1, l2 = (int(generator.device.reported.get(f"{level}_bytes", 0)) for level in ("l1d", "l2"))
        setup["slots"] = pair_slots(l1, l2)
    if setup.get("layout") == "pages":
        _check_pages(generator.device, int(setup["count"]), int(setup["page"]))
    return {"settings": point.settings, "unroll": CHASE_UNROLL}, expect, {"steps": float(CHASE_UNROLL)}, setup


def _check_pages(device: Device, count: int, page: int) -> None:
    """One line of each page is visited, and all of it takes memory."""
    if device.memory_bytes and count * page > MEMORY_SHARE * device.memory_bytes:
        raise Unsupported(
            f"{count} pages of {page} bytes are more than {MEMORY_SHARE:.0%} of the memory that may be used"
        )


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
        "bytes": inside(generator.device, str(probe.definition.constants["level"])),
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
        "bytes": inside(generator.device, str(probe.definition.constants["level"])),
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
        "far": int(times * len(filler.unit) > REACH),
    }
    work = {"steps": float(total), "instructions": float(total), "bytes": float(total * filler.length)}
    return context, expect, work, {"kind": "footprint"}


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


def _own_code(generator: CpuGenerator, probe: Probe, point: PlannedPoint) -> Parts:
    """Rounds of the user's own code, which stands in the definition's constants."""
    constants, rounds = probe.definition.constants, int(point.settings["rounds"])
    body = generator.assembly.own_code(constants, rounds, generator.device.features)
    expect: dict[str, int | str] = {
        "kind": "own_code", "text": "\n".join(body.expected), "unproven": str(constants["unproven"]),
    }  # fmt: skip
    work = {"steps": float(rounds), "instructions": float(rounds * len(constants["lines"]))}
    context = {"settings": point.settings, "own": body, "unroll": constants["unroll"]}
    return context, expect, work, {"kind": "loop", "a": str(constants["array"])}


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
    "sequence": sequence,
    "window": _window,
    "misses": _misses,
    "outcomes": generator_branches.conditional,
    "jumps": generator_branches.jumps,
    "untaken": generator_branches.untaken,
    "rounds": generator_branches.rounds,
    "calls": generator_branches.calls,
    "footprint": _footprint,
    "access": generator_accesses.accesses,
    "shared": generator_communication.shared,
    "trail": generator_trails.trail,
    "stream": generator_streams.stream,
    "intensity_sweep": generator_streams.intensity_sweep,
    "loop": _loop,
    "form": _form,
    "own_code": _own_code,
}
"""Template name -> what it needs; a new template is a file and a row here."""
