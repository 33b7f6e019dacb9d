"""What waits for others: barriers, fences, atomics that meet at an address, lanes that go different ways.

`bar.warp.sync` is not among them: where the lanes of a warp are together, the assembler leaves a NOP of it.
"""

from __future__ import annotations

from typing import NamedTuple

from reportgen.backends.cuda import generator_rows as rows
from reportgen.backends.cuda.generator_blocks import PORTABLE
from reportgen.backends.cuda.generator_parts import Parts, Request
from reportgen.backends.cuda.generator_saturated import LOOP
from reportgen.backends.cuda.generator_windows import AGAIN, ONCE, TURNED, TWICE, WARP

TRY_WAIT = 90
"""From this target on a wait at a barrier in shared memory may put the thread to sleep."""
FENCES = {"block": ("cta", "CTA"), "device": ("gl", "GPU"), "system": ("sys", "SYS")}
"""Scope -> ending of `membar`, and of its opcode."""
WITH_A_FENCE = "ERRBAR|CGAERRBAR|CCTL\\.IVALL"
"""Behind a fence that reaches beyond the block: the first cache forgets what it holds."""
STEPS = 64
"""Atomic adds of a warp, one after the other."""
UNROLL = 16
"""Atomic adds of a turn, where many blocks do them."""
ADDRESSES = "U?IMAD.*|U?LEA.*|U?SHF.*|LOP3.*|IADD.*"
"""What the compiler works out between the first clock read and the first turn, once in thousands of them."""
MEETING_THREADS = 256
TURNS_OF_ALL = 2048
"""Turns of all blocks of a launch together: 8.4 million adds, milliseconds if they go one after the other."""
WAYS = 32
"""Paths of the divergent kernel: one for each lane."""
EACH, PATH_TURNS = 8, 16
"""Multiply-adds of a turn of a path, and turns: a chain of 128, whose cycles are many beside those of the way
there.  All paths together are 8 KiB of code, which lie in the nearest instruction cache."""
DISTANCES = {
    "one_address": (0, 0, 0),
    "own_address": (WARP, 0, 0),
    "one_line": (0, 0, 1),
    "spread": (MEETING_THREADS, WARP, 1),
}
"""Place -> words from block to block, from warp to warp and from lane to lane."""
WORDS = {"one_address": 1, "own_address": WARP, "one_line": WARP, "spread": MEETING_THREADS}
"""Words of it that one block has, or all share."""


class Wait(NamedTuple):
    """One way to wait."""

    step: str
    """C++; `phase` is 0 and 1 by turns."""
    wanted: dict[str, str]
    """Label -> opcode, one of each a step."""
    allow: str = ""
    before: tuple[str, ...] = ()
    attributes: str = ""
    exact: bool = True
    """Whether nothing else may be in the window."""


def wait(request: Request) -> Parts:
    """`length` waits one after the other, by all threads of the launch; work is that of the block."""
    found = _WAITS[str(request.probe.definition.constants["waits_for"])](request)
    length = request.setting("length")
    expect: dict[str, int | str] = {"kind": "independent" if found.exact else "memory", "chains": 0}
    for label, opcode in found.wanted.items():
        expect |= {f"want.{label}": length, f"match.{label}": opcode}
    if found.allow:
        expect["allow"] = found.allow
    settings = request.point.settings
    threads = WARP * int(settings.get("warps", 1))
    setup: dict[str, int | float | str] = {"threads": threads, "team": threads, **TWICE}
    target = ""
    if "cluster" in settings:
        size = request.setting("cluster")
        target = rows.require("a cluster of blocks", (">=sm_90",), request.isa)
        # all blocks wait for each other, so one of them is what is timed
        setup |= {"cluster": size, "blocks": size, "team": threads * size, "portable": int(size <= PORTABLE)}
    context = {
        "step": found.step,
        "length": length,
        "attributes": found.attributes,
        **ONCE,
        "again": True,
        "together": True,
        "before": list(found.before),
        "after": ["out[block * blockDim.x + threadIdx.x] = time;"],
    }
    parameters = [("unsigned *out", "output:unsigned"), *AGAIN]
    return Parts(context, parameters, expect, {"steps": float(length)}, setup, target)


