"""Sentences about what waits for others on a GPU: barriers, fences, atomics that meet, paths of a warp."""

from __future__ import annotations

from reportgen.analysis.quantity import Quantity
from reportgen.findings.metric import Kind, MetricId
from reportgen.findings.wording.numbers import amount, one

KINDS = frozenset(
    {Kind.BARRIER, Kind.FENCE, Kind.CONFLICT, Kind.TOGETHER, Kind.ATOMIC_RATE, Kind.PATH, Kind.PATH_FACTOR}
)
FURTHER = "further"
BARRIERS = {
    "block": "a barrier of a block",
    "memory": "a barrier in shared memory (mbarrier)",
    "cluster": "a barrier of a cluster",
}
_COUNTED = {"block": "warp", "memory": "warp", "cluster": "block"}
"""What meets at a barrier."""
FENCES = {"block": "its block", "device": "the device", "system": "the system"}
CASES = {"alone": "with nothing to wait for", "behind_store": "behind a store of its own"}
SPACES = {"shared": "shared memory", "global": "global memory"}
PLACES = {
    "one_address": "at one address for all",
    "own_address": "at one address for each block",
    "one_line": "in one line of 32 words for all",
    "spread": "at an own word for each thread",
}


def noun(name: MetricId) -> str:
    """A metric of these kinds as a noun phrase."""
    subject, part = name.subject, name.part
    match name.kind:
        case Kind.BARRIER if part == FURTHER:
            what = _COUNTED.get(subject, subject)
            return f"what each further {what} adds to {BARRIERS.get(subject, subject)}"
        case Kind.BARRIER:
            return f"the time of {BARRIERS.get(subject, subject)} of {_meeting(name)}"
        case Kind.FENCE:
            return f"the time of a fence for {FENCES.get(subject, subject)}, {CASES.get(part, part)}"
        case Kind.CONFLICT:
            return f"the cost of a further lane at one address, atomic adds in {SPACES.get(subject, subject)}"
        case Kind.TOGETHER:
            where = SPACES.get(subject, subject)
            return f"the time of atomic adds in {where} with all lanes at one address over each at its own"
        case Kind.ATOMIC_RATE:
            return f"the rate of atomic adds of the device {PLACES.get(subject, subject)}"
        case Kind.PATH:
            return "the cost of a further path of a warp"
        case _:
            return "the cost of a further path of a warp over the time of one alone"


def _meeting(name: MetricId) -> str:
    """`barrier.block.8` -> "8 warps"."""
    what = _COUNTED.get(name.subject, "")
    return f"{name.part} {what}{'' if name.part == '1' else 's'}"


def measured(name: MetricId, quantity: Quantity) -> str:
    """Measured: the sentence of one of these metrics."""
    subject = name.subject
    match name.kind:
        case Kind.BARRIER if name.part == FURTHER:
            counts = quantity.details.get(quantity.details.get("of", ""), ())
            what = _COUNTED.get(subject, subject)
            over = f" between {counts[0]} and {counts[-1]} {what}s" if counts else ""
            return f"Each further {what} adds {amount(quantity)} to {BARRIERS.get(subject, subject)}{over}."
        case Kind.BARRIER:
            text = BARRIERS.get(subject, subject)
            fence = ", the fence that is part of it included" if subject == "cluster" else ""
            return f"{text[0].upper()}{text[1:]} at which {_come(name)} takes {amount(quantity)}{fence}."
        case Kind.FENCE:
            return (
                f"A fence that orders accesses for {FENCES.get(subject, subject)} takes {amount(quantity)} "
                f"{CASES.get(name.part, name.part)}{_included(name)}."
            )
        case Kind.CONFLICT:
            where = SPACES.get(subject, subject)
            return (
                f"Each further lane of a warp that meets the others at one address in {where} adds "
                f"{amount(quantity)} to an atomic add."
            )
        case Kind.TOGETHER:
            return _together(subject, quantity)
        case Kind.ATOMIC_RATE:
            best = quantity.details.get("best")
            shape = f", best with {best} block{'' if best == 1 else 's'} of 256 threads" if best else ""
            return f"The GPU does {amount(quantity)} of atomic adds {PLACES.get(subject, subject)}{shape}."
        case Kind.PATH:
            return f"Each further path that lanes of a warp take adds {amount(quantity)} to its time."
        case _:
            return _factor(quantity)


def _come(name: MetricId) -> str:
    return f"{_meeting(name)} {'meets' if name.part == '1' else 'meet'}"


def _included(name: MetricId) -> str:
    return ", the store included" if name.part == "behind_store" else ""


def _together(space: str, quantity: Quantity) -> str:
    text = (
        f"With all lanes of a warp at one address an atomic add in {SPACES.get(space, space)} takes "
        f"{amount(quantity)} times as long as with each at its own"
    )
    return f"{text}{'' if _apart(quantity) else ': no difference was detected'}."


def _factor(quantity: Quantity) -> str:
    alone = quantity.details.get("alone")
    of = f" ({one(float(alone), 'cycle')})" if alone else ""
    text = f"A further path of a warp takes {amount(quantity)} times as long as one path alone{of}"
    serial = quantity.low is not None and quantity.high is not None and quantity.low <= 1 <= quantity.high
    return f"{text}{', as if paths were gone through one after the other' if serial else ''}."


def _apart(quantity: Quantity) -> bool:
    """Whether a ratio is another than one, by its interval."""
    return quantity.low is None or quantity.high is None or quantity.high < 1 or quantity.low > 1
