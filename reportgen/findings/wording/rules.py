"""Sentences about several quantities, or about the run as a whole."""

from __future__ import annotations

from reportgen.analysis.quantity import Quantity
from reportgen.findings.evidence import central
from reportgen.findings.finding import Verdict
from reportgen.findings.wording.names import counted, kernel, level
from reportgen.findings.wording.numbers import amount, one, percent
from reportgen.status import Status


def reported_capacity(
    what: str, size: float, quantity: Quantity, agrees: bool, who: str = "operating system"
) -> str:
    """What the system reports and what was measured, side by side; neither is bent to the other."""
    if quantity.status is Status.CENSORED and quantity.low is not None:
        measured = f"at least {one(quantity.low, quantity.unit)}"
    elif quantity.low is None or quantity.high is None:
        measured = one(central(quantity), quantity.unit)
    else:
        measured = f"between {one(quantity.low, quantity.unit)} and {one(quantity.high, quantity.unit)}"
    end = "The two agree." if agrees else "The two disagree."
    return (
        f"The {who} reports {one(size, quantity.unit)} of {what}; the measured boundary is "
        f"{measured} (n = {quantity.n:,}). {end}"
    )


def reported_ways(
    what: str, size: float, quantity: Quantity, agrees: bool, who: str = "operating system"
) -> str:
    """The same for the associativity of a level."""
    end = "The two agree." if agrees else "The two disagree."
    return (
        f"The {who} reports {one(size, quantity.unit)} ways in {what}; measured is {amount(quantity)}. {end}"
    )


def reported_line(size: float, quantity: Quantity, agrees: bool, who: str = "operating system") -> str:
    """The same for the cache line."""
    end = "The two agree." if agrees else "The two disagree."
    return (
        f"The {who} reports a line of {one(size, quantity.unit)}; measured is "
        f"{one(central(quantity), quantity.unit)} (n = {quantity.n:,}). {end}"
    )


def probes_disagree(noun: str, first: Quantity, second: Quantity) -> str:
    """Two probes of one quantity that give two values: both are shown, no mean is taken."""
    return (
        f"Two probes disagree about {noun}: {first.probe} gives {amount(first)}, {second.probe} gives "
        f"{amount(second)}. No mean is taken."
    )


def transients(samples: int) -> str:
    """Samples at the start of every visit that were slower than the rest over the whole run."""
    which = "sample" if samples == 1 else f"{samples} samples"
    return (
        f"The first {which} of a visit took longer than its later ones, over all visits of the run: caches, "
        "predictors and clocks were still settling. No number rests on them; they are kept in the raw data."
    )


def drift(change: float, slow: float, fast: float, noticed: bool, gpu: bool = False) -> str:
    """How far the clock of the core, or of the multiprocessors of a GPU, moved over the run."""
    ends = f"{one(slow, 'hertz')} to {one(fast, 'hertz')}"
    if gpu and noticed:
        return (
            f"The clock of the multiprocessors moved by {percent(change)} over the run, from {ends}; every "
            "sample carries its own pair of clock and time."
        )
    if gpu:
        return (
            f"No drift of the multiprocessors' clock beyond {percent(change)} was detected over the run "
            f"(marks from {ends})."
        )
    if noticed:
        return (
            f"The core clock seen by the canary moved by {percent(change)} over the run, from {ends}; every "
            "sample carries its own calibration."
        )
    return (
        f"No drift of the core clock beyond {percent(change)} was detected over the run (canary marks from "
        f"{ends})."
    )


def acceptance(accepted: int, total: int, gpu: bool = False) -> str:
    """How many samples of the run passed the gates."""
    gates = "gates of clock and results" if gpu else "gates of clock and issue rate"
    return (
        f"{accepted:,} of {total:,} samples ({percent(accepted / total)}) passed the {gates}; the others are"
        " kept in the raw data, marked with the reason."
    )


def small_pages(name: str, small: Quantity, huge: Quantity) -> str:
    """Inferred: loads that are slower on small pages, in a way that translation would explain."""
    return (
        f"In the {level(name)} range a dependent load takes {amount(small)} on small pages and "
        f"{amount(huge)} with huge pages requested, a difference consistent with the cost of address "
        "translation."
    )


def small_pages_not_detected(name: str, small: Quantity, huge: Quantity) -> str:
    """Measured, nothing seen: the page size makes no difference that this run can see."""
    return (
        f"In the {level(name)} range no influence of the page size was detected: a dependent load takes "
        f"{amount(small)} on small pages and {amount(huge)} with huge pages requested."
    )


def hypothesis(probe: str, text: str, verdict: Verdict, reason: str) -> str:
    """How the hypothesis of a probe over several metrics ends, and why where the rule alone does not say."""
    why = f": {reason.rstrip('.')}" if reason and verdict is not Verdict.SUPPORTED else ""
    word = "undecided in" if verdict is Verdict.UNDECIDED else f"{verdict} by"
    return f"The hypothesis of {probe}, “{text.rstrip('.')}”, is {word} this run{why}."


def scaling(name: str, kernel_name: str, one_core: Quantity, all_cores: Quantity, cores: int) -> str:
    """Measured: what all cores together reach, relative to one."""
    ratio = central(all_cores) / central(one_core)
    return (
        f"All {cores} cores together reach {one(ratio, 'ratio')} times the {kernel(kernel_name)} bandwidth "
        f"of one core in the {level(name)} range, {amount(all_cores)} against {amount(one_core)}; "
        f"{counted(kernel_name)}."
    )
