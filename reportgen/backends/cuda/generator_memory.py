"""Memory: pointer chases by path, a traced chase, latency from each multiprocessor, streams, bulk copies.

A chase runs in one thread over nodes that the launcher lays out (`layout`, `bytes`, `stride`, `count`); those
are settings of a launch, so that all sizes of a path share one program.
"""

from __future__ import annotations

from dataclasses import dataclass

from reportgen.backends.cuda import generator_rows as rows
from reportgen.backends.cuda.generator_parts import Parts, Request
from reportgen.backends.cuda.occupancy import multiprocessor
from reportgen.errors import Unsupported

UNROLL = 64
"""Dependent loads in a window."""
STREAM_UNROLL = 4
"""Vectors of each array that a thread has under way."""
STREAM_THREADS = 256
ALONE_BYTES = 1 << 16
"""Under way, of each array, where one block has the device to itself.  A multiprocessor takes 64 bytes a
cycle from the second level at most, and memory answers after some 700 cycles: 45 kB.  Fewer would tell how
many were asked for, not what a multiprocessor gets."""
CONSTANT_BYTES = 65536
"""All that a kernel may have as constant memory (CUDA Programming Guide, "Technical Specifications")."""
LOCAL_BYTES = 16384
"""Of one thread, in the chase through local memory."""


def shared_limit(isa: str) -> int:
    """Bytes of shared memory that a block may ask for."""
    return multiprocessor(rows.number(isa)).shared_block


@dataclass(frozen=True)
class Path:
    """One way to memory."""

    load: str
    """PTX: `%0` the node, which is the next address; `%1` where the path needs something more."""
    opcode: str
    node: str = "unsigned long long"
    letter: str = "l"
    allow: str = ""


PATHS = {
    "plain": Path("ld.global.u64 %0, [%0];", r"LDG\.E\.64(\.SYS)?"),
    "ca": Path("ld.global.ca.u64 %0, [%0];", r"LDG\.E\.64\.STRONG\.(SM|CTA)"),
    "cg": Path("ld.global.cg.u64 %0, [%0];", r"LDG\.E\.64\.STRONG\.GPU"),
    "nc": Path("ld.global.nc.u64 %0, [%0];", r"LDG\.E\.64\.CONSTANT(\.SYS)?"),
    "volatile": Path("ld.volatile.global.u64 %0, [%0];", r"LDG\.E\.64\.STRONG\.SYS"),
    "texture": Path(
        "tex.1d.v4.u32.s32 {%0, _, _, _}, [%1, {%0}];",
        r"TLD(\.SCR)?\.LZ",
        "unsigned",
        "r",
        r"NOP|DEPBAR\.LE",
    ),
    "constant": Path("ld.const.u32 %0, [%0];", "LDC", "unsigned", "r"),
    "shared": Path("ld.shared.u32 %0, [%0];", r"LDS(\.U)?", "unsigned", "r"),
    "local": Path("ld.local.u32 %0, [%0];", "LDL", "unsigned", "r"),
}
"""Name -> path. Nodes hold the address of the next one; of a texture its index; in constant, shared and local
memory its offset, to which the kernel adds the base."""

_START = ("unsigned long long start_node", "node:address")


def chase(request: Request) -> Parts:
    """`rounds` windows of dependent loads in one thread, after `warm` loads that are not timed."""
    name = str(request.point.settings.get("path", request.probe.definition.constants.get("path", "ca")))
    path = PATHS[name]
    _fits(request, name)
    operand = ' : "l"(texture)' if name == "texture" else ""
    expect: dict[str, int | str] = {
        "kind": "chain",
        "chains": 1,
        "want.load": UNROLL,
        "match.load": path.opcode,
    }
    if path.allow:
        expect["allow"] = path.allow
    context = {
        "path": name,
        "node": path.node,
        "load": f'asm volatile("{path.load}" : "+{path.letter}"(node){operand});',
        "unroll": UNROLL,
        "local_words": LOCAL_BYTES // 4,
        "constant_words": CONSTANT_BYTES // 4,
    }
    parameters = {
        "texture": [("unsigned long long texture", "texture:indices"), ("unsigned first", "node:index")],
        "constant": [("unsigned first", "node:offset")],
        "shared": [("const unsigned *nodes", "nodes:offsets"), ("unsigned words", "count:words")],
        "local": [("const unsigned *nodes", "nodes:offsets"), ("unsigned words", "count:words")],
    }.get(name, [("unsigned long long first", "node:address")])
    parameters.append(("unsigned warm", "count:loads"))
    if name != "texture":  # its handle would be fetched again in every turn
        parameters.append(("unsigned rounds", "count:windows"))
    setup: dict[str, int | float | str] = {
        "kind": "chase",
        "path": name,
        "threads": 1,
        "unroll": UNROLL,
        **request.probe.definition.constants,
        **({"dynamic_bytes": request.setting("bytes")} if name == "shared" else {}),
    }
    work = {"steps": float(UNROLL)}
    return Parts(context, [*parameters, (f"{path.node} *out", f"output:{path.node}")], expect, work, setup)


def _fits(request: Request, path: str) -> None:
    size = int(request.point.settings.get("bytes", 0))
    limits = {"shared": shared_limit(request.isa), "constant": CONSTANT_BYTES, "local": LOCAL_BYTES}
    if path in limits and size > limits[path]:
        raise Unsupported(
            f"{size} bytes wanted, {path} memory of a {'block' if path == 'shared' else 'kernel'} "
            f"on {request.isa} ends at {limits[path]}"
        )


