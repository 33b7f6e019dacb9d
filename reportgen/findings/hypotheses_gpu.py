"""Rules for the hypotheses of probes that only a GPU can answer."""

from __future__ import annotations

from itertools import pairwise

from reportgen.analysis.gpu_further import BENT
from reportgen.analysis.gpu_pressure import HIDDEN
from reportgen.analysis.quantity import Quantity
from reportgen.findings.endings import YES, Case, Ending, Rule, no, nothing, undecided
from reportgen.findings.evidence import central, interval
from reportgen.status import Status

OUT_OF_PROPORTION = 0.2
"""A rate that falls this far short of proportion to the first, at no more than half of the knee, does not
rise in proportion."""

SAME_TILE = 0.03
"""Relative difference up to which two copies of a tile are called equally long."""

EDGE, WIDE = 0.05, 0.1
"""Latencies without the least and the largest twentieth are wide apart if the slowest takes so much more."""

OWN, NEXT = "own", "next"
"""Whose shared memory a load of a cluster goes to."""


def _ending(case: Case, end: str) -> list[Quantity]:
    return [quantity for quantity in case.quantities if quantity.metric.rpartition(".")[2] == end]


def _unstable(case: Case) -> list[str]:
    return [quantity.reason for quantity in case.refused if quantity.status is Status.UNSTABLE]


def _straight(case: Case) -> Ending:
    """A fit that the analysis makes, or says that it cannot make."""
    if case.quantities:
        return YES
    unfit = _unstable(case)
    return no(unfit[0]) if unfit else nothing(case)


def _meets(case: Case) -> Ending:
    """As `_straight`; undecided where scatter, or how little lanes that meet add, hides whether it is one."""
    if any(one.details.get(BENT) is False for one in case.refused):
        return nothing(case)
    return _straight(case)


def _groups(case: Case) -> Ending:
    near, far = _ending(case, "near"), _ending(case, "far")
    if near and far:
        return YES
    if not near:
        return nothing(case)
    shown = near[0].details.get("quantiles", [])
    at = round(EDGE * (len(shown) - 1))
    if shown and shown[-1 - at] > shown[at] * (1 + WIDE):
        return undecided("latencies differ by more than 10 % and do not part into groups")
    return no("all latencies form one group")


def _peers(case: Case) -> Ending:
    own, other = _ending(case, OWN), _ending(case, NEXT)
    if not own or not other:
        return undecided("no latency of one's own shared memory and of another block's")
    known = {one.details.get("cluster"): interval(one) for one in own}
    pairs = [
        (interval(one), of) for one in other if (of := known.get(one.details.get("cluster"))) is not None
    ]
    if any(there[1] <= here[0] for there, here in pairs):
        return no("another block's shared memory is no farther than one's own")
    if not all(there[0] > here[1] for there, here in pairs):
        return undecided("intervals of one's own and of another block's shared memory overlap")
    level = case.evidence.usable("memory.l2.latency")
    if level is None:
        return undecided("no latency of the second-level cache in this run")
    beyond = [one for one in other if interval(one)[0] > interval(level)[1]]
    if beyond:
        return no(f"{beyond[0].metric} is farther than the second-level cache")
    nearer = all(interval(one)[1] < interval(level)[0] for one in other)
    return YES if nearer else undecided("intervals overlap with those of the second-level cache")


def _pieces(case: Case) -> Ending:
    outer = [quantity for quantity in case.quantities if quantity.metric.endswith(".outer")]
    inner = [quantity for quantity in case.quantities if not quantity.metric.endswith(".outer")]
    if not inner:
        return nothing(case)
    if not outer:
        return undecided("no slower misses at a longer distance tell of a line")
    ratios = [
        central(line) / central(sector)
        for line in outer
        for sector in inner
        if line.metric == f"{sector.metric}.outer"
    ]
    odd = [ratio for ratio in ratios if abs(ratio - round(ratio)) > 0.01 or ratio < 2]
    return no(f"the larger piece is {odd[0]:.2f} of the smaller ones") if odd else YES


def _rises(case: Case) -> Ending:
    edges = [quantity for quantity in case.quantities if ".capacity" in quantity.metric]
    if any(quantity.status is not Status.CENSORED for quantity in edges):
        return YES
    return undecided("no edge was found within the range of the probe") if edges else nothing(case)


def _slows(case: Case) -> Ending:
    unread = _unstable(case)
    return undecided("; ".join(unread)) if unread else _rises(case)


def _alone(case: Case) -> Ending:
    found = _ending(case, "alone")
    if not found:
        return nothing(case)
    if found[0].status is Status.CENSORED:
        return undecided("no launch had so many blocks that one became slower")
    places = int(found[0].details.get("multiprocessors", 0))
    high = interval(found[0])[1]
    if places and high < places:
        return no(f"blocks slow each other from {high:.0f} on, and {places} multiprocessors took part")
    return YES


