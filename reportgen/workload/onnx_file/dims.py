"""Dimensions that a file leaves open: their names, and the values given for them."""

from __future__ import annotations

import ast
import operator
from collections.abc import Iterable, Mapping
from typing import Any

from reportgen.errors import UserError
from reportgen.workload.graph import Shape

OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Div: operator.floordiv,
    ast.Mod: operator.mod,
}
"""What exporters write between names: "past + seq", "2*batch"."""


class Bindings:
    """Name -> value of open dimensions; an axis without a name is called `<input>.<axis>`."""

    def __init__(self, given: Mapping[str, int]) -> None:
        for name, value in given.items():
            if value < 0:
                raise UserError(f"Dimension '{name}' is {value}: a size is not negative.")
        self.given = dict(given)
        self.used: set[str] = set()

    def value(self, name: str) -> int | None:
        """The size of a dimension, or of an expression over bound ones; None if it is open."""
        if name in self.given:
            self.used.add(name)
            return self.given[name]
        try:
            return self._evaluate(ast.parse(name.strip(), mode="eval").body)
        except (SyntaxError, ValueError, KeyError, ZeroDivisionError, RecursionError):
            return None

    def _evaluate(self, node: ast.AST) -> int:
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            return node.value
        if isinstance(node, ast.Name) and node.id in self.given:
            self.used.add(node.id)
            return self.given[node.id]
        if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
            result = OPERATORS[type(node.op)](self._evaluate(node.left), self._evaluate(node.right))
            return int(result)
        raise ValueError("not an expression over bound dimensions")

    def size(self, dim: Any, owner: str, axis: int) -> int | str:
        """Size of one dimension of a value, or the name under which it is open."""
        if dim.HasField("dim_value") and dim.dim_value >= 0:
            return int(dim.dim_value)
        placed = f"{owner}.{axis}"
        if placed in self.given:
            self.used.add(placed)
            return self.given[placed]
        if dim.dim_param:
            bound = self.value(dim.dim_param)
            return dim.dim_param if bound is None else bound
        return placed

    def shape(self, value: Any) -> Shape | None:
        """Shape of a ValueInfoProto, None where it has none or a dimension is open."""
        kind = value.type.tensor_type
        if not value.type.HasField("tensor_type") or not kind.HasField("shape"):
            return None
        sizes = [self.size(dim, value.name, axis) for axis, dim in enumerate(kind.shape.dim)]
        if any(isinstance(size, str) for size in sizes):
            return None
        return tuple(int(size) for size in sizes)

    def require(self, inputs: Iterable[Any]) -> None:
        """Every dimension of every input must be bound, and every binding used.

        Raises:
            UserError: it names all open dimensions, or the binding that fits none.
        """
        inputs = list(inputs)
        open_ones: dict[str, None] = {}
        named: dict[str, None] = {}
        for value in inputs:
            for axis, dim in enumerate(value.type.tensor_type.shape.dim):
                if dim.dim_param:
                    named[dim.dim_param] = None
                size = self.size(dim, value.name, axis)
                if isinstance(size, str):
                    open_ones.update(dict.fromkeys(self._names(size) or [size]))
        if open_ones:
            listed = ", ".join(f"'{name}'" for name in open_ones)
            several = "dimensions" if len(open_ones) > 1 else "dimension"
            example = " ".join(f"--dim {name}=1" for name in open_ones)
            raise UserError(f"The model leaves its {several} {listed} open.", f"Bind them, as in: {example}")
        for name in self.given.keys() - self.used:
            known = ", ".join(f"'{one}'" for one in named) or "none with a name"
            raise UserError(f"No input has a dimension '{name}'.", f"Open dimensions are: {known}.")

    def _names(self, expression: str) -> list[str]:
        """Open names within an expression, each of which could be bound."""
        try:
            tree = ast.parse(expression, mode="eval")
        except SyntaxError:
            return []
        names = [node.id for node in ast.walk(tree) if isinstance(node, ast.Name)]
        return [name for name in dict.fromkeys(names) if name not in self.given]
