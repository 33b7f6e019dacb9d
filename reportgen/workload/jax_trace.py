"""A JAX function as a graph, through its jaxpr; JAX is imported when `from_jax` is called."""

from __future__ import annotations

import re
from math import prod
from typing import Any

from reportgen.errors import UserError
from reportgen.workload.graph import Body, Graph, Op, Tensor
from reportgen.workload.jax_primitives import ELEMENTWISE, MOVES, REDUCTIONS, VIEWS

CALLS = ("jaxpr", "call_jaxpr", "fun_jaxpr")
"""Parameters in which a primitive that only calls keeps what it calls."""

TRANSFORM = re.compile(r"(?:jvp|transpose|vmap|pmap|remat|checkpoint|rematted_computation)\((.*)\)")

NOT_CALLS = frozenset({"pallas_call", "reduce", "reduce_window", "custom_linear_solve"})
"""Primitives with such a parameter that do more than call it."""


def from_jax(fn: Any, *shapes: Any) -> Graph:
    """The graph of `fn(*shapes)`.

    Args:
        fn: a function of arrays, `jit` or not.
        shapes: its arguments: arrays, `jax.ShapeDtypeStruct`, or trees of them.  No data are needed.

    Raises:
        UserError: JAX is missing, or cannot trace the function; it says why.
    """
    try:
        import jax
    except ImportError:
        raise UserError("from_jax needs JAX.", "Install it: pip install 'reportgen[jax]'.") from None
    try:
        closed = jax.make_jaxpr(fn)(*shapes)
    except Exception as refused:  # whatever the function raises
        first = str(refused).strip().splitlines()[0] if str(refused).strip() else type(refused).__name__
        raise UserError(
            f"JAX cannot trace the function: {first}", "Give arrays or jax.ShapeDtypeStruct."
        ) from refused
    return graph_of(closed, getattr(fn, "__name__", ""))


def graph_of(closed: Any, name: str = "") -> Graph:
    """The graph of a ClosedJaxpr (`jaxpr` with `invars`, `outvars`, `eqns`)."""
    reader = _Reader(())
    inputs = reader.enter(closed.jaxpr, "input")
    outputs = reader.run(closed.jaxpr)
    return Graph(tuple(reader.ops), inputs, outputs, name, tuple(reader.notes))


class _Reader:
    """Equation after equation; calls are entered in place, loops become bodies."""

    def __init__(self, scope: tuple[str, ...]) -> None:
        self.scope = scope
        self.tensors: dict[Any, Tensor] = {}
        self.ops: list[Op] = []
        self.notes: list[str] = []

    def enter(self, jaxpr: Any, role: Any) -> tuple[Tensor, ...]:
        """Tensors of the arguments and of captured constants (which are weights)."""
        for var in jaxpr.constvars:
            self.tensors[var] = _tensor(var.aval, "weight")
        for var in jaxpr.invars:
            self.tensors[var] = _tensor(var.aval, role)
        return tuple(self.tensors[var] for var in jaxpr.invars)

    def run(self, jaxpr: Any) -> tuple[Tensor, ...]:
        """All equations; the results."""
        for eqn in jaxpr.eqns:
            self._equation(eqn)
        return tuple(self._read(var) for var in jaxpr.outvars)

    def _read(self, var: Any) -> Tensor:
        if hasattr(var, "val"):  # a literal
            return _tensor(var.aval, "constant")
        return self.tensors[var]

    def _equation(self, eqn: Any) -> None:
        name = eqn.primitive.name
        ins = tuple(self._read(var) for var in eqn.invars)
        if name in ("scan", "while", "cond"):
            outs = tuple(_tensor(var.aval, "activation") for var in eqn.outvars)
            bodies = getattr(self, f"_{name}")(eqn, ins)
            kind = {"scan": "Scan", "while": "While", "cond": "If"}[name]
            self.ops.append(Op(kind, ins, outs, {}, self._scope(eqn), name, bodies))
        elif name == "custom_linear_solve":
            outs = self._call(eqn.params["jaxprs"].solve, _solved(eqn.params["const_lengths"], ins), eqn)
        else:
            inner = next((eqn.params[key] for key in CALLS if key in eqn.params), None)
            if inner is not None and name not in NOT_CALLS:
                outs = self._call(inner, ins, eqn)
            else:
                outs = tuple(_tensor(var.aval, "activation") for var in eqn.outvars)
                kind, attrs = _kind(name, eqn.params, ins, outs)
                self.ops.append(Op(kind, ins, outs, attrs, self._scope(eqn), name))
        self.tensors.update(zip(eqn.outvars, outs, strict=False))

    def _call(self, inner: Any, ins: tuple[Tensor, ...], eqn: Any) -> tuple[Tensor, ...]:
        jaxpr = getattr(inner, "jaxpr", inner)
        for var in jaxpr.constvars:
            self.tensors[var] = _tensor(var.aval, "weight")
        self.tensors.update(zip(jaxpr.invars, ins, strict=False))
        before = self.scope
        self.scope = self._scope(eqn)
        outs = self.run(jaxpr)
        self.scope = before
        return outs

    def _body(self, closed: Any, ins: tuple[Tensor, ...], times: int | None, label: str, whole: int) -> Body:
        """A body whose first `whole` arguments are handed in as they are, and so stay weights."""
        jaxpr = getattr(closed, "jaxpr", closed)
        reader = _Reader(self.scope)
        reader.enter(jaxpr, "activation")
        for var, tensor in zip(jaxpr.invars[:whole], ins, strict=False):
            reader.tensors[var] = tensor
        inputs = tuple(reader.tensors[var] for var in jaxpr.invars[whole:])
        outputs = reader.run(jaxpr)
        self.notes.extend(reader.notes)
        return Body(Graph(tuple(reader.ops), inputs, outputs), times, label)

    def _scan(self, eqn: Any, ins: tuple[Tensor, ...]) -> tuple[Body, ...]:
        params = eqn.params
        return (self._body(params["jaxpr"], ins, int(params["length"]), "body", int(params["num_consts"])),)

    def _while(self, eqn: Any, ins: tuple[Tensor, ...]) -> tuple[Body, ...]:
        params = eqn.params
        tests, works = int(params["cond_nconsts"]), int(params["body_nconsts"])
        return (
            self._body(params["cond_jaxpr"], ins[:tests], None, "condition", tests),
            self._body(params["body_jaxpr"], ins[tests:], None, "body", works),
        )

    def _cond(self, eqn: Any, ins: tuple[Tensor, ...]) -> tuple[Body, ...]:
        return tuple(
            self._body(branch, ins[1:], 1, f"branch {number}", len(ins) - 1)
            for number, branch in enumerate(eqn.params["branches"])
        )

    def _scope(self, eqn: Any) -> tuple[str, ...]:
        stack = str(getattr(eqn.source_info, "name_stack", "")) if hasattr(eqn, "source_info") else ""
        return (*self.scope, *(name for part in stack.split("/") if (name := _unwrapped(part))))


