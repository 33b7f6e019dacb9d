"""Sentences about what only a GPU has: warps, banks, blocks, paths to memory, clusters, copies, launches."""

from __future__ import annotations

from reportgen.analysis.quantity import Quantity
from reportgen.findings.evidence import central
from reportgen.findings.metric import Kind, MetricId
from reportgen.findings.wording.gpu_names import COPIES, PEERS, TAKEN, launch_of, ordinal, path
from reportgen.findings.wording.memory import FITTED
from reportgen.findings.wording.names import level
from reportgen.findings.wording.numbers import amount, one, percent


def warps(title: str, name: MetricId, quantity: Quantity) -> str:
    """Measured: the rate that one multiprocessor levels off at, and the warps it takes."""
    knee = quantity.details.get("knee")
    reached = f", reached with {knee} {'warp' if knee == 1 else 'warps'} of a block" if knee else ""
    return (
        f"Instructions of the kind “{title}” start at {amount(quantity)} on one multiprocessor with "
        f"{launch_of(name.part)}{reached}."
    )


def warps_bound(title: str, name: MetricId, quantity: Quantity) -> str:
    """Censored: the rate still rose with the most warps."""
    bound = quantity.low if quantity.low is not None else central(quantity)
    return (
        f"Instructions of the kind “{title}” start at a rate of at least {one(bound, quantity.unit)} "
        f"(n = {quantity.n:,}) on one multiprocessor with {launch_of(name.part)}: the rate still rose with "
        "the most warps that were tried."
    )


def banks(name: MetricId, quantity: Quantity) -> str:
    """Measured: which number of banks explains the times of all strides, and what a conflict costs."""
    if name.part == "banks":
        return (
            f"The time of a load from shared memory over the distance of its lanes fits "
            f"{one(central(quantity), 'count')} banks and no other number that was tried "
            f"(n = {quantity.n:,})."
        )
    if name.part == "conflict":
        return f"Each further lane of a warp that meets in one bank of shared memory adds {amount(quantity)}."
    kind, _, width = name.part.partition("_")
    if kind == "conflict":
        return f"With {width} bytes a lane each further pass over the banks adds {amount(quantity)}."
    if width:
        return (
            f"A load of {width} bytes a lane from shared memory that needs no more passes over the banks "
            f"than its bytes do, and whose address is the previous result, takes {amount(quantity)}."
        )
    return (
        f"A load from shared memory whose lanes fall into different banks and whose address is the previous "
        f"result takes {amount(quantity)}."
    )


def distance(name: MetricId, quantity: Quantity) -> str:
    """Measured: one group of lines of a cache, as seen from the multiprocessors that were asked."""
    share = float(quantity.details.get("share", 1.0))
    if share >= 1.0:
        return (
            f"Dependent loads from lines of {level(name.subject)} take {amount(quantity)}: latencies from "
            "all multiprocessors that were asked form one group."
        )
    return (
        f"Dependent loads from the {'nearer' if name.part == 'near' else 'farther'} lines of "
        f"{level(name.subject)} take {amount(quantity)}; {percent(share)} of the loads, from all "
        "multiprocessors that were asked, are in this group."
    )


def path_latency(name: MetricId, quantity: Quantity) -> str:
    """Measured: a dependent load by one path, in cycles or in seconds."""
    return (
        f"Dependent loads {path(name.part)} take {amount(quantity)} each while the working set is in the "
        f"{'DRAM range' if name.subject == 'dram' else f'range of {ordinal(name.subject)}'}."
    )


def path_capacity(name: MetricId, quantity: Quantity) -> str:
    """Measured: where loads by one path become slower."""
    begins, ends = quantity.details.get("begins"), quantity.details.get("ends")
    where = ordinal(name.subject)
    if quantity.details.get("shape") in FITTED and begins and ends:
        return (
            f"Of loads {path(name.part)} some are slower from a working set of {one(begins, 'byte')} on, and "
            f"nearly all from {one(ends, 'byte')} on: the rise between fits an end of {where} at "
            f"{amount(quantity)}."
        )
    if quantity.low is None or quantity.high is None:
        return f"Loads {path(name.part)} see an end of {where} near {amount(quantity)}."
    return (
        f"Loads {path(name.part)} still run at the latency of {where} over a working set of "
        f"{one(quantity.low, 'byte')} and no longer over one of {one(quantity.high, 'byte')} "
        f"(n = {quantity.n:,})."
    )


