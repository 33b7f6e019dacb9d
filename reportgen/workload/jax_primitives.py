"""Primitives of JAX as kinds."""

from __future__ import annotations

from reportgen.workload.elementwise import ELEMENTWISE as COMMON

ELEMENTWISE = {
    **COMMON,
    "add_any": "Add",
    "rem": "Mod",
    "pow": "Pow",
    "asinh": "Asinh",
    "acosh": "Acosh",
    "atanh": "Atanh",
    "logistic": "Sigmoid",
    "lgamma": "Gammaln",
    "max": "Max",
    "min": "Min",
    "select_n": "Where",
    "is_finite": "IsFinite",
    "and": "BitwiseAnd",
    "or": "BitwiseOr",
    "xor": "BitwiseXor",
    "not": "BitwiseNot",
    "shift_left": "BitShift",
    "shift_right_logical": "BitShift",
    "shift_right_arithmetic": "BitShift",
    "cummax": "Max",
    "cummin": "Min",
    "cholesky": "Cholesky",
    "lu": "LU",
    "qr": "QR",
    "eigh": "Eigh",
    "svd": "SVD",
    "triangular_solve": "TriangularSolve",
    "platform_index": "Constant",
    "top_k": "TopK",
    "conj": "Copy",
}

REDUCTIONS = {
    "reduce_sum": "ReduceSum",
    "reduce_prod": "ReduceProd",
    "reduce_max": "ReduceMax",
    "reduce_min": "ReduceMin",
    "reduce_and": "ReduceAll",
    "reduce_or": "ReduceAny",
    "argmax": "ArgMax",
    "argmin": "ArgMin",
}

VIEWS = frozenset(
    "reshape squeeze expand_dims broadcast_in_dim stop_gradient copy_p sharding_constraint "
    "optimization_barrier real imag bitcast_convert_type pvary name".split()
)
"""XLA fuses a broadcast into its reader; nothing is moved for it."""

MOVES = {
    "transpose": "Transpose",
    "convert_element_type": "Cast",
    "concatenate": "Concat",
    "slice": "Slice",
    "dynamic_slice": "Slice",
    "dynamic_update_slice": "TensorScatter",
    "pad": "Pad",
    "rev": "Flip",
    "iota": "Range",
    "copy": "Copy",
    "reduce_precision": "Cast",
    "complex": "Stack",
    "split": "Split",
}
