"""Programs that the simulated CPU claims to have run: plausible listings for reports."""

from __future__ import annotations

import hashlib

from reportgen.runs.schema import Point, ProbeInfo, Program


def program_of(probe: ProbeInfo, point: Point) -> Program | None:
    """Source, listing and verdict of a point, or None where no machine code is generated."""
    form = str(probe.constants.get("form", ""))
    if not form or not point.work:
        return None
    names = {"{d}": "xmm0" if form.startswith("v") else "rax", "{t}": "rcx"}
    names |= {"{a}": "xmm14" if form.startswith("v") else "r14", "{b}": "xmm15"}
    for placeholder, register in names.items():
        form = form.replace(placeholder, register)
    lines = [line.strip() for line in form.split(";")]
    count = int(point.work["instructions"]) // len(lines)
    source = f".rept {count}\n" + "".join(f"    {line}\n" for line in lines) + ".endr\n    ret\n"
    listing = "\n".join(f"{4 * at:06x}  {line}" for at, line in enumerate(lines * count))
    opcodes = {line.split()[0]: 0 for line in lines}
    for line in lines:
        opcodes[line.split()[0]] += count
    wanted = ", ".join(f"{n} {name}" for name, n in opcodes.items())
    return Program(
        sha256=hashlib.sha256((point.id + source).encode()).hexdigest(),
        source=source,
        listing=listing + f"\n{4 * count * len(lines):06x}  ret",
        opcodes=opcodes,
        verdict="verified",
        explanation=f"Wanted {wanted}; found the same and nothing else in the timed region.",
        size=4 * count * len(lines) + 1,
        facts={"chains": int(point.settings.get("accumulators", 1)), "spills": 0},
    )