def _unwrapped(part: str) -> str:
    """`transpose(jvp(layer))` -> `layer`, `vmap()` -> nothing: what transforms do to the name of a scope."""
    while (found := TRANSFORM.fullmatch(part)) is not None:
        part = found[1]
    return part


def _solved(lengths: Any, ins: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    """Of the operands of a custom_linear_solve those of its solver: what it captures, and the right sides."""
    before = lengths.matvec + lengths.vecmat
    return (*ins[before : before + lengths.solve], *ins[sum(lengths) :])


def _tensor(aval: Any, role: Any) -> Tensor:
    shape, dtype = getattr(aval, "shape", ()), getattr(aval, "dtype", "int32")
    return Tensor(tuple(int(size) for size in shape), str(dtype).replace("float8_", "float8"), role)


def _kind(
    name: str, params: dict[str, Any], ins: tuple[Tensor, ...], outs: tuple[Tensor, ...]
) -> tuple[str, dict[str, Any]]:
    """Kind and attributes of a primitive; an unknown one keeps its name."""
    if name == "dot_general":
        (left, _), _ = params["dimension_numbers"]
        return "Contraction", {"k": prod(ins[0].shape[axis] for axis in left)}
    if name == "ragged_dot_general" and params["ragged_dot_dimension_numbers"].rhs_group_dimensions:
        # Each row meets the matrix of its group alone, as a token does its expert.
        (left, _), _ = params["ragged_dot_dimension_numbers"].dot_dimension_numbers
        return "Contraction", {"k": prod(ins[0].shape[axis] for axis in left)}
    if name == "conv_general_dilated":
        return _convolution(params, ins)
    if name == "integer_pow":
        return "Pow", {"exponent": params["y"]}
    if name == "fft":
        lengths = tuple(int(one) for one in params["fft_lengths"])
        real = "RFFT" in getattr(params["fft_type"], "name", str(params["fft_type"])).upper()
        longer = max(ins[0], outs[0], key=lambda tensor: tensor.size)
        batch = ins[0].size // max(prod(ins[0].shape[-len(lengths) :]), 1)
        whole = batch if real else longer.size // max(prod(lengths), 1)
        return "FFT", {"lengths": lengths, "transforms": whole, "real": int(real)}
    if name == "gather":
        return "Gather", {}
    if name.startswith("scatter"):
        return "ScatterND", {"reduction": {"scatter-add": "add", "scatter_add": "add"}.get(name, "none")}
    if name.startswith("reduce_window_"):
        kind = "MaxPool" if name.endswith(("max", "min")) else "AveragePool"
        return kind, {"kernel_shape": tuple(params["window_dimensions"])}
    if name == "sort":
        return "Sort", {"length": ins[0].shape[params["dimension"]] if ins[0].shape else 1}
    if name in REDUCTIONS:
        return REDUCTIONS[name], {}
    if name in VIEWS:
        return "Reshape", {}
    if name in MOVES:
        return MOVES[name], {}
    return ELEMENTWISE.get(name, f"jax.{name}"), {}


def _convolution(params: dict[str, Any], ins: tuple[Tensor, ...]) -> tuple[str, dict[str, Any]]:
    """Taps from the dimension numbers.

    A dilated input (`lhs_dilation`) is a transposed convolution: its zeros are not multiplied, so each input
    element counts, spread over the taps.
    """
    numbers = params["dimension_numbers"]
    kernel = ins[1].shape
    out_features, in_features = kernel[numbers.rhs_spec[0]], kernel[numbers.rhs_spec[1]]
    if any(one > 1 for one in params["lhs_dilation"]):
        groups = int(params["feature_group_count"])
        return "ConvTranspose", {"taps": prod(kernel) // (in_features * groups)}
    return "Conv", {"taps": prod(kernel) // out_features}
