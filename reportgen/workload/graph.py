"""One small graph of operations, which every front end gives and every count reads.

A `Tensor` is a shape and a type, never data.  Tensors and operations are compared by identity: two
products of equal shape are two products.  Nothing here recurses over the graph, so a chain of 200,000
operations is as good as one of two.  None of these records can refer to itself, so the garbage collector
need not walk them (`gc=False`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import prod
from typing import Any, Literal, cast

import msgspec

from reportgen.errors import UserError
from reportgen.workload.dtypes import nbytes

Shape = tuple[int, ...]
Role = Literal["input", "weight", "constant", "activation", "cache"]
"""What a tensor is to the graph.  `cache` is a key-value cache that one call hands to the next."""


class Tensor(msgspec.Struct, frozen=True, eq=False, gc=False):
    """A shape, an element type, and what the tensor is for."""

    shape: Shape
    dtype: str = "float32"
    role: Role = "activation"
    name: str = ""
    storage: str = ""
    """Tensors with the same text here lie in the same memory: tied weights, also transposed ones."""
    known: bool = True
    """False where the front end could not find the shape; `shape` is then empty and means nothing."""

    @property
    def size(self) -> int:
        """Number of elements."""
        return prod(self.shape)

    @property
    def nbytes(self) -> int:
        """Bytes of all elements, 0 where the shape is unknown."""
        return _nbytes(self.shape, self.dtype) if self.known else 0


@lru_cache(maxsize=1 << 14)
def _nbytes(shape: Shape, dtype: str) -> int:
    """A graph has many tensors and few shapes."""
    return nbytes(prod(shape), dtype)


class Body(msgspec.Struct, frozen=True, eq=False, gc=False):
    """A graph inside an operation: what a loop repeats, or one branch of a choice."""

    graph: Graph
    times: int | None = 1
    """Trip count; None where it depends on data, then the work is that of one trip."""
    label: str = ""


class Op(msgspec.Struct, frozen=True, eq=False, gc=False):
    """One operation.

    `ins` has None where an optional input is left out.  `scope` is the path of the module it belongs
    to.  `attrs` holds numbers, texts and tuples of them.
    """

    kind: str
    ins: tuple[Tensor | None, ...]
    outs: tuple[Tensor, ...]
    attrs: dict[str, Any] = {}
    scope: tuple[str, ...] = ()
    name: str = ""
    bodies: tuple[Body, ...] = ()
    like: Op | None = None
    """An earlier operation without bodies whose kind, attributes, shapes and types are the same, so that what
    follows from these alone need not be found again; a front end may leave it out."""

    def has_input(self, position: int) -> bool:
        """Whether the optional input at `position` is there."""
        return position < len(self.ins) and self.ins[position] is not None

    def input(self, position: int) -> Tensor:
        """The input at `position`.

        Raises:
            UserError: the operation lacks it, so the graph is not what its kind says.
        """
        found = self.ins[position] if position < len(self.ins) else None
        if found is None:
            raise UserError(f"Operation {self.label} has no input {position}.", "The graph is broken.")
        return found

    @property
    def given(self) -> tuple[Tensor, ...]:
        """Inputs that are there."""
        ins = self.ins
        if None in ins:
            return tuple(tensor for tensor in ins if tensor is not None)
        return cast(tuple[Tensor, ...], ins)

    @property
    def reads(self) -> tuple[Tensor, ...]:
        """Inputs, and what its bodies take from the graph around them."""
        if not self.bodies:
            return self.given
        return (*self.given, *(tensor for body in self.bodies for tensor in body.graph.captured))

    @property
    def label(self) -> str:
        """How a message calls it: name and kind."""
        return f"'{self.name}' ({self.kind})" if self.name else self.kind


@dataclass(frozen=True, eq=False)
class Graph:
    """Operations with the tensors that go in and come out."""

    ops: tuple[Op, ...]
    inputs: tuple[Tensor, ...] = ()
    outputs: tuple[Tensor, ...] = ()
    name: str = ""
    notes: tuple[str, ...] = ()
    """What a reader of the count must know: a dimension that was bound, a trip count not known."""

    @cached_property
    def producer(self) -> dict[Tensor, Op]:
        """Tensor -> the operation that makes it."""
        return {tensor: op for op in self.ops for tensor in op.outs}

    @cached_property
    def dequantised(self) -> dict[Tensor, Tensor]:
        """Tensor that DequantizeLinear makes -> what it is made from; empty for most graphs."""
        return {
            op.outs[0]: op.ins[0]
            for op in self.ops
            if op.kind == "DequantizeLinear" and op.outs and op.ins and op.ins[0] is not None
        }

    @cached_property
    def order(self) -> tuple[Op, ...]:
        """The operations that some output needs, each once, each after those it needs.

        The order of `ops` is kept where it is already such an order (the usual case); else it is a
        depth-first one.  Visited once by identity of the operation, so a shared one counts once.

        Raises:
            UserError: the graph is cyclic; the message names operations on the cycle.
        """
        needed: set[Tensor | None] = set(self.outputs)
        later: set[Tensor | None] = set()  # made by an operation further on
        kept = []
        for op in reversed(self.ops):
            reads = op.reads if op.bodies else op.ins  # an input that is not there is made by none
            later.update(op.outs)
            if not later.isdisjoint(reads):
                return self._depth_first()
            if not needed.isdisjoint(op.outs):
                kept.append(op)
                needed.update(reads)
        kept.reverse()
        return tuple(kept)

    @cached_property
    def captured(self) -> tuple[Tensor, ...]:
        """Tensors that are read here and come from outside, but are no inputs: of a loop's body."""
        own = set(self.inputs) | self.producer.keys()
        found: dict[Tensor, None] = {}
        for op in self.ops:
            found.update((tensor, None) for tensor in op.reads if tensor not in own)
        found.update((tensor, None) for tensor in self.outputs if tensor not in own)
        return tuple(found)

    def _depth_first(self) -> tuple[Op, ...]:
        producer = self.producer
        done: dict[Op, bool] = {}  # False while what it needs is being visited
        found: list[Op] = []
        stack = [producer[tensor] for tensor in reversed(self.outputs) if tensor in producer]
        while stack:
            op = stack[-1]
            if op in done:
                stack.pop()
                if not done[op]:
                    done[op] = True
                    found.append(op)
                continue
            done[op] = False
            for tensor in reversed(op.reads):
                before = producer.get(tensor)
                if before is None:
                    continue
                if done.get(before) is False:
                    raise UserError(
                        f"The graph is cyclic: {before.label} needs {op.label}, which needs it.",
                        "An exporter writes no such file; export the model again.",
                    )
                if before not in done:
                    stack.append(before)
        return tuple(found)


def weights(graph: Graph) -> Iterator[Tensor]:
    """Every weight that the operations of the graph and of its bodies read, each storage once."""
    seen: set[str | Tensor] = set()
    pending = [graph]
    while pending:
        for op in pending.pop().order:
            if op.bodies:
                pending.extend(body.graph for body in op.bodies)
            for tensor in op.ins:
                if tensor is None or tensor.role != "weight":
                    continue
                key = tensor.storage or tensor
                if key not in seen:
                    seen.add(key)
                    yield tensor


def total_bytes(tensors: Iterable[Tensor]) -> int:
    """Sum of the bytes of some tensors."""
    return sum(tensor.nbytes for tensor in tensors)