def _tiles(case: Case) -> Ending:
    """Swizzled tiles beside plain ones; walks by what their misses bring."""
    if not case.quantities:
        return nothing(case)
    ends = [interval(quantity) for quantity in case.quantities]
    if case.quantities[0].metric.startswith("memory.tile.swizzle."):
        apart = [
            quantity.metric
            for quantity, (low, high) in zip(case.quantities, ends, strict=True)
            if low > 1 + SAME_TILE or high < 1 - SAME_TILE
        ]
        if apart:
            return no(f"{apart[0]} is apart from 1")
        close = all(low >= 1 - SAME_TILE and high <= 1 + SAME_TILE for low, high in ends)
        return YES if close else undecided(f"intervals are wider than {100 * SAME_TILE:.0f} %")
    if ends[-1][0] >= 1:
        return no("the widest promotion takes no less time than none")
    falling = all(later[1] < before[0] for before, later in pairwise(((1.0, 1.0), *ends)))
    return YES if falling else undecided("one promotion takes no less time than the one before it")


def _launch(case: Case) -> Ending:
    if not case.quantities:
        return nothing(case)
    if _ending(case, "fixed") and _ending(case, "block"):
        return YES
    return undecided("; ".join(_unstable(case)) or "one of the two parts has no number")


def _warps(case: Case) -> Ending:
    for quantity in case.quantities:
        if quantity.status is Status.CENSORED:
            return undecided("the rate still rises at the most warps that were tried")
        short = _short_of_proportion(quantity)
        if short:
            return no(short)
    return YES


def _short_of_proportion(quantity: Quantity) -> str:
    """Where the rate, well before the knee, is not in proportion to the setting; empty where it is."""
    details = quantity.details
    settings = next((v for k, v in details.items() if k not in ("rate", "knee") and isinstance(v, list)), [])
    rates, knee = details.get("rate", []), details.get("knee")
    if len(settings) != len(rates) or not rates or not knee:
        return ""
    first, most = rates[0] / settings[0], max(rates)
    for setting, rate in zip(settings, rates, strict=True):
        if setting <= knee / 2 and rate < min(first * setting, most) * (1 - OUT_OF_PROPORTION):
            return (
                f"at {setting:g} the rate is {100 * rate / first / setting:.0f} % of proportion to the first"
            )
    return ""


def _falls(case: Case) -> Ending:
    falls = [quantity for quantity in case.quantities if quantity.status is not Status.CENSORED]
    if not case.quantities:
        return nothing(case)
    if not falls:
        return undecided("as many warps stay at all settings of the probe")
    told = [str(quantity.details.get("table", "")) for quantity in falls]
    if "elsewhere" in told:
        return no("fewer warps stay where as many fit")
    unseen = {setting for quantity in falls for setting in quantity.details.get("unseen", ())}
    hidden = {setting for quantity in falls for setting in quantity.details.get(HIDDEN, ())}
    if unseen - hidden:
        return no("as many warps stay where fewer fit")
    if unseen:
        return undecided("scatter hides whether fewer warps stay where fewer fit")
    return YES if all(told) else undecided("nothing is known of how many warps fit")


_BANKS_RULE = (
    "Supported when one number of banks explains the time of all strides to 5 % and what each further lane "
    "adds is known to 10 %, not supported when none does; undecided where scatter hides it."
)
_BULK_RULE = (
    "Supported when the times of the largest sizes lie on one rising line to 3 %, not supported when they "
    "do not."
)
_TILE_RULE = (
    "Where tiles are swizzled, supported when every ratio is within 3 % of 1 by its interval, not supported "
    "when one is apart from that. Where misses bring more, supported when each step takes less time than the "
    "one before it, by intervals, not supported when the widest takes no less than none."
)
_DISTANCE_RULE = (
    "Supported when latencies form two groups, not supported when they form one; undecided when nine of ten "
    "differ by more than 10 % without a gap."
)
_CLUSTER_RULE = (
    "Supported when loads from another block's shared memory take longer than from one's own and less time "
    "than from the second-level cache, by intervals."
)
_SECTORS_RULE = (
    "Supported when slow loads come at two distances, the longer a whole multiple of the shorter; undecided "
    "when they come at one."
)
_BLOCKS_RULE = (
    "Supported when blocks run as if alone until there is one for every multiprocessor, not supported when "
    "they slow each other before."
)
_LAUNCH_RULE = (
    "Supported when both the fixed time and the time of a further block are apart from the scatter."
)
_WARPS_RULE = (
    "Supported when the rate stops rising within the warps that were tried and, up to half of the knee, is "
    "within 20 % of proportion."
)
_PRESSURE_RULE = (
    "Supported when fewer warps stay side by side at every step of the table of limits and nowhere else, "
    "not supported when one step is surely without the other."
)

RULES: dict[str, Rule] = {
    "banks": (_BANKS_RULE, _meets),
    "bulk": (_BULK_RULE, _straight),
    "tile": (_TILE_RULE, _tiles),
    "distance": (_DISTANCE_RULE, _groups),
    "cluster": (_CLUSTER_RULE, _peers),
    "sectors": (_SECTORS_RULE, _pieces),
    "on_chip": ("Supported when an edge was found within the range of the probe.", _rises),
    "read_sweep": ("Supported when an edge was found within the range of the probe.", _slows),
    "blocks": (_BLOCKS_RULE, _alone),
    "launch": (_LAUNCH_RULE, _launch),
    "warps": (_WARPS_RULE, _warps),
    "pressure": (_PRESSURE_RULE, _falls),
}
"""Analysis -> its rule in words, and the rule."""
