"""A count as plain data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from reportgen.workload.memory import ORDER
from reportgen.workload.work import CONVENTION_FLOP, CONVENTION_MAC, Work

if TYPE_CHECKING:
    from reportgen.workload.breakdown import Share
    from reportgen.workload.count import Count

SCHEMA = 1
"""Of the JSON that `reportgen count --json` prints."""


def as_json(count: Count, depth: int = 1) -> dict[str, Any]:
    """Totals first, then coverage, bytes, memory, attention and the breakdowns."""
    traffic, memory, attention = count.traffic, count.memory, count.attention
    low, high = count.intensity
    return {
        "schema": SCHEMA,
        "model": count.graph.name,
        **columns(count.total),
        "flop_total": count.total.flop_total,
        "convention": {"mac": CONVENTION_MAC, "flop_total": CONVENTION_FLOP},
        "exact": count.exact,
        "coverage": count.coverage,
        "operations": len(count.rows),
        "uncounted": {
            kind: {"operations": many, "reason": why} for kind, (many, why) in count.uncounted.items()
        },
        "notes": list(count.doubts),
        "bytes_compulsory": traffic.compulsory,
        "bytes_unfused": traffic.unfused,
        "bytes": {
            "weights": traffic.weights,
            "inputs": traffic.inputs,
            "outputs": traffic.outputs,
            "cache_read": traffic.cache_read,
            "cache_written": traffic.cache_written,
        },
        "intensity": {"low": low, "high": high, "unit": "FLOP/byte"},
        "memory": {**msgspec.to_builtins(memory), "total": memory.total, "order": ORDER},
        "attention": {
            "found": len(attention.found),
            "expected": attention.expected,
            "grouped": attention.grouped,
            "mac_full": attention.mac_full,
            "mac_causal": attention.mac_causal,
        },
        "by_precision": {
            name: {"mac": work.mac, "flop": work.flop} for name, work in count.by_precision.items()
        },
        "by_module": {name: share_row(share) for name, share in count.by_module(depth).items()},
        "by_kind": {name: share_row(share) for name, share in count.by_kind().items()},
    }


def columns(work: Work) -> dict[str, int]:
    """The five columns."""
    return {name: getattr(work, name) for name in Work.__struct_fields__}


def share_row(share: Share) -> dict[str, int]:
    """A share as one flat row."""
    return {
        "operations": share.operations,
        **columns(share.work),
        "bytes_unfused": share.bytes_unfused,
        "uncounted": share.uncounted,
    }
