"""Builds a graph by hand, operation by operation: for templates, adapters and tests.

build = Builder("two layers")
x, w = build.input((8, 64)), build.weight((64, 64))
with build.scope("first"):
    y = build.op("MatMul", x, w, shape=(8, 64))
graph = build.graph(y)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from reportgen.workload.graph import Body, Graph, Op, Role, Shape, Tensor


class Builder:
    """Collects tensors and operations; `graph` closes it."""

    def __init__(self, name: str = "", dtype: str = "float32") -> None:
        self.name = name
        self.dtype = dtype
        self.inputs: list[Tensor] = []
        self.ops: list[Op] = []
        self.notes: list[str] = []
        self._scope: tuple[str, ...] = ()

    def input(self, shape: Shape, dtype: str = "", name: str = "", role: Role = "input") -> Tensor:
        """A tensor that is handed in."""
        tensor = Tensor(shape, dtype or self.dtype, role, name)
        self.inputs.append(tensor)
        return tensor

    def weight(self, shape: Shape, dtype: str = "", name: str = "", storage: str = "") -> Tensor:
        """A tensor that belongs to the model; equal `storage` ties two of them."""
        return Tensor(shape, dtype or self.dtype, "weight", name, storage)

    @contextmanager
    def scope(self, *names: str) -> Iterator[None]:
        """Operations within belong to this module of the present one."""
        before = self._scope
        self._scope = before + names
        try:
            yield
        finally:
            self._scope = before

    def op(
        self,
        kind: str,
        *ins: Tensor | None,
        shape: Shape,
        dtype: str = "",
        role: Role = "activation",
        name: str = "",
        **attrs: Any,
    ) -> Tensor:
        """Add an operation with one result of `shape`, in the type of its first input unless said."""
        return self.ops_out(kind, *ins, shapes=[shape], dtype=dtype, role=role, name=name, **attrs)[0]

    def ops_out(
        self,
        kind: str,
        *ins: Tensor | None,
        shapes: Iterable[Shape],
        dtype: str = "",
        role: Role = "activation",
        name: str = "",
        bodies: tuple[Body, ...] = (),
        **attrs: Any,
    ) -> tuple[Tensor, ...]:
        """Add an operation with several results."""
        own = dtype or next((tensor.dtype for tensor in ins if tensor is not None), self.dtype)
        outs = tuple(Tensor(shape, own, role) for shape in shapes)
        self.ops.append(Op(kind, ins, outs, attrs, self._scope, name, bodies))
        return outs

    def graph(self, *outputs: Tensor) -> Graph:
        """What was built, with these results."""
        return Graph(tuple(self.ops), tuple(self.inputs), outputs, self.name, tuple(self.notes))
