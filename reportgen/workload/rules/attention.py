"""Attention as one operation, and the visible pairs under a mask.

MAC = B Hq (Dqk + Dv) x pairs, where pairs = Sq Sk for the full product, and for a causal mask, aligned
at the bottom right, the sum over rows of the keys a query may see.  Grouped heads share keys and values:
that saves bytes, not MACs.
"""

from __future__ import annotations

from dataclasses import dataclass

from reportgen.workload.graph import Op
from reportgen.workload.rules.normalisation import SOFTMAX
from reportgen.workload.rules.registry import Uncountable, rule
from reportgen.workload.work import Work


@dataclass(frozen=True)
class Core:
    """The two products of one attention: q k^T and its softmax times v."""

    batch: int
    heads: int
    """Of the queries."""
    kv_heads: int
    queries: int
    keys: int
    """Past ones included."""
    depth: int
    """Of q and k."""
    value_depth: int
    causal: bool | None = None
    """None where the graph does not say: a mask may be an ordinary input."""
    window: int = 0
    """Keys a query sees at most, 0 for all."""
    fused: bool = True
    """One operation, not found as a pattern."""

    @property
    def pairs(self) -> int:
        """Query-key pairs of one head without a causal mask."""
        return self.queries * self.keys

    @property
    def causal_pairs(self) -> int:
        """Pairs under a causal mask, with the window."""
        return visible_pairs(self.queries, self.keys, self.window)

    def mac(self, pairs: int) -> int:
        """MACs of both products for so many pairs a head."""
        return self.batch * self.heads * pairs * (self.depth + self.value_depth)


def visible_pairs(queries: int, keys: int, window: int = 0) -> int:
    """Pairs that a causal mask lets through; the last query sees the last key.

    Query i of n sees keys 0 .. m - n + i, of them the last `window` if that is not 0.
    """
    first = keys - queries + 1  # keys the first query sees; below 1: it sees none
    most = min(window, keys) if window else keys
    blind = max(0, 1 - first)
    low = max(first, 1)
    rows = queries - blind
    if rows <= 0:
        return 0
    rising = max(0, min(rows, most - low + 1))  # rows that see fewer than `most`, or just as many
    return rising * (2 * low + rising - 1) // 2 + (rows - rising) * most


def of_core(core: Core) -> Work:
    """Both products over all pairs, the scale, and the softmax."""
    scores = core.batch * core.heads * core.pairs
    return Work(mac=core.mac(core.pairs), flop=scores) + SOFTMAX * scores


@rule("Attention")
def attention(op: Op) -> Work:
    """ONNX's Attention, torch's and JAX's scaled dot product."""
    return of_core(attention_core(op))


@rule("MultiHeadAttention", "GroupQueryAttention", "DecoderMaskedMultiHeadAttention")
def contrib_attention(op: Op) -> Work:
    """Rotary embedding inside the operation: three FLOP an element of q and of the new k."""
    core = core_of(op)
    if core is None:
        raise Uncountable("its inputs do not say the heads")
    rotated = core.heads + core.kv_heads if op.attrs.get("do_rotary") else 0
    return of_core(core) + Work(flop=3 * core.batch * core.queries * core.depth * rotated)


@rule("PackedAttention", "QAttention")
def packed_attention(op: Op) -> Work:
    """com.microsoft Attention: the projection of q, k and v is in it. Inputs x, weight, bias."""
    core = core_of(op)
    if core is None:
        raise Uncountable("its inputs do not say the heads")
    weight = op.input(1)
    rows = core.batch * core.queries
    bias = rows * weight.shape[-1] if op.has_input(2) else 0
    return Work(mac=rows * weight.size, flop=bias) + of_core(core)


@rule("LinearAttention")
def linear_attention(op: Op) -> Work:
    """Depends on the variant; none is counted."""
    raise Uncountable("linear attention has several forms")


