"""What a node is called among the rules, and what they need to know beyond its attributes."""

from __future__ import annotations

from typing import Any

from reportgen.workload.onnx_file.node import Node

STANDARD = ("", "ai.onnx")
RUNTIME = ("com.microsoft", "com.ms.internal.nhwc")
CALLED = {"Attention": "PackedAttention", "Inverse": "Inv"}
"""Operators of com.microsoft that are not what the standard calls so."""

SOFTMAX_BY_ROWS = 13
"""Operator set from which softmax works along one axis; before, on the matrix behind axis 1."""


def kind_of(proto: Any) -> str:
    """Kind of a NodeProto: its operator; with the domain where that is another than the known ones."""
    kind: str = proto.op_type
    if proto.domain in STANDARD:
        return kind
    if proto.domain == "com.ms.internal.nhwc":
        return f"Nhwc{kind}" if kind == "Conv" else kind
    if proto.domain in RUNTIME:
        return CALLED.get(kind, kind)
    return f"{proto.domain}.{kind}"


def refine(node: Node) -> None:
    """Add to the attributes of a kind in `REFINED` what constant inputs and changed defaults say."""
    REFINED[node.kind](node)


def _power(node: Node) -> None:
    value = node.constant(1)
    if value is not None and value.size == 1:
        node.attrs["exponent"] = value.item()


def _softmax(node: Node) -> None:
    if node.version < SOFTMAX_BY_ROWS:
        node.attrs.setdefault("axis", 1)


def _dft(node: Node) -> None:
    for place, name in ((1, "length"), (2, "axis")):
        value = node.constant(place)
        if value is not None:
            node.attrs[name] = int(value.item())


def _stft(node: Node) -> None:
    value = node.constant(3)
    if value is not None:
        node.attrs["length"] = int(value.item())
    elif node.has(2) and node.ins[2] is not None:
        node.attrs["length"] = node.ins[2].shape[0]


def _rotary(node: Node) -> None:
    rotated = node.attrs.get("rotary_embedding_dim", 0)
    tensor = node.ins[0] if node.ins else None
    if not rotated or tensor is None or not tensor.known:
        return
    depth = tensor.shape[-1]
    if len(tensor.shape) == 3 and node.attrs.get("num_heads"):
        depth //= node.attrs["num_heads"]
    node.attrs["rotary_share"] = rotated / depth


REFINED = {
    "Pow": _power,
    "Softmax": _softmax,
    "LogSoftmax": _softmax,
    "DFT": _dft,
    "STFT": _stft,
    "RotaryEmbedding": _rotary,
}
