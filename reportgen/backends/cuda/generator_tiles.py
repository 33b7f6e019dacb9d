"""Copies of tiles by tensor map: how their rows lie in shared memory, what a miss of theirs brings along.

A tile whose rows are `row` bytes long is ordered again and again (`swizzle`), or each time the next one
beside it, out of memory that no cache holds (`promotion`).
"""

from __future__ import annotations

from reportgen.backends.cuda import generator_rows as rows
from reportgen.backends.cuda.generator_blocks import COPIES, SIGNALS
from reportgen.backends.cuda.generator_parts import Parts, Request
from reportgen.backends.cuda.generator_windows import WARP

ALIGNED = 1024
"""Bytes to which a tile is aligned: after so many the widest pattern begins anew."""


def tile(request: Request) -> Parts:
    """Tiles of `bytes`, each waited for; the last one is left as it lies."""
    size, row = request.setting("bytes"), request.setting("row")
    target = rows.require("a copy by tensor map", (">=sm_90",), request.isa)
    walks = "promotion" in request.point.settings
    expect: dict[str, int | str] = {
        "kind": "memory",
        "chains": 0,
        "want.copy": 1,
        "match.copy": COPIES["tile_load"],
        "allow": f"{SIGNALS}|UIMAD(\\..*)?",  # the column of the next tile
    }
    parameters = [
        ("const __grid_constant__ Map map", "tensor map:2D"),
        ("unsigned bytes", "setting:bytes"),
        ("unsigned rounds", "count:windows"),
        ("unsigned step", "setting:step"),
        ("unsigned *out", "output:unsigned"),
    ]
    setup: dict[str, int | float | str] = {
        "kind": "bulk",
        "threads": WARP,
        "dynamic_bytes": size + ALIGNED,
        "row": row,
        "swizzle": row if request.point.settings.get("swizzle") == "yes" else 0,
        "promotion": int(request.point.settings.get("promotion", 0)),
        "step": row // 4 if walks else 0,
    }
    return Parts({}, parameters, expect, {"bytes": float(size)}, setup, target)