def trace(request: Request) -> Parts:
    """One dependent load after the other, each between two clock reads of its own."""
    path = PATHS[request.chosen("path")]
    expect: dict[str, int | str] = {
        "kind": "memory",
        "chains": 1,
        "want.load": 1,
        "match.load": path.opcode,
        "want.store": 1,
        "match.store": "STS(\\.64)?",
        "allow": "U?MOV|DEPBAR\\.LE|IMAD\\.MOV.*|NOP|U?LEA|U?IADD.*|IMAD\\.(IADD|SHL).*|VIADD|U?SHF.*|R2UR",
    }
    context = {"load": f'asm volatile("{path.load}" : "+{path.letter}"(node));', "steps": TRACE_STEPS}
    parameters = [_START, ("unsigned long long *out", "output:unsigned long long")]
    setup: dict[str, int | float | str] = {
        "kind": "trace",
        "path": request.chosen("path"),
        "threads": 1,
        "steps": TRACE_STEPS,
    }
    return Parts(context, parameters, expect, {"steps": 1.0}, setup)


TRACE_STEPS = 2048
"""Loads of a trace: as many durations and addresses as shared memory holds (Mei & Chu, TPDS 2017)."""


def l2_matrix(request: Request) -> Parts:
    """Latency from one multiprocessor to one line after the other; the number of it is stored."""
    expect: dict[str, int | str] = {
        "kind": "chain",
        "chains": 1,
        "want.load": MATRIX_UNROLL,
        "match.load": PATHS["cg"].opcode,
    }
    load = PATHS["cg"].load
    context = {"load": f'asm volatile("{load}" : "+l"(node));', "unroll": MATRIX_UNROLL}
    parameters = [
        ("const unsigned long long *lines", "cells:self"),
        ("unsigned stride", "count:cells from line to line"),
        ("unsigned count", "count:lines"),
        ("unsigned chosen", "number:block"),
        ("unsigned long long *out", "output:unsigned long long"),
        ("unsigned *multiprocessor", "output:unsigned"),
    ]
    setup: dict[str, int | float | str] = {"kind": "l2_matrix", "threads": 1, "unroll": MATRIX_UNROLL}
    # no two blocks on one multiprocessor, so that there is one on each
    setup["dynamic_bytes"] = shared_limit(request.isa)
    return Parts(context, parameters, expect, {"steps": float(MATRIX_UNROLL)}, setup)


MATRIX_UNROLL = 16
"""Loads of one line in a row."""

_VECTORS = {4: ("u32", 1), 8: ("v2.u32", 2), 16: ("v4.u32", 4), 32: ("v8.u32", 8)}
"""Bytes of a vector -> PTX type and registers."""
_ARRAYS = {"read": ("a",), "write": ("b",), "copy": ("a", "b"), "triad": ("a", "b", "c")}
_WIDE_LOADS = 100
"""From this target on one load moves 32 bytes."""


def stream(request: Request) -> Parts:
    """Every thread moves `STREAM_UNROLL` vectors of each array at a time."""
    kernel, width = request.chosen("kernel"), request.setting("width")
    if width > 16 and rows.number(request.isa) < _WIDE_LOADS:
        raise Unsupported(f"a load of {width} bytes needs sm_{_WIDE_LOADS} or newer")
    kind, registers = _VECTORS[width]
    loads = {"read": 1, "write": 0, "copy": 1, "triad": 2}[kernel]
    stores = 0 if kernel == "read" else 1
    size = "" if width == 4 else f"\\.{width * 8}" if width < 32 else "\\.ENL2\\.256"
    expect: dict[str, int | str] = {"kind": "memory", "chains": 0, "allow": STREAM_OTHERS}
    if loads:
        expect |= {"want.load": loads * STREAM_UNROLL, "match.load": f"LDG\\.E{size}(\\.SYS)?"}
    if stores:
        expect |= {"want.store": STREAM_UNROLL, "match.store": f"STG\\.E{size}(\\.SYS)?"}
    if kernel == "triad":
        expect |= {"want.fma": STREAM_UNROLL * registers, "match.fma": "FFMA"}
    float_type = kind.replace("u32", "f32")
    context = {
        "width": width,
        "type": float_type,
        "registers": registers,
        "unroll": STREAM_UNROLL,
        "traffic": kernel,
    }
    arrays = [
        (f"{'const ' if name != 'b' else ''}char *{name}", f"array:{width}") for name in _ARRAYS[kernel]
    ]
    turns = [(f"unsigned {name}", f"count:{name}") for name in ("turns", "rounds", "shift")]
    parameters = [*arrays, *turns, ("float *out", "output:float")]
    moved = float(STREAM_UNROLL * width * (loads + stores))
    alone = request.point.settings.get("blocks") == 1
    setup: dict[str, int | float | str] = {
        "kind": "stream",
        "threads": ALONE_BYTES // (STREAM_UNROLL * width) if alone else STREAM_THREADS,
        "unroll": STREAM_UNROLL,
        "arrays": len(arrays),
        "vector_bytes": width,
        **request.probe.definition.constants,
    }
    work = {"bytes": moved, "flop": float(2 * STREAM_UNROLL * registers) if kernel == "triad" else 0.0}
    return Parts(context, parameters, expect, work, setup)


STREAM_OTHERS = (
    "U?ISETP.*|BRA(\\..*)?|U?IADD.*|U?IMAD.*|VIADD|U?LEA.*|U?MOV|U?LDCU?.*|S2U?R|CS2R.*|NOP|FADD|LOP3\\.LUT"
    "|U?SHF.*|R2UR|HFMA2.*|U?SEL|I2FP?\\..*|DEPBAR\\.LE|U?PLOP3\\.LUT|U?VI(ADD)?MNMX.*|IMNMX.*"
)
"""Beside the traffic: addresses, the count of turns and rounds, the sum that keeps what was read alive."""
