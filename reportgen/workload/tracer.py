"""Counting numpy-style code: arrays that have a shape and a type, and no data.

    with reportgen.count_flops() as counter:
        x, w = counter.array((64, 512)), counter.array((512, 512), role="weight")
        with counter.scope("layer"):
            y = numpy.maximum(x @ w, 0)
    counter.total.mac, counter.by_scope(depth=1)

Functions of numpy that are given a traced array record what they would do and give another one.  Code
without traced arrays is not touched in any way.  A counter sees what runs within its `with`, in its own
context: counters nest (the outer one sees what the inner one sees), and threads do not see each other's,
unless a thread runs in a copy of the context (`contextvars.copy_context().run`).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from reportgen.workload.breakdown import Share
from reportgen.workload.bytes import Traffic
from reportgen.workload.count import Count, count_graph
from reportgen.workload.graph import Graph, Op, Role, Shape, Tensor
from reportgen.workload.work import Work

_COUNTERS: ContextVar[tuple[Counter, ...]] = ContextVar("reportgen_counters", default=())
_SCOPE: ContextVar[tuple[str, ...]] = ContextVar("reportgen_scope", default=())


class TracedArray(NDArrayOperatorsMixin):
    """An array without data.  Operators, numpy's functions and the usual methods work on it."""

    __array_priority__ = 1000.0

    def __init__(self, tensor: Tensor) -> None:
        self.tensor = tensor

    def __repr__(self) -> str:
        return f"TracedArray(shape={self.shape}, dtype={self.dtype})"

    @property
    def shape(self) -> Shape:
        """As of any array."""
        return self.tensor.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """As numpy has it; bfloat16 and the 8- and 4-bit types compute as float16 or int8 here."""
        return np.dtype(NUMPY_TYPES.get(self.tensor.dtype, self.tensor.dtype))

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.tensor.shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        return self.tensor.size

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self.tensor.nbytes

    def __array_ufunc__(self, ufunc: Any, method: str, *ins: Any, **options: Any) -> Any:
        from reportgen.workload.numpy_functions.ufuncs import apply_ufunc

        return apply_ufunc(ufunc, method, ins, options)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        from reportgen.workload.numpy_functions import apply_function

        return apply_function(func, args, kwargs)

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise TypeError(_NO_DATA.format("numpy.asarray and functions that call it"))

    def __bool__(self) -> bool:
        raise TypeError(_NO_DATA.format("a condition on its value"))

    def __float__(self) -> float:
        raise TypeError(_NO_DATA.format("float()"))

    def __int__(self) -> int:
        raise TypeError(_NO_DATA.format("int()"))

    def __index__(self) -> int:
        raise TypeError(_NO_DATA.format("an index made of it"))

    def item(self, *_: Any) -> Any:
        """Not possible.

        Raises:
            TypeError: there is no data.
        """
        raise TypeError(_NO_DATA.format("item()"))

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of a traced array without axes")
        return self.shape[0]

    def __iter__(self) -> Iterator[TracedArray]:
        for place in range(len(self)):
            yield self[place]

    def __getitem__(self, key: Any) -> TracedArray:
        from reportgen.workload.numpy_functions.indexing import get_item

        return get_item(self, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        from reportgen.workload.numpy_functions.indexing import set_item

        set_item(self, key, value)

    def __getattr__(self, name: str) -> Any:
        from reportgen.workload.numpy_functions.methods import method

        found = method(name)
        if found is None:
            raise AttributeError(f"a traced array has no '{name}'")
        if isinstance(found, property):
            return found.__get__(self)
        return found.__get__(self)


_NO_DATA = (
    "A traced array has a shape and no data, so {} is not possible. Keep the code on numpy functions, or use "
    "the shape."
)

NUMPY_TYPES = {"bfloat16": "float16", "int4": "int8", "uint4": "uint8", "int2": "int8", "uint2": "uint8"}
"""What numpy itself does not have, and which type stands for it in type promotion."""


class Counter:
    """What ran within a `with reportgen.count_flops()`; readable within and afterwards."""

    def __init__(self) -> None:
        self._ops: list[Op] = []
        self._inputs: list[Tensor] = []
        self._counted: tuple[int, Count] | None = None

    def array(
        self, shape: Shape | int, dtype: Any = "float32", *, role: Role = "input", name: str = ""
    ) -> TracedArray:
        """A traced array that is handed in: an `input`, a `weight`, or a `cache`."""
        sizes = (shape,) if isinstance(shape, int) else tuple(int(size) for size in shape)
        own = dtype if isinstance(dtype, str) else np.dtype(dtype).name
        tensor = Tensor(sizes, own, role, name)
        if role != "weight":
            self._inputs.append(tensor)
        return TracedArray(tensor)

    def scope(self, *names: str) -> Any:
        """A `with` whose operations belong to this module."""
        return scope(*names)

    def record(self, op: Op) -> None:
        """Add an operation; the front ends call it."""
        self._ops.append(op)

    @property
    def graph(self) -> Graph:
        """What ran, in its order; results that nothing read are the outputs."""
        ops = tuple(self._ops)
        read = {tensor for op in ops for tensor in op.given}
        outputs = tuple(tensor for op in ops for tensor in op.outs if tensor not in read)
        made = {tensor for op in ops for tensor in op.outs}
        handed = dict.fromkeys(self._inputs)
        for op in ops:  # arrays of an outer counter, or real ones
            handed.update(
                (tensor, None) for tensor in op.given if tensor not in made and tensor.role != "weight"
            )
        return Graph(ops, tuple(handed), outputs, "traced code")

    @property
    def count(self) -> Count:
        """Of everything so far."""
        if self._counted is None or self._counted[0] != len(self._ops):
            self._counted = (len(self._ops), count_graph(self.graph))
        return self._counted[1]

    @property
    def total(self) -> Work:
        """All columns."""
        return self.count.total

    @property
    def traffic(self) -> Traffic:
        """Bytes."""
        return self.count.traffic

    def by_scope(self, depth: int = 1) -> dict[str, Share]:
        """Scope cut at `depth` -> its share."""
        return self.count.by_module(depth)

    def by_kind(self) -> dict[str, Share]:
        """Kind of operation -> its share."""
        return self.count.by_kind()

    def coverage(self) -> float:
        """Share of the operations that were counted."""
        return self.count.coverage

    def to_json(self, depth: int = 1) -> dict[str, Any]:
        """Everything as plain data."""
        return self.count.to_json(depth)


@contextmanager
def count_flops() -> Iterator[Counter]:
    """Count what numpy-style code on traced arrays would compute; see the head of the module."""
    counter = Counter()
    token = _COUNTERS.set((*_COUNTERS.get(), counter))
    try:
        yield counter
    finally:
        _COUNTERS.reset(token)


@contextmanager
def scope(*names: str) -> Iterator[None]:
    """Operations within belong to this module, below the one around it."""
    token = _SCOPE.set(_SCOPE.get() + names)
    try:
        yield
    finally:
        _SCOPE.reset(token)


def tensor_of(value: Any) -> Tensor:
    """The tensor of an operand: traced, a real array, or a number (a constant in a register)."""
    if isinstance(value, TracedArray):
        return value.tensor
    array = np.asarray(value)
    return Tensor(array.shape, array.dtype.name, "constant" if not array.shape else "input")


def traced(
    kind: str,
    ins: tuple[Any, ...],
    shape: Shape,
    dtype: Any,
    **attrs: Any,
) -> TracedArray:
    """Record one operation with one result; for functions of your own that no rule of numpy's covers."""
    return traced_outputs(kind, ins, [(shape, dtype)], **attrs)[0]


def traced_outputs(
    kind: str, ins: tuple[Any, ...], results: list[tuple[Shape, Any]], **attrs: Any
) -> tuple[TracedArray, ...]:
    """Record one operation with several results, in every counter of this context."""
    outs = tuple(
        Tensor(tuple(int(size) for size in shape), dtype if isinstance(dtype, str) else np.dtype(dtype).name)
        for shape, dtype in results
    )
    op = Op(kind, tuple(tensor_of(value) for value in ins), outs, attrs, _SCOPE.get())
    for counter in _COUNTERS.get():
        counter.record(op)
    return tuple(TracedArray(out) for out in outs)
