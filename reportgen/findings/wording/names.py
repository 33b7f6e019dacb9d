"""What people call levels, kernels and metrics."""

from __future__ import annotations

from collections.abc import Callable

from reportgen.findings.metric import ALL_CORES, ONE_MULTIPROCESSOR, Kind, MetricId, parse
from reportgen.findings.wording import (
    access,
    branches,
    communication,
    fetch,
    gpu_names,
    host_link,
    in_flight,
    prefetch,
    replacement,
    synchronisation,
    vendor,
)
from reportgen.roofline.roofs import called

_LEVELS = {"l1": "L1", "l1i": "L1I", "l2": "L2", "l3": "L3", "dram": "DRAM"}
_TLBS = {"dtlb1": "first-level data TLB", "dtlb2": "second-level TLB"}
FAR_APART = {"64k": "64 KiB", "2m": "2 MiB"}
"""Distances at which a GPU's translation is asked."""
_TAKEN = {"registers": "the registers", "shared": "the static shared memory", "stack": "the stack"}
_KERNELS = {
    "read": "read",
    "write": "write",
    "copy": "copy",
    "triad": "triad",
    "nt_write": "non-temporal write",
    "nt_copy": "non-temporal copy",
    "vendor_copy": "driver's own copy",
}

_SIZES = {"softmax": "rows", "layer_norm": "rows", "llm_prefill": "batch", "llm_decode": "batch"}

COUNTED = {
    "read": "the bytes loaded are counted; there are no stores, and write-allocate traffic is not counted",
    "write": "the bytes stored are counted; the stores are ordinary ones, and write-allocate traffic is not "
    "counted",
    "copy": "the bytes loaded and the bytes stored are both counted; the stores are ordinary ones, and "
    "write-allocate traffic is not counted",
    "triad": "the bytes of two loads and of one store an element are counted; the stores are ordinary ones, "
    "and write-allocate traffic is not counted",
    "nt_write": "the bytes stored are counted; the stores are non-temporal, and write-allocate traffic is "
    "not counted",
    "nt_copy": "the bytes loaded and the bytes stored are both counted; the stores are non-temporal, and "
    "write-allocate traffic is not counted",
}
"""Kernel -> which bytes its rate counts and what kind of store it uses: part of every bandwidth."""

COUNTED_BY_GPU = {
    "vendor_copy": "the bytes loaded and the bytes stored are both counted",
    "read": "the bytes loaded are counted",
    "write": "the bytes stored are counted",
    "copy": "the bytes loaded and the bytes stored are both counted",
    "triad": "the bytes of two loads and of one store an element are counted",
}
"""The same of launches on a GPU, whose stores are ordinary ones."""

_ACRONYM_WITH_VOWEL = "AEFHILMNORSX"
_SPOKEN_AS_WORDS = ("NOT", "MOV", "MAX", "MIN", "ROL", "ROR", "SHL", "SHR", "SHA", "MUL")


def level(name: str) -> str:
    """`l1` -> "L1"."""
    return _LEVELS.get(name, name.upper())


def tlb(name: str, far: bool = False) -> str:
    """`dtlb1` -> "first-level data TLB"; of a GPU, whose addresses are `far` apart, "first-level TLB"."""
    text = _TLBS.get(name, name)
    return text.replace("data ", "") if far else text


def kernel(name: str) -> str:
    """`nt_copy` -> "non-temporal copy"."""
    return _KERNELS.get(name, name.replace("_", " "))


def size_name(routine: str) -> str:
    """What the size of a routine counts: `sgemm` -> "n", `llm_decode` -> "batch"."""
    return _SIZES.get(routine, "n")


def counted(name: str, gpu: bool = False) -> str:
    """Which bytes a bandwidth kernel counts; an unknown kernel says that the run does not state it."""
    if gpu:
        return COUNTED_BY_GPU.get(name, "the run does not state which bytes are counted")
    return COUNTED.get(
        name, "the run does not state which bytes are counted; write-allocate traffic is not counted"
    )


def precision(name: str) -> str:
    """`fp32` -> "FP32", `tensor_fp16` -> "tensor FP16", `amx_bf16` -> "AMX BF16"."""
    return called(name)


def pages(metric: MetricId) -> str:
    """The clause for the variant on small pages, with a leading space; else nothing."""
    if metric.pages in FAR_APART:
        return f" with addresses {FAR_APART[metric.pages]} apart"
    return " on small pages" if metric.pages == "4k" else ""


def apart(metric: MetricId) -> str:
    """What a TLB is asked for: "small pages", "addresses 2 MiB apart", or just "pages"."""
    if metric.pages in FAR_APART:
        return f"addresses {FAR_APART[metric.pages]} apart"
    return "small pages" if metric.pages == "4k" else "pages"


_TAKING_PART = {ALL_CORES: " on all cores", ONE_MULTIPROCESSOR: " for one multiprocessor"}
"""Who moves the bytes, where it is not what is meant without saying."""
_UNDER_LOAD = {
    Kind.BURST: "{} rate under load at first",
    Kind.SUSTAINED: "{} rate under load in the end",
    Kind.SUSTAINED_RATIO: "{} rate in the end over that at first",
    Kind.SETTLING_TIME: "time until the {} rate settled",
}