def core_of(op: Op) -> Core | None:
    """The dimensions of a fused attention, None for any other kind."""
    reader = _CORES.get(op.kind)
    return reader(op) if reader else None


def is_fused_attention(kind: str) -> bool:
    """Whether operations of this kind are a whole attention."""
    return kind in _CORES


def _past(op: Op, place: int, axis: int) -> int:
    return op.input(place).shape[axis] if op.has_input(place) else 0


def attention_core(op: Op) -> Core:
    """q, k, v as [B, H, S, D] or [B, S, H D] with attributes q_num_heads and kv_num_heads."""
    q, k, v = op.input(0).shape, op.input(1).shape, op.input(2).shape
    if len(q) == 3:
        heads, groups = int(op.attrs["q_num_heads"]), int(op.attrs["kv_num_heads"])
        q = (q[0], heads, q[1], q[2] // heads)
        k = (k[0], groups, k[1], k[2] // groups)
        v = (v[0], groups, v[1], v[2] // groups)
    past = _past(op, 4, 2)
    causal = bool(op.attrs["is_causal"]) if "is_causal" in op.attrs else None
    if causal is False and op.has_input(3):
        causal = None
    return Core(
        batch=_product(q[:-3]),
        heads=q[-3],
        kv_heads=k[-3],
        queries=q[-2],
        keys=k[-2] + past,
        depth=q[-1],
        value_depth=v[-1],
        causal=causal,
    )


def _product(shape: tuple[int, ...]) -> int:
    result = 1
    for size in shape:
        result *= size
    return result


def _multi_head(op: Op) -> Core:
    heads = int(op.attrs["num_heads"])
    q = op.input(0).shape
    if len(q) == 5:  # [B, S, heads, 3, D]: q, k and v in one
        batch, queries, _, _, depth = q
        keys, value_depth = queries, depth
    else:
        batch, queries, depth = q[0], q[1], q[2] // heads
        key = op.input(1).shape
        if len(key) == 5:  # [B, L, heads, 2, D]: k and v in one
            keys, value_depth = key[1], key[4]
        elif len(key) == 4:  # [B, heads, L, D]: kept by an encoder
            keys, value_depth = key[2], op.input(2).shape[3]
        else:
            keys, value_depth = key[1], op.input(2).shape[2] // heads
    causal = bool(op.attrs.get("unidirectional", 0)) or None
    return Core(batch, heads, heads, queries, keys + _past(op, 6, 2), depth, value_depth, causal)


def _group_query(op: Op) -> Core:
    heads, groups = int(op.attrs["num_heads"]), int(op.attrs["kv_num_heads"])
    batch, queries, width = op.input(0).shape
    depth = width // heads if op.has_input(1) else width // (heads + 2 * groups)
    # The present keys are all keys; where the file does not say, past and new ones.
    known = len(op.outs) > 1 and op.outs[1].known and len(op.outs[1].shape) == 4
    keys = op.outs[1].shape[2] if known else _past(op, 3, 2) + queries
    window = max(int(op.attrs.get("local_window_size", -1)), 0)
    return Core(batch, heads, groups, queries, keys, depth, depth, causal=True, window=window)


def _packed(op: Op) -> Core:
    heads = int(op.attrs["num_heads"])
    batch, queries = op.input(0).shape[:2]
    widths = op.attrs.get("qkv_hidden_sizes") or (op.input(1).shape[-1] // 3,) * 3
    past = _past(op, 8 if op.kind == "QAttention" else 4, 3)
    causal = bool(op.attrs.get("unidirectional", 0)) or None
    return Core(batch, heads, heads, queries, queries + past, widths[0] // heads, widths[2] // heads, causal)


_CORES = {
    "Attention": attention_core,
    "MultiHeadAttention": _multi_head,
    "DecoderMaskedMultiHeadAttention": _multi_head,
    "GroupQueryAttention": _group_query,
    "PackedAttention": _packed,
    "QAttention": _packed,
}
