"""Sentences about what machine code says without running.  None of them says that anything was measured."""

from __future__ import annotations

import re

from reportgen.analysis.quantity import Quantity
from reportgen.findings.evidence import central
from reportgen.findings.metric import MetricId
from reportgen.findings.wording.numbers import listed, one

MOST_KINDS = 4
"""Kinds of instruction that a sentence names."""


def toolkit(quantity: Quantity) -> str:
    """The toolkit that made the code: "CUDA 13.5"."""
    found = re.search(r"\d+\.\d+", str(quantity.details.get("toolkit", "")))
    return f"CUDA {found.group()}" if found else "the CUDA toolkit"


def kinds(quantity: Quantity) -> list[str]:
    """Kinds of machine instruction of the window, the most frequent first."""
    counted = quantity.details.get("opcodes", {})
    return sorted(counted, key=lambda name: (-counted[name], name))


def _named(title: str, quantity: Quantity) -> str:
    """The instruction and the operation: "FFMA (FP32 fused multiply-add)"; of several, the step they form."""
    found = kinds(quantity)
    if len(found) == 1 or (found and quantity.details.get("per_step") == 1):
        return f"{' or '.join(found)} ({title})"
    more = f" and {len(found) - MOST_KINDS} more" if len(found) > MOST_KINDS else ""
    return f"step of “{title}” ({', '.join(found[:MOST_KINDS])}{more})" if found else f"“{title}”"


def _cycles(value: float) -> str:
    return "1 cycle" if value == 1 else one(value, "cycle")


def latency(title: str, quantity: Quantity, isa: str) -> str:
    """Compiler-encoded: how far apart the assembler lets two dependent instructions issue.

    Args:
        title: what people call the operation.
        quantity: cycles; its details name instructions and toolkit.
        isa: the target.
    """
    return (
        f"The assembler of {toolkit(quantity)} schedules a dependent {_named(title, quantity)} "
        f"{_cycles(central(quantity))} after the one before on {isa}: read from the stall counts of its "
        "machine code, not measured on a device."
    )


def issue(title: str, quantity: Quantity, isa: str) -> str:
    """Compiler-encoded: the stall after an instruction that nothing waits for."""
    chains = quantity.details.get("accumulators", [])
    side_by_side = f"With {chains[-1]} independent chains" if chains else "Between independent instructions"
    return (
        f"{side_by_side} the assembler of {toolkit(quantity)} waits {_cycles(central(quantity))} after each "
        f"{_named(title, quantity)} on {isa}: a hint of how often it may issue, not a rate, and not measured "
        "on a device."
    )


def window(title: str, quantity: Quantity, isa: str) -> str:
    """Compiler-encoded: what the two clock reads around a chain would differ by."""
    steps = quantity.details.get("steps", 0)
    return (
        f"Around {steps} dependent steps of “{title}” the stall counts of {toolkit(quantity)} for {isa} add "
        f"up to {_cycles(central(quantity))} between the two clock reads: what a device would show if "
        "nothing else took time."
    )


def resource(name: MetricId, title: str, quantity: Quantity, isa: str) -> str:
    """Compiler-encoded: what a kernel of a probe takes."""
    amount = one(central(quantity), quantity.unit)
    taken = {
        "registers": f"gives a thread of the kernels of “{title}” at most {amount} registers",
        "shared": f"gives a block of the kernels of “{title}” at most {amount} of static shared memory",
        "stack": f"gives a thread of the kernels of “{title}” at most {amount} of stack",
    }
    return f"The compiler of {toolkit(quantity)} {taken.get(name.part, f'takes {amount}')} on {isa}."


def occupancy(title: str, quantity: Quantity, isa: str) -> str:
    """Nominal: how full one multiprocessor gets, by the vendor's limits."""
    low, high = quantity.low or 0.0, quantity.high or 0.0
    span = f"{100 * low:.0f} %" if low == high else f"{100 * low:.0f} % to {100 * high:.0f} %"
    named = (name for text in quantity.details.get("limited_by", ()) for name in text.split(", ") if name)
    limits = list(dict.fromkeys(named))
    return (
        f"By NVIDIA's limits for {isa} one multiprocessor holds {span} of its warps over the sweep of "
        f"“{title}” (limited by {listed(limits[:MOST_KINDS])}): worked out from the registers and the shared "
        "memory of the kernels, not measured on a device."
    )


def untimed(isa: str, probes: int) -> str:
    """What a run in which nothing ran cannot say, and what it would take."""
    return (
        f"Nothing was measured on a device in this run: the programs were built and inspected for {isa}, "
        f"none was run, so the hypotheses of its {probes} probes stay undecided. Deciding them takes a GPU "
        f"of {isa} with its driver, and a run on it."
    )
