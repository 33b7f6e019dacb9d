"""ATen operators as kinds: what the nodes of an exported torch program are called here."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

from reportgen.workload.elementwise import ELEMENTWISE as COMMON
from reportgen.workload.graph import Op, Tensor

Operand = Callable[[Any], Tensor | None]

VIEWS = (
    "view reshape _unsafe_view unsqueeze squeeze expand permute transpose t numpy_T alias detach flatten "
    "unflatten lift_fresh_copy contiguous select slice split split_with_sizes chunk unbind narrow view_as "
    "expand_as movedim swapaxes diagonal dropout native_dropout feature_dropout alpha_dropout "
    "_assert_tensor_metadata mT mH lift real imag view_as_real view_as_complex broadcast_tensors "
    "unsafe_split unsafe_chunk broadcast_to unfold"
)
COPIES = (
    "clone copy copy_ cat stack constant_pad_nd pad repeat tile roll flip index_put slice_scatter "
    "select_scatter _to_copy to type_as full full_like zeros zeros_like ones ones_like empty empty_like "
    "arange new_zeros new_ones new_full new_empty scalar_tensor linspace triu tril eye fill "
    "pixel_shuffle pixel_unshuffle repeat_interleave meshgrid im2col diag_embed complex"
)

PLACES = ("nonzero", "nonzero_numpy")

SAME_NAME = {
    **COMMON,
    "rsub": "Sub",
    "sigmoid": "Sigmoid",
    "logsigmoid": "LogSigmoid",
    "log_sigmoid": "LogSigmoid",
    "silu": "Swish",
    "relu": "Relu",
    "relu6": "Clip",
    "hardtanh": "HardTanh",
    "leaky_relu": "LeakyRelu",
    "elu": "Elu",
    "selu": "Selu",
    "celu": "Celu",
    "softplus": "Softplus",
    "softsign": "Softsign",
    "mish": "Mish",
    "hardsigmoid": "HardSigmoid",
    "hardswish": "HardSwish",
    "prelu": "PRelu",
    "clamp_min": "Relu",
    "clamp_max": "Relu",
    "where": "Where",
    "masked_fill": "Where",
    "bitwise_not": "BitwiseNot",
    "__and__": "BitwiseAnd",
    "__or__": "BitwiseOr",
    "sum": "ReduceSum",
    "mean": "ReduceMean",
    "prod": "ReduceProd",
    "amax": "ReduceMax",
    "amin": "ReduceMin",
    "max": "ReduceMax",
    "min": "ReduceMin",
    "any": "ReduceAny",
    "all": "ReduceAll",
    "argmax": "ArgMax",
    "argmin": "ArgMin",
    "var": "Variance",
    "logsumexp": "ReduceLogSumExp",
    "topk": "TopK",
    "sort": "Sort",
    "softmax": "Softmax",
    "_softmax": "Softmax",
    "_safe_softmax": "Softmax",
    "log_softmax": "LogSoftmax",
    "_log_softmax": "LogSoftmax",
    "batch_norm": "BatchNormalization",
    "_native_batch_norm_legit_no_training": "BatchNormalization",
    "instance_norm": "InstanceNormalization",
    "matmul": "MatMul",
    "mm": "MatMul",
    "bmm": "MatMul",
    "mv": "MatMul",
    "dot": "MatMul",
    "linear": "Linear",
    "gather": "GatherElements",
    "_int_mm": "MatMul",
    "one_hot": "OneHot",
    **dict.fromkeys(PLACES, "NonZero"),
    "std": "Variance",
    "linalg_vector_norm": "ReduceL2",
    "col2im": "Col2Im",
    "grid_sampler_2d": "GridSample",
    "grid_sampler_3d": "GridSample",
    "nll_loss_forward": "NegativeLogLikelihoodLoss",
    "nll_loss2d_forward": "NegativeLogLikelihoodLoss",
    "hardshrink": "Shrink",
    "softshrink": "Shrink",
    "threshold": "ThresholdedRelu",
    "linalg_inv": "Inv",
    "linalg_cholesky": "Cholesky",
    "linalg_det": "Det",
}
"""Operators whose rule needs no more than the tensors, in torch's order of arguments."""


def is_known(target: str) -> bool:
    """Whether an operator has a kind here, or is not one of ATen."""
    namespace, plain = _plain(target)
    return namespace != "aten" or any(plain in one for one in (_SPECIAL, _VIEWS, _COPIES, SAME_NAME))


def gives_places(target: str, operands: int) -> bool:
    """Whether a call gives the places of what is not zero: how many, only the data say."""
    _, plain = _plain(target)
    return plain in PLACES or (plain == "where" and operands == 1)


def _plain(target: str) -> tuple[str, str]:
    """`aten.add_.Tensor` -> namespace, and the name without its overload and the mark of working in place."""
    namespace, _, rest = target.partition(".")
    name = rest.partition(".")[0] if namespace in ("aten", "prims") else target
    plain = name if name.startswith("__") else name.rstrip("_")
    if plain in ("max", "min") and target.endswith(".other"):  # of two tensors, not over an axis
        plain = f"{plain}imum"
    return namespace, plain


