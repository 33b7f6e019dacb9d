"""What the kernels of a suite do, for the stand-in of the driver (`tests/data/cuda_stand_in/plan.h`)."""

from __future__ import annotations

from collections.abc import Iterable

from reportgen.backends.base import Build, Source
from reportgen.backends.cuda.chase import LEAD
from reportgen.backends.cuda.copied import FROM

KINDS = {"trace": "t", "l2_matrix": "m", "bulk": "u", "body": "b", "empty": "b", "crowd": "g"}
"""Kind of a source -> letter; chases go by their path, and all else is timed as a whole."""
PATHS = {"texture": "x", "constant": "k", "shared": "h", "local": "h"}
NUMBERS = {"loads": "l", "windows": "w", "lines": "w", "rounds": "r", "turns": "T"}
WHOLE_NS, LEAST_NS = 400_000.0, 20_000.0
"""Of a launch of a loop that keeps the device busy, and of the least of those that are timed as a whole."""
RATE, BANDWIDTH = 2.0e13, 4.0e12
"""FLOP and bytes a second of plain kernels."""
OTHER_CYCLES = 130
"""Of a window that nothing predicts."""


def lines(made: Iterable[tuple[Source, Build]]) -> str:
    """One line a kernel."""
    known: dict[str, str] = {}
    for source, build in made:
        setup = source.setup
        if source.text and setup["kernel"] not in known:
            facts = build.program.facts if build.program is not None else {}
            kind = str(setup.get("kind", "body"))
            letter = PATHS.get(str(setup.get("path")), "c") if kind == "chase" else KINDS.get(kind, "w")
            moved = 0
            if kind == "stream":
                moved = int(setup["unroll"]) * int(setup["vector_bytes"]) * int(setup["arrays"])
            cycles = int(facts.get("predicted_window", OTHER_CYCLES))
            counts = f"{setup.get('unroll', 1)} {setup.get('steps', LEAD)} {cycles}"
            named = f"{setup['kernel']} {letter} {_arguments(setup)}"
            known[str(setup["kernel"])] = f"{named} {counts} {_ns(source):.1f} {moved}\n"
    return "".join(known.values())


def _ns(source: Source) -> float:
    """Of a launch that is timed as a whole, beside what it moves as a stream; a turn where it takes some."""
    setup = source.setup
    kind = setup.get("kind")
    if kind in ("saturated", "held"):
        return WHOLE_NS / int(setup["turns"])
    if kind == "crowd":
        return LEAST_NS
    if kind == "kernel":
        work = source.work
        return max(work.get("flop", 0.0) / RATE, work.get("bytes", 0.0) / BANDWIDTH) * 1e9
    return 0.0


def _arguments(setup: dict[str, int | float | str]) -> str:
    return "".join(_letter(word.strip(), setup) for word in str(setup["arguments"]).split(";"))


def _letter(word: str, setup: dict[str, int | float | str]) -> str:
    kind, _, rest = word.partition(":")
    wide = "long long" in rest or "double" in rest
    if kind == "output":
        return "O" if wide else "o"
    if kind == "clocks":
        return "C" if wide else "c"
    if kind == "node":
        return "n" if rest == "address" else "i"
    if kind == "count":
        return NUMBERS.get(rest, "s")
    if kind == "setting":
        return {"turns": "T", "each": "e"}.get(rest, "s")
    if kind == "totals" and "each" in setup:
        return "A"
    if kind == "value":
        return "p" if setup.get("precision") == "fp64" else "s"
    if word == FROM:
        return "f"
    if kind == "number":
        return "B"
    return {"nodes": "N", "texture": "x", "tensor map": "t", "size": "s"}.get(kind, "p")
