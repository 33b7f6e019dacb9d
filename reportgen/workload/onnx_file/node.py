"""What a shape rule sees of a node, and what it gives back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from reportgen.workload.graph import Shape, Tensor
from reportgen.workload.onnx_file.values import Value

Result = list[tuple[Shape, str]]
"""(shape, dtype) of each output."""


class Unknown(Exception):
    """The shape depends on data, or on an input whose shape is not known."""


class Node(msgspec.Struct, eq=False, gc=False):
    """One node, its inputs resolved."""

    kind: str
    attrs: dict[str, Any]
    ins: tuple[Tensor | None, ...]
    names: tuple[str, ...]
    """Of the inputs, empty where one is left out."""
    look_up: Callable[[str], Value | None]
    """Value of a name, if it is a small constant."""
    outputs: int
    version: int
    """Of the default operator set."""

    def constant(self, place: int) -> Value | None:
        """Value of the input at a place, if it is a small constant."""
        name = self.names[place] if place < len(self.names) else ""
        return self.look_up(name) if name else None

    def has(self, place: int) -> bool:
        """Whether the optional input at `place` is there."""
        return place < len(self.ins) and self.ins[place] is not None

    def tensor(self, place: int = 0) -> Tensor:
        """The input at `place`; raises `Unknown` where it has no shape."""
        found = self.ins[place] if place < len(self.ins) else None
        if found is None or not found.known:
            raise Unknown
        return found

    def shape(self, place: int = 0) -> Shape:
        """Its shape."""
        return self.tensor(place).shape

    def dtype(self, place: int = 0) -> str:
        """Its type."""
        return self.tensor(place).dtype

    def ints(self, place: int, attribute: str = "") -> tuple[int, ...]:
        """Whole numbers from an attribute or a constant input; raises `Unknown` where they are data."""
        if attribute and attribute in self.attrs:
            return tuple(self.attrs[attribute])
        value = self.constant(place)
        if value is None:
            raise Unknown
        return tuple(int(number) for number in value.reshape(-1))


ShapeRule = Callable[[Node], Result]
SHAPE_RULES: dict[str, ShapeRule] = {}


def shape_rule(*kinds: str) -> Callable[[ShapeRule], ShapeRule]:
    """Register the decorated function for `kinds`."""

    def register(function: ShapeRule) -> ShapeRule:
        SHAPE_RULES.update(dict.fromkeys(kinds, function))
        return function

    return register