def shared_capacity(name: MetricId, quantity: Quantity) -> str:
    """Measured: where reads of all multiprocessors together become slower."""
    if quantity.low is None or quantity.high is None:
        return f"All multiprocessors together see an end of {level(name.subject)} near {amount(quantity)}."
    return (
        f"While all multiprocessors read, {one(quantity.low, 'byte')} still come at the rate of "
        f"{level(name.subject)} and {one(quantity.high, 'byte')} no longer (n = {quantity.n:,})."
    )


def path_line(name: MetricId, quantity: Quantity) -> str:
    """Measured: the same as the line of a cache, by one path."""
    if quantity.low is None or quantity.high is None or quantity.low == quantity.high:
        where = f"stops being served together with the first at an offset of {one(central(quantity), 'byte')}"
    else:
        where = (
            f"is still served together with the first at an offset of {one(quantity.low, 'byte')} and no "
            f"longer at {one(quantity.high, 'byte')}"
        )
    return f"Of two loads {path(name.part)} the second {where} (n = {quantity.n:,})."


def sector(name: MetricId, quantity: Quantity) -> str:
    """Measured: how far one miss reaches, in a walk through memory that was not cached."""
    size = one(central(quantity), "byte")
    if name.subject:
        return (
            f"In a walk through memory {path(name.part)} a load that is slower than the other misses follows "
            f"every {size} (n = {quantity.n:,}): something larger than a sector is fetched or opened there."
        )
    if quantity.low is not None and quantity.low < central(quantity):
        near = f"loads up to {one(quantity.low, 'byte')} behind a miss are fast and "
    else:
        near = ""
    return (
        f"In a walk through memory {path(name.part)} {near}every {size} a load misses (n = {quantity.n:,}): "
        "one miss brings that much."
    )


def cluster(name: MetricId, quantity: Quantity) -> str:
    """Measured: a dependent load through the address window of a cluster."""
    return (
        f"A dependent load from the shared memory of {PEERS.get(name.part, name.part)} of a cluster of "
        f"{name.subject} blocks takes {amount(quantity)}."
    )


def bulk(name: MetricId, quantity: Quantity) -> str:
    """Measured: the two parts of the time that one copy takes from its order to its end."""
    what = COPIES.get(name.subject, name.subject)
    reach = quantity.details.get("linear_from")
    over = f" over sizes from {one(reach, 'byte')} on" if reach else ""
    if name.part == "fixed":
        return f"Of the time of a {what} {amount(quantity)} do not depend on its size{over}."
    return f"A {what}, one at a time by one block, moves {amount(quantity)} beyond its fixed time{over}."


def tile(name: MetricId, quantity: Quantity) -> str:
    """Measured: the time of a copy in one way over that in the plain way."""
    size = one(float(name.part), "byte") if name.part.isdigit() else name.part
    what = (
        f"A copy of a tile whose rows of {size} are swizzled in shared memory takes {amount(quantity)} "
        "times as long as a plain one"
        if name.subject == "swizzle"
        else f"A walk through tiles that are not cached, a miss bringing {size} into the second level (L2 "
        f"promotion), takes {amount(quantity)} times as long as without"
    )
    if quantity.low is None or quantity.high is None:
        return f"{what}."
    apart = quantity.high < 1 or quantity.low > 1
    return f"{what}{'' if apart else ': no difference was detected'}."


def step(name: MetricId, quantity: Quantity) -> str:
    """Measured: between which two settings fewer warps stay, and what the table of limits says."""
    what = TAKEN[name.subject][1]
    ends = quantity.low, quantity.high
    if ends[0] is None or ends[1] is None:
        return f"Fewer warps stay on a multiprocessor from {amount(quantity)} {what} on."
    before, behind = (quantity.details.get(f"warps_{side}") for side in ("before", "behind"))
    by = f", from about {before:.0f} to about {behind:.0f}" if before and behind else ""
    said = {
        "agrees": " By the vendor's limits fewer warps fit from there on, too.",
        "elsewhere": " By the vendor's limits as many warps fit on both sides of it.",
    }.get(str(quantity.details.get("table", "")), "")
    apart = quantity.details.get("driver_differs")
    if name.part == "1" and isinstance(apart, list):
        of = f"{len(apart)} of {len(quantity.details.get('setting', ()))}" if apart else ""
        said += (
            f" The driver's own answer differs from those limits at {of} settings."
            if apart
            else (" The driver answers the same for every setting.")
        )
    return (
        f"Between {one(ends[0], quantity.unit)} and {one(ends[1], quantity.unit)} {what} the warps that stay "
        f"on a multiprocessor become fewer{by} (n = {quantity.n:,}).{said}"
    )


