"""Sentences about single instructions and about pairs of them."""

from __future__ import annotations

from reportgen.analysis.quantity import Quantity
from reportgen.findings.evidence import central
from reportgen.findings.wording.names import with_article
from reportgen.findings.wording.numbers import amount, listed, one, percent


def _subject(title: str) -> str:
    subject = with_article(title)
    return f"{subject}," if "," in title else subject


def _operands(trivial: str, title: str) -> str:
    return f" on {trivial} operands" if trivial and "trivial" not in title else ""


def latency(
    title: str, quantity: Quantity, trivial: str = "", companions: tuple[str, ...] | list[str] = ()
) -> str:
    """Measured: how often a dependent instruction can start.

    Args:
        title: what people call the operation.
        quantity: cycles an instruction.
        trivial: `trivial` or `non-trivial` where time depends on operands.
        companions: titles of operations whose latency was subtracted from the chain's step.
    """
    subject = _subject(title)
    sentence = (
        f"{subject} whose operand is the previous result can start every {amount(quantity)}"
        f"{_operands(trivial, title)}."
    )
    if companions:
        others = listed([f"“{name}”" for name in companions])
        sentence += f" A step of the chain also holds {others}, whose own latency is subtracted."
    return sentence


ON_GPU = " on one multiprocessor, each for a warp"
"""Where instructions of a GPU start, and what one of them is."""


def throughput(
    title: str,
    quantity: Quantity,
    knee: int | None = None,
    trivial: str = "",
    at_front_end: bool = False,
    *,
    gpu: bool = False,
) -> str:
    """Measured: how many independent instructions start each cycle.

    Args:
        title: what people call the operation.
        quantity: instructions a cycle.
        knee: independent chains from which the plateau holds.
        trivial: `trivial` or `non-trivial` where time depends on operands.
        at_front_end: the rate is that of the front end, so it bounds what lies behind.
        gpu: the rate is that of a multiprocessor.
    """
    chains = "one chain" if knee == 1 else f"{knee} independent chains"
    if gpu:
        warps = quantity.details.get("warps")
        chains += f" in each of {warps} warps" if warps else " a warp"
    reached = f", reached with {chains}" if knee else ""
    bound = " The front end issues no faster, so what lies behind it may be." if at_front_end else ""
    if at_front_end and gpu:
        bound = (
            " The schedulers of a multiprocessor issue no faster, so what lies behind them may be; what "
            "counts the turns takes up to two in a hundred of their slots."
        )
    return (
        f"Independent instructions of the kind “{title}” start at {amount(quantity)}{ON_GPU if gpu else ''}"
        f"{_operands(trivial, title)}{reached}.{bound}"
    )


def throughput_bound(title: str, quantity: Quantity, trivial: str = "", *, gpu: bool = False) -> str:
    """Censored: the rate still rose with the most chains, so there is a bound and no plateau."""
    bound = quantity.low if quantity.low is not None else central(quantity)
    return (
        f"Independent instructions of the kind “{title}” start at a rate of at least "
        f"{one(bound, quantity.unit)} (n = {quantity.n:,}){ON_GPU if gpu else ''}"
        f"{_operands(trivial, title)}: the rate still rose with the most chains that were tried."
    )


def issue_interval(title: str, quantity: Quantity, trivial: str = "", *, gpu: bool = False) -> str:
    """Measured: the reciprocal of the throughput."""
    return (
        f"{_subject(title)} that waits for no recent result can start every "
        f"{amount(quantity).replace(' cycles each', ' cycles')}{ON_GPU if gpu else ''}"
        f"{_operands(trivial, title)}."
    )


def interference(first: str, second: str, quantity: Quantity) -> str:
    """Measured: the index alone, with its scale."""
    if first == second:
        return (
            f"Two copies of “{first}” together score an interference index of {amount(quantity)}, on a scale "
            "where 0 is independent and 1 is serialised: the control for all pairs with it."
        )
    return (
        f"“{first}” and “{second}” together score an interference index of {amount(quantity)}, on a scale "
        "where 0 is independent and 1 is serialised."
    )


