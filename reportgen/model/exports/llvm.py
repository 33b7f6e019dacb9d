"""Scheduling numbers in the words of LLVM: `ProcResource`, `ProcResGroup`, `SchedWriteRes` as TableGen text.

To be included in the scheduling file of a target (`lib/Target/*/*Sched*.td`), whose `InstRW` lines say which
instructions use which of these.  LLVM counts whole cycles, so each number is rounded and stands unrounded in
the comment above it.  What was not measured (buffer sizes, issue width) is not set, and what
lacks a latency or resources is a comment.

`ReleaseAtCycles` is what LLVM 17 and older call `ResourceCycles`.
"""

from __future__ import annotations

import re

from reportgen.model.architecture import Architecture
from reportgen.model.exports import heading
from reportgen.model.exports.scheduled import Scheduled, caveats, schedule
from reportgen.units import significant


def lacks(architecture: Architecture) -> str:
    """Why a run gives no scheduling numbers; empty where it does."""
    if not any(one.latency is not None for one in schedule(architecture).known):
        return "no operation of this run has latency, rate and resources"
    return ""


def encode(architecture: Architecture) -> bytes:
    """The table as TableGen text, UTF-8."""
    known = schedule(architecture)
    prefix = camel(architecture.device)
    lines = [f"// {line}" for line in (*heading.lines(architecture), *caveats(architecture))]
    lines += [
        "",
        f"def {prefix}Model : SchedMachineModel {{",
        "  let CompleteModel = 0;",
        *_load_latency(known.known),
        *_mispredict_penalty(architecture),
        "  // not measured: IssueWidth, MicroOpBufferSize, LoopMicroOpBufferSize",
        "}",
        "",
        f"let SchedModel = {prefix}Model in {{",
        "",
        *(f"def {prefix}{camel(port)} : ProcResource<1>;" for port in known.ports),
        "",
    ]
    groups = dict.fromkeys(one.ports for one in known.known if len(one.ports) > 1)
    for ports in groups:
        members = ", ".join(f"{prefix}{camel(port)}" for port in ports)
        lines.append(f"def {_resource(prefix, ports)} : ProcResGroup<[{members}]>;")
    for one in known.known:
        lines += ["", *_write(prefix, one)]
    lines += ["", "}", "", "// Operations that are absent:"]
    lines += [f"//   {operation}: {why}" for operation, why in known.left_out]
    return ("\n".join(lines) + "\n").encode()


def camel(name: str) -> str:
    """An identifier as TableGen files have them: `amd-epyc-f25m17s1` -> `AmdEpycF25m17s1`."""
    return "".join(part[:1].upper() + part[1:] for part in re.split(r"\W+|_", name))


def _resource(prefix: str, ports: tuple[str, ...]) -> str:
    return prefix + "".join(camel(port) for port in ports)


def _load_latency(known: tuple[Scheduled, ...]) -> list[str]:
    load = next((one for one in known if one.operation == "l1_load"), None)
    if load is None or load.latency is None or load.latency.value is None:
        return ["  // LoadLatency: not measured"]
    return [f"  // {heading.told(load.latency)}", f"  let LoadLatency = {round(load.latency.value)};"]


def _mispredict_penalty(architecture: Architecture) -> list[str]:
    found = (fact for fact in architecture.facts if fact.metric == "branch.misprediction")
    fact = next(found, None)
    if fact is None or fact.value is None:
        return ["  // MispredictPenalty: not measured"]
    return [f"  // {heading.told(fact)}", f"  let MispredictPenalty = {round(fact.value)};"]


def _write(prefix: str, one: Scheduled) -> list[str]:
    """One `SchedWriteRes`, or the same as a comment where its latency is not known."""
    keeps = f"keeps its resource {significant(one.cycles)} cycles, {one.origin}"
    head = [
        f"// {one.title or one.operation}: {one.form}",
        f"// {heading.told(one.latency)}" if one.latency is not None else "// latency: not measured",
        f"// {heading.told(one.interval)}; {keeps}",
    ]
    name = f"{prefix}Write{camel(one.operation)}"
    body = f"def {name} : SchedWriteRes<[{_resource(prefix, one.ports)}]>"
    if one.latency is None or one.latency.value is None:
        return [*head, f"// {body}"]
    return [
        *head,
        f"{body} {{",
        f"  let Latency = {round(one.latency.value)};",
        f"  let ReleaseAtCycles = [{max(1, round(one.cycles))}];",
        "}",
    ]