def blocks(name: MetricId, quantity: Quantity) -> str:
    """Measured: from how many blocks on they share what one has alone."""
    most = quantity.details.get("most", 0)
    if name.part == "crowded":
        times = f"{amount(quantity)} times as long as one alone"
        return f"In a launch of {most:.0f} blocks the slowest takes {times}."
    if quantity.low is None or quantity.high is None:
        return f"Blocks run as fast as one alone up to a launch of {one(central(quantity), 'count')}."
    return (
        f"Up to {one(quantity.low, 'count')} blocks of a launch each runs as fast as one alone, and from "
        f"{one(quantity.high, 'count')} on they take longer (n = {quantity.n:,})."
    )


def launch(name: MetricId, quantity: Quantity) -> str:
    """Measured: what launching costs, in a row of launches or with a wait after each."""
    if name.part == "block":
        counts = quantity.details.get("blocks", ())
        over = f" between {counts[0]} and {counts[-1]} blocks" if counts else ""
        return f"In a row of launches each further block of an empty kernel adds {amount(quantity)}{over}."
    how = "With a wait of the host after each" if name.part == "waited" else "In a row without a wait"
    return f"{how}, a launch of an empty kernel of one block takes {amount(quantity)}."


def at_least(name: MetricId, quantity: Quantity) -> str:
    """Censored: no step of the rate within the sweep, or no end of what is counted."""
    bound = quantity.low if quantity.low is not None else central(quantity)
    if name.kind is Kind.BLOCKS:
        return (
            f"Blocks run as fast as one alone at least up to a launch of {one(bound, 'count')} "
            f"(n = {quantity.n:,}), the largest that was tried."
        )
    return (
        f"Up to {one(bound, quantity.unit)} {TAKEN[name.subject][1]}, the most that was tried, as many warps "
        f"stay on a multiprocessor as with the least (n = {quantity.n:,})."
    )


def bandwidth(name: MetricId, quantity: Quantity, kernel: str, counted: str) -> str:
    """Measured: bytes a second of the device, or of one multiprocessor, with the launch that was best."""
    verb = {"read": "read", "write": "wrote"}.get(name.part, "moved")
    details = quantity.details
    shape = ""
    if details.get("blocks") and details.get("width"):
        blocks = "1 block" if details["blocks"] == 1 else f"{details['blocks']} blocks"
        shape = f", best with {blocks} and vectors of {details['width']} bytes"
    who = "One multiprocessor of the GPU, while the others were idle," if name.scope else "The GPU"
    each, on_chip = float(details.get("byte_per_cycle", 0.0)), name.subject != "dram"
    cycle = f" That is {one(each, 'byte/cycle')} of each multiprocessor." if each and on_chip else ""
    return (
        f"{who} {verb} {amount(quantity)} in the {level(name.subject)} range with the {kernel} "
        f"kernel{shape}; {counted}.{cycle}"
    )


def peak(name: MetricId, quantity: Quantity, precision: str, operation: str = "") -> str:
    """Measured on one multiprocessor; of the device, that times their number."""
    how = f" with “{operation}”" if operation else ""
    if name.kind is Kind.PEAK_PER_CYCLE:
        return f"The most {precision} work that one multiprocessor did per cycle was {amount(quantity)}{how}."
    many, blocks = (int(quantity.details.get(key, 0)) for key in ("multiprocessors", "blocks"))
    if many:
        busy = "while all of them worked" if blocks >= many else "while the others were idle"
        return (
            f"The best {precision} rate of the GPU is {amount(quantity)}{how}: that of one of its {many} "
            f"multiprocessors {busy}, times their number, at the clock that it had then."
        )
    return f"The best {precision} rate was {amount(quantity)}{how}, at the clock that the GPU had then."


BUILDERS = {
    Kind.BANKS: banks,
    Kind.DISTANCE: distance,
    Kind.PATH_LATENCY: path_latency,
    Kind.PATH_TIME: path_latency,
    Kind.PATH_CAPACITY: path_capacity,
    Kind.PATH_LINE: path_line,
    Kind.SHARED_CAPACITY: shared_capacity,
    Kind.SECTOR: sector,
    Kind.CLUSTER: cluster,
    Kind.BULK: bulk,
    Kind.TILE: tile,
    Kind.STEP: step,
    Kind.BLOCKS: blocks,
    Kind.CROWDED: blocks,
    Kind.LAUNCH: launch,
}
"""Kind -> the builder of its sentence."""

OWN_BOUND = (Kind.STEP, Kind.BLOCKS)
"""Kinds whose bound has a sentence of its own."""
