"""What the numbers of a section come to for somebody's code, in a few lines.

A line is arithmetic on measured numbers and leads to each of them; it has no confidence of its own, and
it is left out where a number that it needs is absent.  The lines are about CPUs: of a GPU nothing is said.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from reportgen.findings.metric import ALL_CORES
from reportgen.findings.wording.names import kernel, level, precision
from reportgen.model.architecture import Fact
from reportgen.site import blocks
from reportgen.site.markup import Html, anchor, element, escape, join
from reportgen.site.view import View
from reportgen.status import Status
from reportgen.units import format_bytes, format_interval, format_value, significant

WIDEST = ("fp32_fma_512", "fp32_fma_256", "fp32_fma_128", "fp32_fma")
"""Multiply-adds, the widest first."""
SELDOM = 0.1
"""Share of wrong predictions that the cost of a branch is told for."""
DIGITS = 3
"""Significant digits of a number in a line."""
WIDE = 1.3
"""Upper over lower end of an interval, beyond which a ratio of its value is not told."""
WORTH = 1.1
"""A ratio from which one way is told to be quicker than another."""
ROUNDED = 0.99
"""Of a product of latency and rate, so that 4.01 cycles at 1 a cycle are 4 accumulators."""
BYTES = {"fp64": 8, "fp32": 4, "bf16": 2}
"""Of a number, by precision."""

Lines = Iterator[Html]


def block(view: View, section: str) -> Html:
    """The lines of a section, or nothing where there are none.

    Args:
        view: the page.
        section: id of a section in `LINES`.

    Raises:
        KeyError: the section has no lines.
    """
    if view.report.evidence.gpu:
        return Html("")
    lines = [element("li", line) for line in LINES[section](view)]
    if not lines:
        return Html("")
    lead = element("b", "For your code")
    return element("div", join((lead, element("ul", join(lines)))), class_="rg-practice")


def _fact(view: View, metric: str) -> Fact | None:
    """A fact that was measured and has one value."""
    fact = view.report.fact(metric)
    usable = fact is not None and fact.value is not None and fact.status is Status.OK and fact.value > 0
    return fact if usable else None


def _bound(view: View, metric: str) -> Fact | None:
    """A boundary whose lower end was found."""
    fact = view.report.fact(metric)
    return fact if fact is not None and fact.low is not None and fact.status is Status.OK else None


def _said(text: str, **parts: object) -> Html:
    """A line, with `{name}` replaced by the part of that name."""
    return Html(str(escape(text)).format(**{name: escape(part) for name, part in parts.items()}))


def _to(fact: Fact, text: object) -> Html:
    """What leads to the row of a fact."""
    return anchor(text, f"#{fact.metric}")


def _shown(fact: Fact) -> Html:
    return _to(fact, blocks.number(fact, DIGITS))


def _value(fact: Fact) -> float:
    assert fact.value is not None
    return fact.value


def latency(view: View) -> Lines:
    """Division against multiplication."""
    divide, multiply = _fact(view, "latency.fp64_div_nontrivial"), _fact(view, "latency.fp64_mul")
    if divide is not None and multiply is not None and _value(divide) > WORTH * _value(multiply):
        yield _said(
            "A dependent FP64 division takes {divide}, a multiplication {multiply}: where a divisor stays "
            "the same and the rounding may differ, its reciprocal can be taken out of the loop.",
            divide=_shown(divide),
            multiply=_shown(multiply),
        )


def throughput(view: View) -> Lines:
    """How many accumulators hide a latency."""
    for operation in WIDEST:
        wait, rate = _fact(view, f"latency.{operation}"), _fact(view, f"throughput.{operation}")
        if wait is None or rate is None:
            continue
        chains = math.ceil(_value(wait) * _value(rate) * ROUNDED)
        if chains > 1:
            yield _said(
                "A sum by {title} in one accumulator waits {wait} for each step, while the core starts up to "
                "{rate} a cycle: it takes {chains} independent accumulators to reach that, and one reaches "
                "about 1/{chains} of it.",
                title=view.report.title(operation),
                wait=_shown(wait),
                rate=_to(rate, significant(_value(rate), 3)),
                chains=chains,
            )
        return


def memory(view: View) -> Lines:
    """What to stay below, and what a miss costs."""
    ends = [
        join((_to(fact, format_bytes(fact.low or 0.0, 3)), f" for {level(name)}"))
        for name in view.report.level_order()
        if (fact := _bound(view, f"memory.{name}.capacity")) is not None
    ]
    if ends:
        yield _said(
            "Block loops so that what is used again stays below the lower ends: {ends}.",
            ends=join(ends, ", "),
        )
    far, add = _fact(view, "memory.dram.latency"), _fact(view, "latency.fp64_add")
    if far is not None and add is not None:
        yield _said(
            "A load from memory whose address comes from the load before it takes {far}, the time of {adds} "
            "dependent FP64 additions: lists and trees larger than the caches wait, whatever they compute.",
            far=_shown(far),
            adds=significant(_value(far) / _value(add), 2),
        )
    many = _fact(view, "memory.dram.parallelism")
    if many is not None:
        yield _said(
            "Loads that do not depend on each other wait together, about {many} of them at once: several "
            "chains walked in turn take little longer than one.",
            many=_to(many, significant(_value(many), 2)),
        )


def in_flight(view: View) -> Lines:
    """How near two misses have to stand."""
    fact = _bound(view, "window.mixed")
    if fact is not None:
        yield _said(
            "Two loads that miss overlap by themselves where no more than about {low} instructions stand "
            "between them; farther apart, a prefetch or another order of the work can bring them together.",
            low=_to(fact, format_value(fact.low or 0.0, "count")),
        )


def branches(view: View) -> Lines:
    """A branch against a conditional move, and the depth of calls."""
    wrong, move = _fact(view, "branch.misprediction"), _fact(view, "latency.integer_select")
    if wrong is not None and move is not None:
        yield _said(
            "A branch that is predicted wrongly one time in {times} costs {mean} cycles a time on average "
            "({wrong} each); a conditional move adds {move} to its chain, and needs no prediction.",
            times=f"{1 / SELDOM:.0f}",
            mean=significant(SELDOM * _value(wrong), 2),
            wrong=_shown(wrong),
            move=_shown(move),
        )
    group = _fact(view, "branch.loop.group")
    if group is not None:
        yield _said(
            "A short loop of a few instructions more than {group} pays a whole cycle for them; unrolling "
            "spreads that over several rounds.",
            group=_shown(group),
        )
    deep = _bound(view, "branch.return.depth")
    if deep is not None:
        yield _said(
            "Recursion deeper than {deep} calls pays for its returns.",
            deep=_to(deep, format_value(deep.low or 0.0, "count")),
        )


def access(view: View) -> Lines:
    """Reading back, lying across, and lying alike."""
    whole, wide = _fact(view, "store_to_load.64_64.0"), _fact(view, "store_to_load.32_64.0")
    if whole is not None and wide is not None and _value(wide) > WORTH * _value(whole):
        yield _said(
            "Read back what was just stored by a load no wider than the store: {whole} from store to store "
            "through it, and {wide} where the load needs other bytes as well.",
            whole=_shown(whole),
            wide=_shown(wide),
        )
    straight, split = (_fact(view, f"access.split.{at}.store_64_interval") for at in ("aligned", "page"))
    if straight is not None and split is not None and _value(split) > WORTH * _value(straight):
        yield _said(
            "Keep stores from lying across 4 KiB pages: {split} each instead of {straight}.",
            split=_shown(split),
            straight=_shown(straight),
        )
    near, alike = _fact(view, "access.alias.2048"), _fact(view, "access.alias.4096")
    if near is not None and alike is not None and _value(alike) > WORTH * _value(near):
        yield _said(
            "Arrays that one loop reads and writes: where they lie a multiple of 4096 bytes apart, a load "
            "behind a store takes {alike} instead of {near}; padding can avoid it.",
            alike=_shown(alike),
            near=_shown(near),
        )


def communication(view: View) -> Lines:
    """Words of different cores."""
    size = view.report.fact("communication.false_sharing.locked_add.granule")
    if size is not None and size.high is not None and size.status is Status.OK:
        yield _said(
            "Words that different cores write stand best {size} and more apart.",
            size=_to(size, format_bytes(size.high)),
        )
    together, own = (
        _fact(view, f"communication.false_sharing.locked_add.{how}") for how in ("shared", "apart")
    )
    if together is not None and own is not None and _value(together) > WORTH * _value(own):
        yield _said(
            "Count in a word a core and add up in the end: an atomic addition takes {own} in a line of its "
            "own and {together} in one that another core adds to.",
            own=_shown(own),
            together=_shown(together),
        )


def bandwidth(view: View) -> Lines:
    """Whether further cores and other stores help."""
    alone, together = (_fact(view, f"bandwidth.dram.read{scope}") for scope in ("", f".{ALL_CORES}"))
    cores = view.report.run.device.cores
    if alone is not None and together is not None and cores > 1 and _known(alone) and _known(together):
        yield _said(
            "All {cores} cores read {times} times what one reads from memory ({together} and {alone}): about "
            "so much can threads gain where memory is what binds.",
            cores=cores,
            times=significant(_value(together) / _value(alone), 2),
            together=_shown(together),
            alone=_shown(alone),
        )
    plain, past = (_fact(view, f"bandwidth.dram.{name}") for name in ("copy", "nt_copy"))
    if plain is not None and past is not None and _apart(plain, past):
        slow, fast = sorted((plain, past), key=_value)
        names = {past.metric: kernel("nt_copy"), plain.metric: "plain copy"}
        yield _said(
            "Large copies that nobody reads soon: a {first} moves {times} times as many bytes a second as a "
            "{second} ({fast} and {slow}).",
            first=names[fast.metric],
            second=names[slow.metric],
            times=significant(_value(fast) / _value(slow), 2),
            fast=_shown(fast),
            slow=_shown(slow),
        )


def _known(fact: Fact) -> bool:
    """Whether the interval is narrow enough for a ratio."""
    return fact.low is not None and fact.high is not None and fact.high <= WIDE * fact.low


def _apart(first: Fact, second: Fact) -> bool:
    """Whether the intervals do not meet, and the values differ by what is worth telling."""
    low, high = sorted((first, second), key=_value)
    if low.high is None or high.low is None:
        return False
    return low.high < high.low and _value(high) > WORTH * _value(low)


def roofline(view: View) -> Lines:
    """How much work a number from memory needs."""
    for name, size in BYTES.items():
        ridge = _fact(view, f"ridge.{name}.dram")
        if ridge is None or ridge.low is None or ridge.high is None:
            continue
        yield _said(
            "{precision} code on one core that takes its data from memory stays below the peak under "
            "{ridge}: that is {each} for each number of {size} bytes.",
            precision=precision(name),
            ridge=_shown(ridge),
            each=format_interval(size * ridge.low, size * ridge.high, "FLOP", 2),
            size=size,
        )


LINES: dict[str, Callable[[View], Lines]] = {
    "latency": latency,
    "throughput": throughput,
    "memory": memory,
    "in_flight": in_flight,
    "branches": branches,
    "access": access,
    "communication": communication,
    "bandwidth": bandwidth,
    "roofline": roofline,
}
"""Section -> what its lines are made by."""