def _block(_request: Request) -> Wait:
    return Wait('asm volatile("bar.sync 0;" ::: "memory");', {"barrier": r"BAR\.SYNC(\.DEFER_BLOCKING)?"})


def _cluster(request: Request) -> Wait:
    """As `cluster.sync()` waits: what was written before is seen by all blocks behind it."""
    return Wait(
        'asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");',
        {"arrival": "UCGABAR_ARV", "wait": "UCGABAR_WAIT"},
        allow=f"MEMBAR\\.ALL\\.GPU|{WITH_A_FENCE}",
        attributes=f"__cluster_dims__({request.setting('cluster')}, 1, 1) ",
    )


def _memory(request: Request) -> Wait:
    """All threads of the block arrive, and ask until the phase has ended.

    Phases are told apart by their parity, so `length` is even.
    """
    rows.require("a barrier in shared memory", (">=sm_80",), request.isa)
    ask = "try_wait" if rows.number(request.isa) >= TRY_WAIT else "test_wait"
    step = (
        "{ .reg .pred p; mbarrier.arrive.shared::cta.b64 _, [%0]; "
        f"ask: mbarrier.{ask}.parity.shared::cta.b64 p, [%0], %1; @!p bra ask; }}"
    )
    init = (
        'asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(place), "r"(blockDim.x) : "memory");'
    )
    before = (
        "__shared__ unsigned long long barrier;",
        "const unsigned place = (unsigned)__cvta_generic_to_shared(&barrier);",
        f"if (threadIdx.x == 0) {init}",
        "__syncthreads();",
    )
    return Wait(
        f'asm volatile("{step}" :: "r"(place), "r"((unsigned)phase & 1) : "memory");',
        {"arrival": r"SYNCS\.ARRIVE\..*|ATOMS\.ARRIVE\.64", "answer": r"SYNCS\.PHASECHK\..*|LDS"},
        allow="BRA|U?MOV|U?SHF\\.L\\.U32|MEMBAR\\.ALL\\.CTA|BSSY.*|BSYNC.*|YIELD|LOP3\\.LUT|NOP",
        before=before,
        exact=False,
    )


def _fence(request: Request) -> Wait:
    """A fence, behind a store of every thread to a word of its own or behind nothing but the fence before."""
    scope, opcode = FENCES[request.chosen("scope")]
    fence = f'asm volatile("membar.{scope};" ::: "memory");'
    wanted = {"fence": rf"MEMBAR\.SC\.{opcode}"}
    if request.chosen("case") == "alone":
        return Wait(fence, wanted, allow=WITH_A_FENCE)
    store = 'asm volatile("st.global.u32 [%0], %1;" :: "l"(own), "r"(nought) : "memory");'
    before = ("unsigned *own = out + blockIdx.x * blockDim.x + threadIdx.x;",)
    return Wait(f"{store} {fence}", {"store": r"STG\.E(\.SYS)?", **wanted}, allow=WITH_A_FENCE, before=before)


_WAITS = {"block": _block, "cluster": _cluster, "memory": _memory, "fence": _fence}