def operation(
    target: str,
    node: Any,
    ins: tuple[Tensor, ...],
    outs: tuple[Tensor, ...],
    operand: Operand,
    scope: tuple[str, ...],
) -> Op:
    """The operation of a call such as `aten.conv2d.default`; an unknown one keeps its torch name."""
    _, plain = _plain(target)
    special = _SPECIAL.get(plain)
    if gives_places(target, len(ins)):
        return Op("NonZero", ins, outs, {}, scope, node.name)
    if special is not None:
        kind, given, attrs = special(node, operand, outs)
    elif plain in _VIEWS:
        kind, given, attrs = "Reshape", ins, {}
    elif plain in _COPIES:
        kind, given, attrs = "Copy", ins, {}
    else:
        kind, given, attrs = SAME_NAME.get(plain, target), ins, {}
    return Op(kind, given, outs, attrs, scope, node.name)


_VIEWS, _COPIES = frozenset(VIEWS.split()), frozenset(COPIES.split())

Special = tuple[str, tuple[Tensor | None, ...], dict[str, Any]]


def _argument(node: Any, place: int, name: str, default: Any = None) -> Any:
    if place < len(node.args):
        return node.args[place]
    return node.kwargs.get(name, default)


def _convolution(node: Any, operand: Operand, outs: tuple[Tensor, ...]) -> Special:
    given = tuple(operand(_argument(node, at, name)) for at, name in enumerate(("input", "weight", "bias")))
    name = str(node.target)
    transposed = "transpose" in name or (".convolution" in name and bool(_argument(node, 6, "transposed")))
    return "ConvTranspose" if transposed else "Conv", given, {}


def _addmm(node: Any, operand: Operand, outs: tuple[Tensor, ...]) -> Special:
    bias, a, b = (operand(one) for one in node.args[:3])
    k = a.shape[-1] if a is not None else 0
    return "Contraction", (a, b, bias), {"k": k, "bias": 1}


def _attention(node: Any, operand: Operand, outs: tuple[Tensor, ...]) -> Special:
    q, k, v = (operand(one) for one in node.args[:3])
    mask = operand(_argument(node, 3, "attn_mask"))
    causal = bool(_argument(node, 5, "is_causal", False))
    if mask is not None and not causal:
        return "Attention", (q, k, v, mask), {}
    return "Attention", (q, k, v), {"is_causal": int(causal)}


def _embedding(node: Any, operand: Operand, outs: tuple[Tensor, ...]) -> Special:
    return "Gather", (operand(node.args[0]), operand(node.args[1])), {}


def _index(node: Any, operand: Operand, outs: tuple[Tensor, ...]) -> Special:
    indices = [operand(one) for one in node.args[1]] if isinstance(node.args[1], list | tuple) else []
    if not indices:  # index_select(input, dim, index)
        indices = [operand(node.args[2])]
    return "Gather", (operand(node.args[0]), *(one for one in indices if one is not None)), {}


def _layer_norm(node: Any, operand: Operand, outs: tuple[Tensor, ...]) -> Special:
    given = (
        operand(node.args[0]),
        operand(_argument(node, 2, "weight")),
        operand(_argument(node, 3, "bias")),
    )
    return "LayerNormalization", given, {"axis": -len(_argument(node, 1, "normalized_shape"))}


def _rms_norm(node: Any, operand: Operand, outs: tuple[Tensor, ...]) -> Special:
    given = (operand(node.args[0]), operand(_argument(node, 2, "weight")))
    return "RMSNormalization", given, {"axis": -len(_argument(node, 1, "normalized_shape"))}


def _group_norm(node: Any, operand: Operand, outs: tuple[Tensor, ...]) -> Special:
    return (
        "GroupNormalization",
        (operand(node.args[0]),),
        {"num_groups": int(_argument(node, 1, "num_groups"))},
    )


def _native_group_norm(node: Any, operand: Operand, outs: tuple[Tensor, ...]) -> Special:
    return "GroupNormalization", (operand(node.args[0]),), {"num_groups": int(node.args[6])}


def _pooling(kind: str, dims: int) -> Callable[[Any, Operand, tuple[Tensor, ...]], Special]:
    def special(node: Any, operand: Operand, outs: tuple[Tensor, ...]) -> Special:
        size = _argument(node, 1, "kernel_size")
        window = (size,) * dims if isinstance(size, int) else tuple(size)
        window = window * dims if len(window) == 1 else window
        return kind, (operand(node.args[0]),), {"kernel_shape": window}

    return special


def _adaptive(mode: str) -> Callable[[Any, Operand, tuple[Tensor, ...]], Special]:
    def special(node: Any, operand: Operand, outs: tuple[Tensor, ...]) -> Special:
        return "AdaptivePool", (operand(node.args[0]),), {"mode": mode}

    return special


