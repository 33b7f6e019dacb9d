"""A machine model of OSACA (Laukemann et al., PMBS 2018) from the resource model: YAML, x86-64.

Ports are the abstract resources of the run.  Forms are those that were measured; any other instruction is
absent, which OSACA marks as unknown.  Operands stand in AT&T order, as in OSACA's own models.  Keys whose
values no probe asks for (reorder buffer, scheduler) are null.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from reportgen.model.architecture import Architecture
from reportgen.model.exports import heading
from reportgen.model.exports.scheduled import LOADS, STORES, Schedule, Scheduled, caveats, schedule
from reportgen.units import significant

ISA = "x86_64"
_WIDTHS = {"128": "xmm", "256": "ymm", "512": "zmm"}
REGISTERS = ("gpr", "mm", "xmm", "ymm", "zmm", "k")
_PARTS = {"x": "xmm", "y": "ymm", "z": "zmm", "r8": "gpr", "r16": "gpr", "r32": "gpr", "r64": "gpr"}
"""`{d.x}`: the same register at another width."""
_OPERAND = re.compile(r"\{[abdt](?:\.(\w+))?\}")
_MEMORY = re.compile(r"\{m\d*\}|\[\{d\}\]")


def lacks(architecture: Architecture) -> str:
    """Why a run gives no machine model; empty where it does."""
    if architecture.isa != ISA:
        return f"it is written for {ISA}, and this run is of {architecture.isa}"
    if not schedule(architecture).known:
        return "no operation of this run has a rate and resources"
    return ""


def encode(architecture: Architecture) -> bytes:
    """The machine model as UTF-8."""
    known = schedule(architecture)
    lines = [f"# {line}" for line in (*heading.lines(architecture), *caveats(architecture))]
    lines += [
        "osaca_version: 0.7.1",
        f"micro_architecture: {_text(architecture.name)}",
        f"arch_code: {_text(architecture.device)}",
        "isa: x86",
        "# not measured: sizes of buffers",
        "ROB_size: null",
        "retired_uOps_per_cycle: null",
        "scheduler_size: null",
        "hidden_loads: false",
        *_memory(known),
        f"ports: [{', '.join(known.ports)}]",
        "port_model_scheme: |",
        "  abstract resources of the run, each serving one instruction at a time",
        "instruction_forms:",
    ]
    forms, without = _forms(known.known)
    lines += [line for one in forms for line in one]
    lines += ["# Operations that are absent:"]
    lines += [f"#   {operation}: {why}" for operation, why in (*known.left_out, *without)]
    return ("\n".join(lines) + "\n").encode()


def _memory(known: Schedule) -> Iterator[str]:
    """Latency and resources of loads and stores by kind of register."""
    loads = {_register(one): one for one in known.known if LOADS.fullmatch(one.operation)}
    stores = {_register(one): one for one in known.known if STORES.fullmatch(one.operation)}
    yield "# A latency of null was not measured; OSACA takes it as 0, so put your own number there."
    told = (f"{name}: {_latency(loads[name]) if name in loads else 'null'}" for name in REGISTERS)
    yield f"load_latency: {{{', '.join(told)}}}"
    for key, some, field in (("load", loads, "dst"), ("store", stores, "src")):
        yield f"{key}_throughput:" + ("" if some else " []")
        for name, one in some.items():
            place = f'{field}: {name}, base: "*", index: "*", offset: "*", scale: "*"'
            yield f"- {{{place}, port_pressure: {_pressure(one)}}}"
        default = next(iter(some.values()), None)
        yield f"{key}_throughput_default: {_pressure(default) if default is not None else '[]'}"


def _latency(one: Scheduled) -> str:
    value = one.latency.value if one.latency is not None else None
    return significant(value) if value is not None else "null"


def _pressure(one: Scheduled) -> str:
    return f"[[{significant(one.cycles)}, [{', '.join(one.ports)}]]]"


def _forms(known: Iterable[Scheduled]) -> tuple[list[list[str]], list[tuple[str, str]]]:
    """Entries of the instruction forms, and the operations that give none."""
    found: dict[tuple[str, tuple[str, ...]], Scheduled] = {}
    without: list[tuple[str, str]] = []
    for one in known:
        form = _parse(one)
        if form is None:
            without.append((one.operation, f"measured as '{one.form}', not as one register form"))
        elif form in found and "nontrivial" not in one.operation:
            without.append((one.operation, f"the form is that of {found[form].operation}"))
        else:
            if form in found:
                without.append((found[form].operation, f"the form is that of {one.operation}"))
            found[form] = one
    return [_entry(name, operands, one) for (name, operands), one in found.items()], without


def _parse(one: Scheduled) -> tuple[str, tuple[str, ...]] | None:
    """Mnemonic and operand kinds in AT&T order; None for a sequence, or an address that is computed."""
    mnemonic, _, rest = one.form.partition(" ")
    moves = LOADS.fullmatch(one.operation) or STORES.fullmatch(one.operation)
    if ";" in one.form or not rest:
        return None
    kinds = []
    for text in rest.split(","):
        operand = text.strip()
        match = _OPERAND.fullmatch(operand)
        if moves and _MEMORY.fullmatch(operand):
            kinds.append("memory")
            continue
        if match is not None:
            part = match.group(1)
            if part is not None and part not in _PARTS:
                return None
            kinds.append(_PARTS[part] if part is not None else _register(one))
        elif re.fullmatch(r"0x[0-9a-f]+|\d+", operand):
            kinds.append("imd")
        elif operand == "rax":
            kinds.append("gpr")
        else:
            return None
    return mnemonic, tuple(reversed(kinds))


def _register(one: Scheduled) -> str:
    """Kind of the operation's registers, by the mnemonic and the width in its name."""
    width = one.operation.rpartition("_")[2]
    if width in _WIDTHS:
        return _WIDTHS[width]
    if one.form.startswith("v"):
        return "xmm"
    return "k" if re.match(r"k[a-z]", one.form) else "gpr"


_OPERANDS = {
    "imd": ("class: immediate", "imd: int"),
    "memory": ("class: memory", 'base: "*"', 'offset: "*"', 'index: "*"', 'scale: "*"'),
}


def _entry(name: str, operands: tuple[str, ...], one: Scheduled) -> list[str]:
    latency = heading.told(one.latency) if one.latency is not None else "latency not measured"
    lines = [f"# {one.operation}: {latency};", f"#   {one.origin}", f"- name: {name}", "  operands:"]
    for kind in operands:
        first, *others = _OPERANDS.get(kind, ("class: register", f"name: {kind}"))
        lines += [f"  - {first}", *(f"    {other}" for other in others)]
    assert one.interval.value is not None
    return [
        *lines,
        f"  latency: {_latency(one)}",
        f"  throughput: {significant(one.interval.value)}",
        f"  port_pressure: {_pressure(one)}",
    ]


def _text(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