def meeting(request: Request) -> Parts:
    """A chain of atomic adds in every lane of a warp, whose lanes share `distinct` words."""
    space = request.chosen("space")
    if space == "shared":
        before = [
            f"__shared__ unsigned cells[{WARP}];",
            "cells[threadIdx.x] = nought;",
            "__syncthreads();",
            "const unsigned word = (unsigned)__cvta_generic_to_shared(&cells[threadIdx.x & (distinct - 1)]);",
        ]
        opcode, letter = r"ATOMS\.ADD", "r"
    else:
        before = ["unsigned *word = counters + (threadIdx.x & (distinct - 1));"]
        opcode, letter = r"ATOMG\.E\.ADD\.STRONG\.GPU", "l"
    expect: dict[str, int | str] = {"kind": "chain", "chains": 1, "want.add": STEPS, "match.add": opcode}
    step = f'asm volatile("atom.{space}.add.u32 %0, [%1], %0;" : "+r"(sum) : "{letter}"(word) : "memory");'
    context = {
        "step": step,
        "length": STEPS,
        **ONCE,
        "again": True,
        # a value that the compiler cannot know to be the same in all lanes
        "before": [*before, "unsigned sum = nought * threadIdx.x;"],
        "after": ["out[threadIdx.x] = sum + time;"],
    }
    parameters = [
        ("unsigned *counters", f"totals:{WARP}"),
        ("unsigned distinct", "setting:distinct"),
        ("unsigned *out", "output:unsigned"),
        *AGAIN,
    ]
    setup: dict[str, int | float | str] = {"threads": WARP, "distinct": request.setting("distinct"), **TWICE}
    return Parts(context, parameters, expect, {"steps": float(STEPS)}, setup)


def contention(request: Request) -> Parts:
    """Atomic adds without a result by all threads of `blocks` blocks, at the words of a `place`."""
    place, blocks = request.chosen("place"), request.setting("blocks")
    expect: dict[str, int | str] = {
        "kind": "memory",
        "chains": 0,
        "want.add": UNROLL,
        "match.add": r"REDG?\.E\.ADD\.STRONG\.GPU",
        "allow": f"{LOOP}|{ADDRESSES}",
    }
    by_block, by_warp, by_lane = DISTANCES[place]
    words = WORDS[place] * (blocks if by_block else 1)
    setup: dict[str, int | float | str] = {
        "kind": "contended",
        "threads": MEETING_THREADS,
        "blocks": blocks,
        "turns": TURNS_OF_ALL // blocks,
        "unroll": UNROLL,
        "each": 1,
        "words": words,
        "per_block": by_block,
        "per_warp": by_warp,
        "per_lane": by_lane,
    }
    parameters = [
        ("unsigned *counters", "totals:words"),
        *((f"unsigned {name}", f"setting:{name}") for name in ("per_block", "per_warp", "per_lane")),
        ("unsigned each", "setting:each"),
        TURNED,
    ]
    # of one turn of one warp
    work = {"instructions": float(UNROLL), "op": float(UNROLL * WARP)}
    return Parts({"unroll": UNROLL}, parameters, expect, work, setup)


def paths(request: Request) -> Parts:
    """A chain of multiply-adds on each of the ways that lanes take; work is that of one path."""
    expect: dict[str, int | str] = {
        "kind": "memory",
        "chains": 0,
        "want.fma": WAYS * EACH,
        "match.fma": "FFMA",
        # into each way and round it, and where its lanes meet the others again
        "want.branch": 2 * WAYS,
        "match.branch": r"BRA(\..*)?",
        "want.joining": WAYS,
        "match.joining": r"BSYNC(\..*)?",
        "allow": f"{LOOP}|BMOV.*",
    }
    context = {
        "step": _fma,
        "ways": WAYS,
        "each": EACH,
        **ONCE,
        "again": True,
        "before": [
            "float x = in[threadIdx.x];",
            "const float a = in[1024 + threadIdx.x];",
            f"const unsigned path = paths ? threadIdx.x & (paths - 1) : {WAYS}u;",
        ],
        "after": ["out[threadIdx.x] = x;"],
    }
    parameters = [
        ("const float *in", "input:float"),
        ("unsigned paths", "setting:paths"),
        ("float *out", "output:float"),
        *AGAIN,
        ("unsigned turns", "setting:path_turns"),
    ]
    setup: dict[str, int | float | str] = {"threads": WARP, "paths": request.setting("paths"), **TWICE}
    setup["path_turns"] = PATH_TURNS
    return Parts(context, parameters, expect, {"steps": float(EACH * PATH_TURNS)}, setup)


def _fma(way: int) -> str:
    """One multiply-add with a constant of its way: 1, 1.03125, ..."""
    constant = 0x3F800000 + (way << 18)
    return f'asm volatile("fma.rn.f32 %0, %0, %1, 0f{constant:08X};" : "+f"(x) : "f"(a));'