def _scatter(reduction: str) -> Callable[[Any, Operand, tuple[Tensor, ...]], Special]:
    """aten.scatter_add(x, dim, index, source), aten.index_add(x, dim, index, source)."""

    def special(node: Any, operand: Operand, outs: tuple[Tensor, ...]) -> Special:
        given = (operand(node.args[0]), operand(node.args[2]), operand(node.args[3]))
        return "ScatterElements", given, {"reduction": reduction}

    return special


def _power(node: Any, operand: Operand, outs: tuple[Tensor, ...]) -> Special:
    exponent = node.args[1]
    attrs = {"exponent": exponent} if isinstance(exponent, int | float) else {}
    return "Pow", (operand(node.args[0]), operand(exponent)), attrs


def _gelu(node: Any, operand: Operand, outs: tuple[Tensor, ...]) -> Special:
    return "Gelu", (operand(node.args[0]),), {"approximate": _argument(node, 1, "approximate", "none")}


def _einsum(node: Any, operand: Operand, outs: tuple[Tensor, ...]) -> Special:
    return "Einsum", tuple(operand(one) for one in node.args[1]), {"equation": node.args[0]}


def _fft(real: bool) -> Callable[[Any, Operand, tuple[Tensor, ...]], Special]:
    def special(node: Any, operand: Operand, outs: tuple[Tensor, ...]) -> Special:
        x = operand(node.args[0])
        dims = _argument(node, 1, "dim")
        longer = x if x is not None and (not real or x.size >= outs[0].size) else outs[0]
        lengths = tuple(longer.shape[axis] for axis in dims)
        return (
            "FFT",
            (x,),
            {"lengths": lengths, "transforms": longer.size // max(prod(lengths), 1), "real": real},
        )

    return special


def _recurrent(kind: str) -> Callable[[Any, Operand, tuple[Tensor, ...]], Special]:
    """aten.lstm.input(x, states, params, has_biases, layers, dropout, train, bidirectional, batch_first)."""

    def special(node: Any, operand: Operand, outs: tuple[Tensor, ...]) -> Special:
        x = operand(node.args[0])
        params = [tensor for one in node.args[2] if (tensor := operand(one)) is not None]
        matrices = tuple(tensor for tensor in params if len(tensor.shape) == 2)
        return "RecurrentStack", (x, *params), {"cell": kind, "elements": sum(one.size for one in matrices)}

    return special


def _interpolation(mode: str) -> Callable[[Any, Operand, tuple[Tensor, ...]], Special]:
    def special(node: Any, operand: Operand, outs: tuple[Tensor, ...]) -> Special:
        return "Resize", (operand(node.args[0]),), {"mode": mode}

    return special


_SPECIAL: dict[str, Callable[[Any, Operand, tuple[Tensor, ...]], Special]] = {
    **dict.fromkeys(("conv1d", "conv2d", "conv3d", "convolution"), _convolution),
    **dict.fromkeys(("conv_transpose1d", "conv_transpose2d", "conv_transpose3d"), _convolution),
    **dict.fromkeys(("addmm", "baddbmm", "addbmm", "addmv"), _addmm),
    "scaled_dot_product_attention": _attention,
    "_scaled_dot_product_flash_attention_for_cpu": _attention,
    "embedding": _embedding,
    "index": _index,
    "index_select": _index,
    "layer_norm": _layer_norm,
    "native_layer_norm": _layer_norm,
    "rms_norm": _rms_norm,
    "group_norm": _group_norm,
    "native_group_norm": _native_group_norm,
    **{f"max_pool{n}d": _pooling("MaxPool", n) for n in (1, 2, 3)},
    "max_pool2d_with_indices": _pooling("MaxPool", 2),
    **{f"avg_pool{n}d": _pooling("AveragePool", n) for n in (1, 2, 3)},
    **{f"adaptive_avg_pool{n}d": _adaptive("mean") for n in (1, 2, 3)},
    **{f"_adaptive_avg_pool{n}d": _adaptive("mean") for n in (2, 3)},
    **{f"adaptive_max_pool{n}d": _adaptive("max") for n in (1, 2, 3)},
    **dict.fromkeys(("scatter_add", "index_add"), _scatter("add")),
    **dict.fromkeys(("scatter", "index_copy"), _scatter("none")),
    "pow": _power,
    "gelu": _gelu,
    "einsum": _einsum,
    "_fft_c2c": _fft(False),
    "_fft_r2c": _fft(True),
    "_fft_c2r": _fft(True),
    "lstm": _recurrent("LSTM"),
    "gru": _recurrent("GRU"),
    "rnn_tanh": _recurrent("RNN"),
    "rnn_relu": _recurrent("RNN"),
    **{
        f"{name}{n}d": _interpolation("nearest")
        for name in ("upsample_nearest", "_upsample_nearest_exact")
        for n in (1, 2, 3)
    },
    "upsample_bilinear2d": _interpolation("linear"),
    "upsample_bicubic2d": _interpolation("cubic"),
    "upsample_linear1d": _interpolation("linear"),
    "upsample_trilinear3d": _interpolation("linear"),
}
