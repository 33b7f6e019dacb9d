"""Known right values, and whether this installation counts them so: `reportgen selfcheck`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec

from reportgen.errors import UserError
from reportgen.workload import templates
from reportgen.workload.builder import Builder
from reportgen.workload.count import Count, count, count_graph
from reportgen.workload.graph import Body, Graph, Shape
from reportgen.workload.rules.einsum import parse
from reportgen.workload.templates.kernels import conv_size


class Check(msgspec.Struct, frozen=True):
    """One value compared."""

    name: str
    what: str
    """`mac`, `flop`, `bytes` or `FLOP/byte`."""
    wanted: float
    got: float | None
    """None where it could not be counted here."""
    source: str
    """What was counted: our template, or a file."""
    reason: str = ""
    """Why there is no value."""

    @property
    def passed(self) -> bool:
        """Equal; what cannot be counted here has not failed."""
        return self.got is None or self.got == self.wanted


def golden_root(package: Path | None = None) -> Path:
    """The folder with `work_counts.json`: inside the package in a wheel, in `data/` of a checkout.

    Raises:
        UserError: neither is there.
    """
    package = package or Path(__file__).resolve().parents[1]
    for root in (package / "_golden", package.parent / "data" / "golden"):
        if (root / "work_counts.json").is_file():
            return root
    raise UserError(
        "The known right values are missing.",
        "Install reportgen from its wheel or with 'pip install -e .' in a checkout.",
    )


def checks() -> Iterator[Check]:
    """Every comparison: single operations, models by template, models by file, intensities."""
    root = golden_root()
    golden = json.loads((root / "work_counts.json").read_text(encoding="utf-8"))
    for case in golden["micro"]:
        yield from micro_checks(case)
    for name, wanted in golden["models"].items():
        template = TEMPLATES.get(name)
        if template is not None:
            yield Check(name, "mac", wanted, count_graph(template()).total.mac, "template")
        file = root / "models" / FILES.get(name, "-")
        if file.is_file():
            yield _file_check(name, wanted, file)
    for name, wanted in golden["intensity"].items():
        yield intensity_check(name, wanted)


def _file_check(name: str, wanted: int, file: Path) -> Check:
    if find_spec("onnx") is None:
        return Check(name, "mac", wanted, None, file.name, "needs the package 'onnx' (extra 'onnx')")
    return Check(name, "mac", wanted, count(file).total.mac, file.name)


TEMPLATES: dict[str, Callable[[], Graph]] = {
    "resnet18": lambda: templates.resnet(18),
    "vgg16": templates.vgg16,
    "mobilenet_v2": templates.mobilenet_v2,
    "bert_base_s128_pooler": lambda: templates.encoder(templates.BERT_BASE, seq=128),
    "gpt2_s128": lambda: templates.prefill(templates.GPT2, seq=128),
    "llama2_7b_prefill_s128_full": lambda: templates.prefill(templates.LLAMA2_7B, seq=128),
}
"""Models that are built here."""

FILES = {
    "resnet18": "resnet18_dyn.onnx",
    "mobilenet_v2": "mbv2_dyn.onnx",
    "bert_base_s128_pooler": "bert_sdpa_dyn.onnx",
}
"""Models that are shipped as an exporter wrote them, without weights."""


def micro_checks(case: dict[str, Any]) -> list[Check]:
    """The values that a case of a single operation gives, each compared."""
    name = _case_name(case)
    counted = count_graph(micro_graph(case))
    found = [Check(name, "mac", case["mac"], counted.total.mac, "template")]
    if "bias_flop" in case:
        found.append(Check(name, "flop", case["bias_flop"], counted.total.flop, "template"))
    if "mac_causal" in case:
        found.append(
            Check(f"{name} causal", "mac", case["mac_causal"], counted.attention.mac_causal, "template")
        )
    if "bytes_read_fp32" in case:
        read = counted.traffic.weights
        found.append(Check(name, "bytes", case["bytes_read_fp32"], read, "template"))
    if "params" in case:
        held = counted.memory.weights // 4
        found.append(Check(f"{name} parameters", "count", case["params"], held, "template"))
    return found


def _case_name(case: dict[str, Any]) -> str:
    rest = [
        str(value) for key, value in case.items() if key in ("x", "w", "a", "b", "q", "k", "eq", "groups")
    ]
    return " ".join([case["op"], *rest])


def micro_graph(case: dict[str, Any]) -> Graph:
    """The graph of a case of `work_counts.json`."""
    kind = case["op"]
    if kind.startswith("Conv"):
        return _convolution(case)
    builders = {
        "MatMul": lambda: _matmul(tuple(case["a"]), tuple(case["b"])),
        "Einsum": lambda: _einsum(case["eq"], [tuple(shape) for shape in case["shapes"]]),
        "SDPA": lambda: _attention(tuple(case["q"]), tuple(case["k"])),
        "LSTM": lambda: _recurrent("LSTM", case, 4),
        "GRU": lambda: _recurrent("GRU", case, 3),
        "TransformerEncoderLayer": lambda: _encoder_layer(case),
        "Embedding": lambda: _embedding(case["V"], case["d"], case["ids"]),
        "Loop": lambda: _loop(case["trip"]),
    }
    if kind in builders:
        return builders[kind]()
    if "called twice" in kind:
        return _shared_module()
    raise UserError(f"'{kind}' of the known right values has no graph here.")


def _convolution(case: dict[str, Any]) -> Graph:
    x, w = tuple(case["x"]), tuple(case["w"])
    stride, pad = case.get("stride", 1), case.get("pad", 0)
    build = Builder(case["op"])
    if case["op"].startswith("ConvTranspose"):
        extra = case.get("outpad", 0)
        sizes = [(n - 1) * stride - 2 * pad + k + extra for n, k in zip(x[2:], w[2:], strict=True)]
        channels = w[1] * case.get("groups", 1)
    else:
        sizes = [conv_size(n, k, stride, pad) for n, k in zip(x[2:], w[2:], strict=True)]
        channels = w[0]
    bias = build.weight((channels,)) if case.get("bias") else None
    op = "ConvTranspose" if case["op"].startswith("ConvTranspose") else "Conv"
    given = (build.input(x), build.weight(w), bias)
    return build.graph(build.op(op, *given, shape=(x[0], channels, *sizes)))


def _matmul(a: Shape, b: Shape) -> Graph:
    from numpy import broadcast_shapes

    build = Builder("MatMul")
    stack = broadcast_shapes(a[:-2], b[:-2])
    shape = (*stack, *a[-2:-1], *(b[-1:] if len(b) > 1 else ()))
    return build.graph(build.op("MatMul", build.input(a), build.input(b), shape=shape))


def _einsum(equation: str, shapes: list[Shape]) -> Graph:
    build = Builder("Einsum")
    ins = [build.input(shape) for shape in shapes]
    return build.graph(build.op("Einsum", *ins, shape=parse(equation, shapes).shape, equation=equation))


def _attention(q: Shape, k: Shape) -> Graph:
    build = Builder("Attention")
    ins = (build.input(q), build.input(k), build.input(k))
    return build.graph(build.op("Attention", *ins, shape=q, is_causal=0))


def _recurrent(kind: str, case: dict[str, Any], gates: int) -> Graph:
    steps, batch, width, hidden = case["T"], case["B"], case["I"], case["H"]
    build = Builder(kind)
    w, r = build.weight((1, gates * hidden, width)), build.weight((1, gates * hidden, hidden))
    x = build.input((steps, batch, width))
    return build.graph(build.op(kind, x, w, r, shape=(steps, 1, batch, hidden)))


def _encoder_layer(case: dict[str, Any]) -> Graph:
    width, heads, hidden = case["d"], case["heads"], case["ff"]
    model = templates.Transformer("layer", 1, width, heads, hidden, 1, positions=case["S"])
    return templates.encoder(model, seq=case["S"], pooler=False)


def _embedding(rows: int, width: int, ids: int) -> Graph:
    build = Builder("Gather")
    table, tokens = build.weight((rows, width)), build.input((ids,), "int64")
    return build.graph(build.op("Gather", table, tokens, shape=(ids, width)))


def _loop(trips: int) -> Graph:
    body = Builder("body")
    x = body.input((8, 8), role="activation")
    inner = body.graph(body.op("MatMul", x, body.weight((8, 8)), shape=(8, 8)))
    build = Builder("Loop")
    (y,) = build.ops_out("Loop", build.input((8, 8)), shapes=[(8, 8)], bodies=(Body(inner, trips),))
    return build.graph(y)


def _shared_module() -> Graph:
    build = Builder("shared")
    w = build.weight((10, 10), storage="linear")
    y = build.input((1, 10))
    for parent in ("first", "second"):
        with build.scope(parent):
            y = build.op("MatMul", y, w, shape=(1, 10))
    return build.graph(y)


INTENSITY_ORDER = 512
"""Length or order at which the intensities of kernels are compared."""


def intensity_check(name: str, wanted: str) -> Check:
    """`wanted` is a fraction: "1/6", or "N/6" of the order N."""
    n = INTENSITY_ORDER
    kernels: dict[str, Callable[[], Graph]] = {
        "saxpy": lambda: templates.axpy(n),
        "daxpy": lambda: templates.axpy(n, "float64"),
        "sgemm_beta0": lambda: templates.gemm(n),
        "dgemm_beta0": lambda: templates.gemm(n, dtype="float64"),
    }
    top, _, bottom = wanted.partition("/")
    value = (n if top == "N" else int(top)) / int(bottom)
    counted: Count = count_graph(kernels[name]())
    label = f"{name}, N = {n}" if top == "N" else name
    return Check(label, "FLOP/byte", value, counted.intensity[1], "template")
