"""The data dictionary: what each metric means.  It travels with the data and feeds the glossary.

One entry a kind of metric id: unit, definition, method page and what to beware of.
"""

from __future__ import annotations

import csv
import io
import re
from functools import lru_cache
from pathlib import Path

import msgspec

from reportgen.model.exports import (
    access_entries,
    branch_entries,
    communication_entries,
    fetch_entries,
    gpu_entries,
    link_entries,
    prefetch_entries,
    synchronisation_entries,
)
from reportgen.runs.disk import write_file

CSV = "dictionary.csv"
JSON = "dictionary.json"


class Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What one kind of metric means."""

    pattern: str
    """Metric id with placeholders: `latency.<operation>`."""
    title: str
    unit: str
    """Base unit; two where the precision decides."""
    definition: str
    method: str
    """Page of docs/method."""
    caveat: str


ENTRIES: tuple[Entry, ...] = (
    Entry(
        pattern="latency.<operation>",
        title="dependent latency",
        unit="cycle",
        definition="Cycles from the start of one instruction to the start of the next one that needs its "
        "result; the slope of time over the length of a dependent chain.",
        method="slope",
        caveat="Of the form and operands that were measured. Division and square root depend on "
        "operand values; below one cycle the operation was removed at rename, or a load was "
        "renamed onto a store.",
    ),
    Entry(
        pattern="throughput.<operation>",
        title="throughput",
        unit="instruction/cycle",
        definition="Rate of independent instructions of one kind, on the plateau where more independent "
        "chains no longer raise it.",
        method="plateau",
        caveat="At the issue rate of the canary the front end is the limit, and what lies behind may "
        "be faster. Not the reciprocal of the latency.",
    ),
    Entry(
        pattern="issue_interval.<operation>",
        title="issue interval",
        unit="cycle/instruction",
        definition="Cycles per instruction on that plateau: the reciprocal of the throughput.",
        method="plateau",
        caveat="Some tables call it reciprocal throughput; it is not a latency.",
    ),
    Entry(
        pattern="interference.<first>.<second>",
        title="interference index",
        unit="ratio",
        definition="(T_AB - max(T_A, T_B)) / min(T_A, T_B), times in cycles per group: 0 when the two "
        "kinds run side by side, 1 when they take as long as one after the other.",
        method="interference",
        caveat="Shows competition, not for what. A mix at the rate of the front end cannot be read. "
        "The scale depends on how many of each a group holds.",
    ),
    Entry(
        pattern="memory.<level>.capacity",
        title="capacity",
        unit="byte",
        definition="Interval from the largest working set that still runs at the level's latency to the "
        "smallest that does not.",
        method="boundary",
        caveat="Not rounded to a data sheet. Page placement, a TLB or a neighbour's share can end it "
        "early; on huge pages unless the id ends in _4k.",
    ),
    Entry(
        pattern="memory.<level>.latency",
        title="load latency of a level",
        unit="cycle",
        definition="Cycles of a dependent load while the working set is in the range of the level.",
        method="boundary",
        caveat="Random order, one load a line. Includes address translation as far as the pages need it.",
    ),
    Entry(
        pattern="memory.<level>.latency_time",
        title="load latency of a level in time",
        unit="second",
        definition="The same in seconds of the time-stamp counter.",
        method="boundary",
        caveat="For far levels time is the steadier measure: they do not run at the core's clock.",
    ),
    Entry(
        pattern="memory.<level>.<fact>_4k",
        title="the same on small pages",
        unit="as without _4k",
        definition="The metric without the suffix, measured on the system's small pages instead of with huge "
        "pages requested: 4 KiB on most, 16 or 64 KiB on some AArch64 systems; a run reports page_bytes.",
        method="boundary",
        caveat="Mixes the cost of address translation into the level.",
    ),
    Entry(
        pattern="memory.line",
        title="cache line",
        unit="byte",
        definition="Smallest distance of two loads at which the second is not served together with the "
        "first.",
        method="boundary",
        caveat="A prefetcher that fetches adjacent lines can double it.",
    ),
    Entry(
        pattern="memory.l1.associativity",
        title="associativity",
        unit="count",
        definition="Lines that fall into one set and stay there.",
        method="boundary",
        caveat="Of the level whose index bits lie below the page offset; further out physical pages decide.",
    ),
    Entry(
        pattern="memory.<tlb>.reach",
        title="TLB reach",
        unit="count",
        definition="Pages that can be touched, one load each, before loads become slower.",
        method="boundary",
        caveat="Entries in use, as seen from loads; some belong to the system or to code.",
    ),
    Entry(
        pattern="window.<filling>",
        title="instructions in flight",
        unit="count",
        definition="Instructions of a kind that can stand between two loads that miss while both still "
        "wait for memory together; mixed: integer additions, vector additions and stores in turn.",
        method="window",
        caveat="Beside the two loads, and beside what the registers of the program hold already; which "
        "resource is full is an inference.",
    ),
    Entry(
        pattern="memory.<level>.parallelism",
        title="loads under way",
        unit="count",
        definition="Time of a load that waits alone over the time of a load among independent ones: by "
        "Little's law the mean number that one core keeps under way.",
        method="window",
        caveat="Of loads to random lines; what ends it (fill buffers, window, bandwidth) is not told.",
    ),
    Entry(
        pattern="chase.<level>.latency",
        title="pointer chase",
        unit="cycle",
        definition="Second measure of the level's latency: one random cycle of a single size in the middle "
        "of the level.",
        method="slope",
        caveat="A cross-check of memory.<level>.latency, not an average with it.",
    ),
    Entry(
        pattern="bandwidth.<level>.<kernel>",
        title="bandwidth of one core, or of a GPU",
        unit="byte/second",
        definition="Bytes that the kernel loads and stores a second, on one core, with its working set in "
        "the level; of a GPU, those of its best launch on the whole device.",
        method="bandwidth",
        caveat="read counts loads, write stores, copy both, triad two loads and a store; nt_ kernels "
        "use non-temporal stores. Traffic of write-allocate is not counted, so memory may move "
        "more than this.",
    ),
    Entry(
        pattern="bandwidth.<level>.<kernel>.all_cores",
        title="bandwidth of all cores",
        unit="byte/second",
        definition="The same with every usable core, each on its own buffer: all bytes over the time from "
        "the first start to the last end.",
        method="bandwidth",
        caveat="Of the cores that may be used here, not of the package. Counts bytes as for one core.",
    ),
    Entry(
        pattern="bandwidth.<level>.<kernel>.one_multiprocessor",
        title="bandwidth of one multiprocessor",
        unit="byte/second",
        definition="Of a GPU, the same of a launch of one block: what one multiprocessor moves while the "
        "others are idle.",
        method="gpu",
        caveat="The best of the vector widths that were tried, with 256 threads.",
    ),
    Entry(
        pattern="peak.<precision>",
        title="peak rate",
        unit="FLOP/second or OP/second",
        definition="Best rate of one core over the operations of a precision; of a GPU, that of one "
        "multiprocessor times their number.",
        method="roofline",
        caveat="At the clock measured beside the samples, which wide vectors may lower. A multiply-add "
        "counts as two. Integers are OP, not FLOP.",
    ),
    Entry(
        pattern="peak.<precision>.per_cycle",
        title="peak per cycle",
        unit="FLOP/cycle or OP/cycle",
        definition="The same per core cycle.",
        method="roofline",
        caveat="Independent of the clock; multiply by the clock you expect.",
    ),
    Entry(
        pattern="peak.<precision>.burst",
        title="burst rate",
        unit="FLOP/second or OP/second",
        definition="Rate of all cores (of a GPU: of the device) in the windows that begin in the first tenth "
        "of a visit of seconds under load: their median.",
        method="sustained",
        caveat="What came before counts: a device that has just worked starts warmer. Not the peak of one "
        "core.",
    ),
    Entry(
        pattern="peak.<precision>.sustained",
        title="sustained rate",
        unit="FLOP/second or OP/second",
        definition="The same in the windows that begin in the last quarter of the visit.",
        method="sustained",
        caveat="Over the seconds of the visit; heat may lower it further over minutes.",
    ),
    Entry(
        pattern="peak.<precision>.sustained_ratio",
        title="sustained over burst",
        unit="ratio",
        definition="Sustained rate over burst rate, visit by visit.",
        method="sustained",
        caveat="How far the rate fell, not why; the clock beside the windows excludes some explanations.",
    ),
    Entry(
        pattern="peak.<precision>.settling_time",
        title="settling time",
        unit="second",
        definition="Time from the start of the load until the rate came to within 2 % of the sustained one "
        "and stayed there.",
        method="sustained",
        caveat="Absent where the rate changed by less. To a window: the interval covers all visits and one "
        "window on either side.",
    ),
    Entry(
        pattern="kernel.<routine>.<n>",
        title="library routine",
        unit="FLOP/second or OP/second",
        definition="Rate of a routine of the installed library at size n, one thread, by the work of its "
        "definition.",
        method="roofline",
        caveat="Status unverified: the library's machine code was not inspected, and it may do more or "
        "less work.",
    ),
    Entry(
        pattern="ridge.<precision>.<level>",
        title="ridge",
        unit="FLOP/byte or OP/byte",
        definition="Intensity at which the compute roof and the bandwidth roof of a level meet: peak over "
        "bandwidth.",
        method="roofline",
        caveat="Bytes are those of the named kernel. Right of it the bandwidth roof is not the lower "
        "one; whether code reaches the other is another question.",
    ),
    Entry(
        pattern="ridge.observed.<precision>.<level>",
        title="ridge seen",
        unit="FLOP/byte",
        definition="Intensity at which the rate of a stream from a level, with multiply-adds between its "
        "loads, stops rising in proportion and stays: where the two asymptotes of the sweep meet.",
        method="roofline",
        caveat="Of loads and one multiply-add of the widest kind; code that stores, or that waits, has "
        "another.",
    ),
    Entry(
        pattern="overlap.<precision>.<level>",
        title="overlap at the ridge",
        unit="ratio",
        definition="Rate of the same stream at its ridge over both of its asymptotes there: 1 where loads "
        "and arithmetic overlap entirely, 0.5 where they take turns.",
        method="roofline",
        caveat="Of many independent multiply-adds and loads in order; dependences leave less.",
    ),
    Entry(
        pattern="encoded.latency.<operation>",
        title="encoded latency",
        unit="cycle",
        definition="Cycles that the vendor's assembler keeps between an instruction and the next one that "
        "needs its result, by the stall counts in the machine code.",
        method="encoded",
        caveat="Not measured on a device. A lower bound, of the code of one toolkit. Absent where the "
        "assembler waits on a scoreboard instead.",
    ),
    Entry(
        pattern="encoded.window.<operation>",
        title="encoded window",
        unit="cycle",
        definition="Sum of the stall counts between the two clock reads around the shortest chain of the "
        "probe.",
        method="encoded",
        caveat="Not measured on a device: what a device would show if nothing else took time.",
    ),
    Entry(
        pattern="encoded.issue.<operation>",
        title="encoded issue interval",
        unit="cycle/instruction",
        definition="Stall count after an instruction where independent chains run side by side.",
        method="encoded",
        caveat="Not measured on a device, and a hint only: the hardware may issue less often.",
    ),
    Entry(
        pattern="resource.<what>.<family>.<probe>",
        title="resource of a kernel",
        unit="count or byte",
        definition="Most registers a thread, bytes of static shared memory a block, or bytes of stack a "
        "thread, that a kernel of the probe takes.",
        method="encoded",
        caveat="As one version of the compiler allocates them.",
    ),
    Entry(
        pattern="occupancy.<family>.<probe>",
        title="occupancy",
        unit="ratio",
        definition="Warps of a kernel that one multiprocessor holds at a time, over the most that it can "
        "hold: least and most over the sweep.",
        method="encoded",
        caveat="Nominal: worked out from the vendor's limits and the compiled kernels. Says how many fit, "
        "not how fast they run.",
    ),
    *(
        Entry(*row)
        for rows in (
            *(access_entries, branch_entries, communication_entries, fetch_entries, prefetch_entries),
            *(gpu_entries, synchronisation_entries, link_entries),
        )
        for row in rows.ROWS
    ),
)


@lru_cache(maxsize=1)
def _matchers() -> tuple[tuple[re.Pattern[str], Entry], ...]:
    """Patterns as expressions, those with more literal text first, so that the most special wins."""
    order = sorted(ENTRIES, key=lambda entry: len(re.sub(r"<\w+>", "", entry.pattern)), reverse=True)
    return tuple((_expression(entry.pattern), entry) for entry in order)


def _expression(pattern: str) -> re.Pattern[str]:
    parts = re.split(r"<(\w+)>", pattern)
    names = {"tlb": r"dtlb\d", "level": r"(?:l1|l2|l3|dram)"}
    return re.compile(
        "".join(re.escape(part) if i % 2 == 0 else names.get(part, r"[^.]+") for i, part in enumerate(parts))
    )


@lru_cache(maxsize=16384)
def lookup(metric: str) -> Entry | None:
    """The entry that says what a metric id means; None for an id of no known kind."""
    return next((entry for expression, entry in _matchers() if expression.fullmatch(metric)), None)


def encode_csv() -> bytes:
    """The dictionary as a table."""
    text = io.StringIO(newline="")
    table = csv.writer(text, lineterminator="\n")
    table.writerow(Entry.__struct_fields__)
    table.writerows(msgspec.structs.astuple(entry) for entry in ENTRIES)
    return text.getvalue().encode()


def encode_json() -> bytes:
    """The dictionary as a list of records."""
    return msgspec.json.format(msgspec.json.encode(ENTRIES), indent=1) + b"\n"


def write_dictionary(folder: Path) -> tuple[Path, Path]:
    """Write `dictionary.csv` and `dictionary.json` into an existing folder.

    Raises:
        OSError: the folder cannot be written; earlier files are untouched.
    """
    write_file(folder / CSV, encode_csv())
    write_file(folder / JSON, encode_json())
    return folder / CSV, folder / JSON