def with_article(title: str) -> str:
    """A title as a subject: "64-bit integer add" -> "A 64-bit integer add", "FP32 add" -> "An FP32 add"."""
    first = title.replace("-", " ").split(" ", 1)[0] or "instruction"
    if first[0].isdigit():
        vowel = first.startswith("8") or first in ("11", "18")
    elif first[:2].isupper() and not first.startswith(_SPOKEN_AS_WORDS):
        vowel = first[0] in _ACRONYM_WITH_VOWEL
    else:
        vowel = first[0].lower() in "aeiou"
    return f"{'An' if vowel else 'A'} {title}"


def noun(metric: str, title: Callable[[str], str]) -> str:
    """A metric as a noun phrase: "the dependent latency of 64-bit integer add".

    Args:
        metric: a metric id.
        title: what people call an operation, by its key.
    """
    name = parse(metric)
    subject, part = name.subject, name.part
    match name.kind:
        case Kind.LATENCY:
            text = f"the dependent latency of {title(subject)}"
        case Kind.THROUGHPUT:
            text = f"the throughput of {title(subject)}"
        case Kind.ISSUE_INTERVAL:
            text = f"the issue interval of {title(subject)}"
        case Kind.INTERFERENCE:
            text = f"the interference of {title(subject)} with {title(part)}"
        case Kind.CAPACITY:
            text = f"the {level(subject)} capacity{pages(name)}"
        case Kind.LEVEL_LATENCY:
            text = f"the {level(subject)} latency{pages(name)}"
        case Kind.LEVEL_TIME:
            text = f"the {level(subject)} latency in seconds{pages(name)}"
        case Kind.LINE:
            text = "the cache line"
        case Kind.ASSOCIATIVITY:
            text = f"the {level(subject)} associativity"
        case Kind.TLB_REACH:
            text = f"the reach of the {tlb(subject, name.pages in FAR_APART)}{pages(name)}"
        case Kind.CHASE:
            path = f" by the path {part}" if part else ""
            text = f"the {level(subject)} latency of the pointer chase{path}"
        case Kind.BANDWIDTH:
            cores = _TAKING_PART.get(name.scope, "")
            text = f"the {kernel(part)} bandwidth of {level(subject)}{cores}"
        case Kind.PEAK:
            text = f"the {precision(subject)} peak"
        case Kind.PEAK_PER_CYCLE:
            text = f"the {precision(subject)} peak per cycle"
        case Kind.BURST | Kind.SUSTAINED | Kind.SUSTAINED_RATIO | Kind.SETTLING_TIME:
            text = f"the {_UNDER_LOAD[name.kind].format(precision(subject))}"
        case Kind.PARALLELISM:
            text = f"the count of loads under way to {level(subject)}"
        case Kind.WINDOW:
            text = f"the count of {in_flight.filling(subject)} in flight"
        case Kind.FETCH_CAPACITY | Kind.FETCH_RATE:
            text = fetch.phrase(name, rate=name.kind is Kind.FETCH_RATE)
        case Kind.STORE_TO_LOAD | Kind.SPLIT | Kind.ALIAS:
            text = access.noun(name)
        case Kind.MISS_SHARE:
            text = replacement.noun(name)
        case _ if name.kind in prefetch.KINDS:
            text = prefetch.noun(name)
        case Kind.VENDOR:
            text = vendor.phrase(subject)
        case Kind.LINK_RATE | Kind.LINK_TIME:
            text = host_link.noun(name)
        case _ if name.kind in branches.KINDS:
            text = branches.noun(name)
        case _ if name.kind in synchronisation.KINDS:
            text = synchronisation.noun(name)
        case _ if name.kind in communication.KINDS:
            text = communication.noun(name)
        case Kind.KERNEL:
            text = f"the rate of {subject} at {size_name(subject)} = {part}"
        case Kind.RIDGE:
            text = f"the {precision(subject)} ridge on {level(part)}"
        case Kind.RIDGE_SEEN:
            where = f" on {level(part)}" if part else ""
            text = f"the {precision(subject)} ridge{where} that a stream shows"
        case Kind.OVERLAP:
            text = f"the overlap of loads and {precision(subject)} arithmetic on {level(part)}"
        case Kind.ENCODED_LATENCY:
            text = f"the distance that the assembler keeps between dependent instructions of {title(subject)}"
        case Kind.ENCODED_ISSUE:
            text = f"the stall that the assembler puts after {title(subject)}"
        case Kind.ENCODED_WINDOW:
            text = f"the stalls of a chain of {title(subject)}"
        case Kind.RESOURCE:
            text = f"{_TAKEN.get(part, part)} of {subject}"
        case Kind.OCCUPANCY:
            text = f"the occupancy over {subject}"
        case _:
            text = gpu_names.noun(name, level, title)
    return text
