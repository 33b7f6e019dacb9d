"""Nets as exporters write them: shapes computed by nodes, weights in files that are not there.

Used by tests against our own templates, and by `make bench`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from onnx import ModelProto

from tests.unit.workload.onnx_models import FLOAT, INT64, absent, constant, model, node, value


class Net:
    """Collects nodes, weights and constants; each adding call gives the name of its result."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.weights: list[Any] = []
        self.constants: dict[str, str] = {}
        self.scope = ""

    def add(self, kind: str, *ins: str, domain: str = "", outs: int = 1, **attrs: Any) -> Any:
        names = [f"t{len(self.nodes)}_{place}" for place in range(outs)]
        where = f"{self.scope}/{kind}_{len(self.nodes)}"
        self.nodes.append(node(kind, list(ins), names, name=where, domain=domain, **attrs))
        return names[0] if outs == 1 else names

    def weight(self, *shape: int, dtype: int = FLOAT) -> str:
        name = f"w{len(self.weights)}"
        self.weights.append(absent(name, shape, dtype, offset=len(self.weights) << 30))
        return name

    def const(self, numbers: Any, dtype: Any = np.int64) -> str:
        key = f"{dtype.__name__}{numbers}"
        if key not in self.constants:
            self.constants[key] = f"c{len(self.constants)}"
            self.weights.append(constant(self.constants[key], numbers, dtype))
        return self.constants[key]

    def size(self, x: str, axis: int) -> str:
        """One size of a tensor, as a vector of one."""
        chosen = self.add("Gather", self.add("Shape", x), self.const(axis), axis=0)
        return str(self.add("Unsqueeze", chosen, self.const([0])))

    def reshape(self, x: str, *sizes: str | int) -> str:
        """To sizes that are numbers, or names of vectors of one."""
        parts = [size if isinstance(size, str) else self.const([size]) for size in sizes]
        return str(self.add("Reshape", x, self.add("Concat", *parts, axis=0)))


def rms_norm(net: Net, x: str, width: int) -> str:
    squares = net.add("ReduceMean", net.add("Pow", x, net.const(2.0, np.float32)), net.const([-1]))
    root = net.add("Sqrt", net.add("Add", squares, net.const(1e-5, np.float32)))
    return str(net.add("Mul", net.weight(width), net.add("Div", x, root)))