def another_proportion(why: str) -> str:
    """Measured, after the sentence of a pair whose index is low in this mix and not in every one."""
    return f" But {why}." if why else ""


def interference_not_detected(first: str, second: str, quantity: Quantity) -> str:
    """Measured, nothing seen: says so, and that this is not a proof of independence."""
    return (
        f"No interference of “{first}” with “{second}” was detected: the index is {amount(quantity)}, on a "
        "scale where 0 is independent and 1 is serialised. A resource that this mix does not fill may still "
        "serve both."
    )


def interference_undecided(first: str, second: str, quantity: Quantity, why: str) -> str:
    """Measured, but the run cannot tell; `why` says what stands in the way."""
    return (
        f"Whether “{first}” and “{second}” interfere cannot be told from this run: the index is "
        f"{amount(quantity)}, on a scale where 0 is independent and 1 is serialised, and {why}."
    )


def arrangement(cycles: dict[str, float]) -> str:
    """Measured, after the sentence of a pair whose arrangements differ; `cycles` a group, fastest first."""
    if len(cycles) < 2:
        return ""
    (fast, least), *others = cycles.items()
    rest = listed([f"{more:.3g} {name}" for name, more in others])
    return (
        f" The arrangement of the instructions matters: a group takes {least:.3g} cycles {fast} and {rest}; "
        "the fastest counts, because what both need would slow every arrangement."
    )


def sharing(
    first: str,
    second: str,
    quantity: Quantity,
    partly: bool = False,
    excluded: tuple[str, ...] = (),
    why: str = "",
) -> str:
    """Inferred: an explanation of the lost throughput, worded as one that fits and no more.

    Args:
        first: title of the operation that was there.
        second: title of the operation that was added.
        quantity: the interference index.
        partly: the index lies between independent and serialised.
        excluded: explanations that this run's evidence rules out, each with that evidence in brackets.
        why: in which other proportion the index rises, where this one hides it.
    """
    extent = "part of the throughput" if partly else "throughput"
    ruled_out = f" Ruled out as an explanation: {'; '.join(excluded)}." if excluded else ""
    further = another_proportion(why) + ruled_out
    return (
        f"Adding “{second}” to “{first}” reduced {extent} in a way consistent with competition for a shared "
        f"internal resource: the interference index is {amount(quantity)}.{further}"
    )


def competitors(operations: list[str], alternatives: tuple[str, ...]) -> str:
    """Inferred, for the model: "competes with a, b; alternatives not excluded: ..."."""
    if not operations:
        return ""
    return f"competes with {', '.join(operations)}; alternatives not excluded: {', '.join(alternatives)}"


def operand_dependence(title: str, trivial: Quantity, other: Quantity) -> str:
    """Measured: one operation takes another time on other operands."""
    direction = "longer" if central(other) > central(trivial) else "less time"
    return (
        f"The latency of “{title}” depends on its operands: {amount(trivial)} on trivial ones, "
        f"{amount(other)} on others, which take {direction}."
    )


def steady_clock(n: int, agreement: float) -> str:
    """Evidence that excludes a change of clock during the samples."""
    return (
        f"both calibrations beside each of the {n} accepted samples agree within {percent(agreement)}, and "
        "times are in cycles of that clock"
    )


def front_end_idle(room: float) -> str:
    """Evidence that excludes the front end; `room` is the mix's time over the front end's own."""
    return f"the mix takes {room:.2f} times what the front end needs to issue it"


def front_end_quicker(times: float) -> str:
    """The same on a GPU, by another pair; `times` its instructions a cycle over those of this mix."""
    return f"another pair of this run starts {times:.2f} times as many instructions a cycle"


def registers_read(index: float) -> str:
    """Evidence that excludes reads of registers; `index` what they account for at most."""
    if not index:
        return "no instruction of the mix reads two registers of one bank anew"
    return (
        "with one register a cycle from each of two banks, what the mix reads anew accounts for an index of "
        f"{index:.2f} at most"
    )
