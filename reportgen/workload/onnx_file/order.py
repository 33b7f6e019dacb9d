"""Nodes in an order in which each stands after those it reads, with a cycle named."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from reportgen.errors import UserError

NodeT = TypeVar("NodeT", bound=Any)
"""A NodeProto, or a `Parsed` with the same fields."""


def in_order(nodes: Iterable[NodeT], known: Callable[[str], object | None]) -> Iterator[NodeT]:
    """The nodes as they are, as far as that is such an order, as ONNX demands; the rest sorted.

    Args:
        nodes: of one graph, NodeProtos or `Parsed`.
        known: whether a name is known: inputs, weights, graphs around, and the outputs of every node that
            was handed out before the next is asked for.

    Raises:
        UserError: a name is made by no node, or nodes need each other.
    """
    following = iter(nodes)
    for node in following:
        for name in node.input if not node.attribute else reads(node):
            if name and known(name) is None:
                yield from _sorted([node, *following], known)
                return
        yield node


def reads(node: Any) -> Iterator[str]:
    """Names that a node reads, those that its graphs take from outside included."""
    for name in node.input:
        if name:
            yield name
    for one in node.attribute:
        if one.type == 5:
            yield from _captured(one.g)


def _captured(graph: Any) -> Iterator[str]:
    own = {value.name for value in graph.input} | {tensor.name for tensor in graph.initializer}
    own.update(name for node in graph.node for name in node.output)
    own.update(sparse.values.name for sparse in graph.sparse_initializer)
    for node in graph.node:
        yield from (name for name in reads(node) if name not in own)
    yield from (value.name for value in graph.output if value.name not in own)


def _sorted(nodes: list[NodeT], known: Callable[[str], object | None]) -> list[NodeT]:
    maker = {name: place for place, node in enumerate(nodes) for name in node.output if name}
    done: dict[int, bool] = {}
    found: list[NodeT] = []
    for root in range(len(nodes)):
        stack = [root]
        while stack:
            place = stack[-1]
            if place in done:
                stack.pop()
                if not done[place]:
                    done[place] = True
                    found.append(nodes[place])
                continue
            done[place] = False
            for name in reads(nodes[place]):
                if name in maker:
                    before = maker[name]
                    if done.get(before) is False:
                        raise UserError(
                            f"The graph is cyclic: {_label(nodes[before])} needs {_label(nodes[place])}, "
                            "which needs it.",
                            "No exporter writes such a file; export the model again.",
                        )
                    if before not in done:
                        stack.append(before)
                elif known(name) is None:
                    raise UserError(
                        f"{_label(nodes[place])} reads '{name}', which no node makes and no input is.",
                        "The file is damaged; export the model again.",
                    )
    return found


def _label(node: Any) -> str:
    return f"'{node.name or ', '.join(node.output)}' ({node.op_type})"