def rotated(net: Net, x: str, cos: str, sin: str, depth: int) -> str:
    half, end, axis = net.const([depth // 2]), net.const([2**62]), net.const([-1])
    first = net.add("Slice", x, net.const([0]), half, axis)
    second = net.add("Slice", x, half, end, axis)
    turned = net.add("Concat", net.add("Neg", second), first, axis=-1)
    return str(net.add("Add", net.add("Mul", x, cos), net.add("Mul", turned, sin)))


def repeated(net: Net, x: str, times: int, heads: int, depth: int) -> str:
    """Keys of a group for each of its heads: unsqueeze, expand, reshape."""
    batch, length = net.size(x, 0), net.size(x, 2)
    wide = net.add("Unsqueeze", x, net.const([2]))
    sizes = [batch, net.const([heads // times]), net.const([times]), length, net.const([depth])]
    wide = net.add("Expand", wide, net.add("Concat", *sizes, axis=0))
    return net.reshape(wide, batch, heads, length, depth)


def language_model(
    layers: int, width: int, heads: int, kv_heads: int, hidden: int, vocabulary: int
) -> ModelProto:
    """A Llama-like decoder with open dimensions batch, seq, past; past_key_values in, present out."""
    net, depth = Net(), width // heads
    cache = ["batch", kv_heads, "past", depth]
    inputs = [value("input_ids", ["batch", "seq"], INT64), value("mask", ["batch", 1, "seq", "past + seq"])]
    outputs = [value("logits", ["batch", "seq", vocabulary])]
    net.scope = "/model/embed_tokens"
    x = net.add("Gather", net.weight(vocabulary, width), "input_ids")
    cos, sin = net.weight(1, 1, 1, depth), net.weight(1, 1, 1, depth)
    for layer in range(layers):
        net.scope = f"/model/layers.{layer}/self_attn"
        pasts = [f"past_key_values.{layer}.{which}" for which in ("key", "value")]
        inputs += [value(name, cache) for name in pasts]
        h = rms_norm(net, x, width)
        batch, seq = net.size(h, 0), net.size(h, 1)
        split = []
        for number in (heads, kv_heads, kv_heads):
            projected = net.add("MatMul", h, net.weight(width, number * depth))
            split.append(
                net.add("Transpose", net.reshape(projected, batch, seq, number, depth), perm=[0, 2, 1, 3])
            )
        q, k, v = rotated(net, split[0], cos, sin, depth), rotated(net, split[1], cos, sin, depth), split[2]
        k, v = net.add("Concat", pasts[0], k, axis=2), net.add("Concat", pasts[1], v, axis=2)
        for which, tensor in (("key", k), ("value", v)):
            name = f"present.{layer}.{which}"
            net.nodes.append(node("Identity", [tensor], [name]))
            outputs.append(value(name, None))
        if kv_heads != heads:
            k, v = (repeated(net, one, heads // kv_heads, heads, depth) for one in (k, v))
        scores = net.add("MatMul", q, net.add("Transpose", k, perm=[0, 1, 3, 2]))
        scores = net.add("Add", net.add("Div", scores, net.const(depth**0.5, np.float32)), "mask")
        mixed = net.add(
            "Transpose", net.add("MatMul", net.add("Softmax", scores, axis=-1), v), perm=[0, 2, 1, 3]
        )
        mixed = net.reshape(mixed, batch, seq, width)
        x = net.add("Add", x, net.add("MatMul", mixed, net.weight(width, width)))
        net.scope = f"/model/layers.{layer}/mlp"
        h = rms_norm(net, x, width)
        gate = net.add("MatMul", h, net.weight(width, hidden))
        gate = net.add("Mul", gate, net.add("Sigmoid", gate))
        up = net.add("Mul", gate, net.add("MatMul", h, net.weight(width, hidden)))
        x = net.add("Add", x, net.add("MatMul", up, net.weight(hidden, width)))
    net.scope = "/lm_head"
    head = net.add("MatMul", rms_norm(net, x, width), net.weight(width, vocabulary))
    net.nodes.append(node("Identity", [head], ["logits"]))
    return model(net.nodes, inputs, outputs, net.weights)


BLOCKS = (3, 4, 6, 3)


def resnet50() -> ModelProto:
    """ResNet-50 with an open batch, norms folded into the convolutions."""
    net = Net()

    def conv(x: str, before: int, after: int, kernel: int, stride: int = 1, *, relu: bool = True) -> str:
        pads = [kernel // 2] * 4
        y = net.add(
            "Conv", x, net.weight(after, before, kernel, kernel), net.weight(after),
            kernel_shape=[kernel, kernel], strides=[stride, stride], pads=pads,
        )  # fmt: skip
        return str(net.add("Relu", y)) if relu else str(y)

    net.scope = "/stem"
    x = net.add("MaxPool", conv("x", 3, 64, 7, 2), kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    before = 64
    for stage, blocks in enumerate(BLOCKS):
        width = 64 << stage
        for block in range(blocks):
            net.scope = f"/layer{stage + 1}/{block}"
            stride = 2 if stage and not block else 1
            y = conv(
                conv(conv(x, before, width, 1), width, width, 3, stride), width, 4 * width, 1, relu=False
            )
            if before != 4 * width:
                x = conv(x, before, 4 * width, 1, stride, relu=False)
            x, before = net.add("Relu", net.add("Add", y, x)), 4 * width
    net.scope = "/fc"
    flat = net.add("Flatten", net.add("GlobalAveragePool", x))
    y = net.add("Gemm", flat, net.weight(1000, 2048), net.weight(1000), transB=1)
    net.nodes.append(node("Identity", [y], ["y"]))
    return model(net.nodes, [value("x", ["batch", 3, 224, 224])], [value("y", None)], net.weights)


def chain(length: int) -> ModelProto:
    """One product after another, all with the same weight."""
    nodes = [node("MatMul", [f"x{at}", "w"], [f"x{at + 1}"]) for at in range(length)]
    return model(nodes, [value("x0", [8, 8])], [value(f"x{length}", None)], [absent("w", (8, 8))])
