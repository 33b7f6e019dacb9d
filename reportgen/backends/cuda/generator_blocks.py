"""What a block holds and how blocks reach each other: shared banks, clusters, bulk copies."""

from __future__ import annotations

from reportgen.backends.cuda import copied
from reportgen.backends.cuda import generator_rows as rows
from reportgen.backends.cuda.generator_memory import shared_limit
from reportgen.backends.cuda.generator_parts import Parts, Request
from reportgen.backends.cuda.generator_windows import WARP
from reportgen.errors import Unsupported

UNROLL = 64
BANK_BYTES = 32768
"""Of shared memory that the strided loads go round in."""
CLUSTER_UNROLL = 32
PORTABLE = 8
"""Blocks of a cluster that every device with clusters can hold; more must be allowed by the launcher."""


def banks(request: Request) -> Parts:
    """Dependent loads of a warp from shared memory, `stride` vectors from lane to lane; 0: all the same."""
    width = request.setting("width")
    opcode = {4: r"LDS(\.U)?", 8: r"LDS(\.U)?\.64", 16: r"LDS(\.U)?\.128"}[width]
    others = width // 4 - 1
    vector = {4: "u32", 8: "v2.u32", 16: "v4.u32"}[width]
    # volatile, or the assembler would load no more than the word that is used
    into = ", ".join(["%0", *"xyz"[:others]])
    declared = f".reg .u32 {', '.join('xyz'[:others])}; " if others else ""
    into = f"{{ {into} }}" if others else into
    load = f"ld.volatile.shared.{vector} {into}, [%0];"
    expect: dict[str, int | str] = {
        "kind": "chain",
        "chains": 1,
        "want.load": UNROLL,
        "match.load": opcode,
    }
    context = {
        "load": f'asm volatile("{{ {declared}{load} }}" : "+r"(node) :: "memory");',
        "unroll": UNROLL,
        "width": width,
        "words": BANK_BYTES // 4,
    }
    parameters = [("unsigned stride", "setting:stride"), ("unsigned *out", "output:unsigned")]
    setup: dict[str, int | float | str] = {"threads": WARP, "stride": request.setting("stride")}
    return Parts(context, parameters, expect, {"steps": float(UNROLL)}, setup)


def cluster(request: Request) -> Parts:
    """Dependent loads of one block from the shared memory of block `peer` of its cluster."""
    size = request.setting("cluster")
    peer = {"own": 0, "next": 1, "last": size - 1}[request.chosen("peer")]
    target = rows.require("a cluster of blocks", (">=sm_90",), request.isa)
    expect: dict[str, int | str] = {
        "kind": "chain",
        "chains": 1,
        "want.load": CLUSTER_UNROLL,
        "match.load": r"LD\.E\.64",
    }
    context = {"attributes": f"__cluster_dims__({size}, 1, 1) ", "unroll": CLUSTER_UNROLL}
    parameters = [
        ("unsigned peer", "setting:peer"),
        ("unsigned long long *out", "output:unsigned long long"),
    ]
    setup: dict[str, int | float | str] = {
        "threads": WARP,
        "cluster": size,
        "blocks": size,
        "peer": peer,
        "portable": int(size <= PORTABLE),
    }
    return Parts(context, parameters, expect, {"steps": float(CLUSTER_UNROLL)}, setup, target)


def empty(request: Request) -> Parts:
    """A kernel that does nothing but leave a mark."""
    expect: dict[str, int | str] = {"kind": "resource", "chains": 0, "want.mark": 1, "match.mark": "STG.*"}
    setup: dict[str, int | float | str] = {"kind": "empty", "threads": WARP}
    return Parts({}, [("unsigned *out", "output:unsigned")], expect, {"launches": 1.0}, setup)


COPIES = {"load": r"UBLKCP\.S\.G", "store": r"UBLKCP\.G\.S", "tile_load": r"UTMALDG\.2D"}
SIGNALS = (
    "SYNCS\\..*|BRA(\\..*)?|U?LOP3\\.LUT|U?MOV|VIADD|U?IADD.*|U?SHF\\..*|U?ISETP\\..*|UTMACMDFLUSH|DEPBAR\\.LE"
    "|CCTL\\.IVALL|R2UR|NOP|ELECT|U?PLOP3\\.LUT|LDCU.*|ULDC.*|IMAD\\..*|FENCE.*|S2U?R|ULEA|LEA"
)
"""Beside the copy: its barrier is armed, signalled and waited for, and the turns are counted."""


def bulk(request: Request) -> Parts:
    """Copies of `bytes` between global and shared memory by the copy unit, each waited for."""
    copy, size = request.chosen("copy"), request.setting("bytes")
    target = rows.require("a bulk copy", (">=sm_90",), request.isa)
    limit = shared_limit(request.isa) - 1024
    if size > limit:
        raise Unsupported(f"a copy of {size} bytes wanted, {limit} fit into shared memory on {request.isa}")
    expect: dict[str, int | str] = {
        "kind": "memory",
        "chains": 0,
        "want.copy": 1,
        "match.copy": COPIES[copy],
        "allow": SIGNALS,
    }
    source = {
        "load": [("const unsigned *source", copied.FROM), ("unsigned *kept", copied.TO)],
        "store": [("const unsigned *source", copied.FROM), ("unsigned *sink", copied.TO)],
        "tile_load": [("const __grid_constant__ Map map", "tensor map:2D"), ("unsigned *kept", copied.TO)],
    }[copy]
    parameters = [
        *source,
        ("unsigned bytes", "setting:bytes"),
        ("unsigned rounds", "count:windows"),
        ("unsigned *out", "output:unsigned"),
    ]
    setup: dict[str, int | float | str] = {"kind": "bulk", "threads": WARP, "dynamic_bytes": size}
    return Parts({"copy": copy}, parameters, expect, {"bytes": float(size)}, setup, target)
