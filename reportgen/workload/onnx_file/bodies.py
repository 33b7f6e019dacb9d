"""Loops, scans and branches: their graphs, how often they run, and the shapes that come out."""

from __future__ import annotations

from typing import Any

from reportgen.workload.graph import Body, Graph, Tensor
from reportgen.workload.onnx_file.node import Node, Result
from reportgen.workload.onnx_file.subgraph import Model, Names, read_subgraph


def read_bodies(model: Model, proto: Any, node: Node, names: Names) -> tuple[tuple[Body, ...], Result | None]:
    """(bodies, shapes of the outputs where they are known) of a node with graphs in it."""
    graphs = {one.name: one.g for one in proto.attribute if one.type == 5}
    if node.kind == "Loop":
        return _loop(model, graphs["body"], node, names)
    if node.kind == "Scan":
        return _scan(model, graphs["body"], node, names)
    if node.kind == "If":
        return _choice(model, graphs, node, names)
    model.notes.append(
        f"'{proto.name or ', '.join(proto.output)}' ({node.kind}): the graphs in it are not counted"
    )
    return (), None


def _loop(model: Model, body: Any, node: Node, names: Names) -> tuple[tuple[Body, ...], Result | None]:
    """Inputs trip count, condition, states; the body makes condition, states, scans of number and them."""
    carried = node.ins[2:]
    scalars = (Tensor((), "int64"), Tensor((), "bool"))
    graph = read_subgraph(model, body, names, (*scalars, *carried))
    most = node.constant(0) if node.has(0) else None
    times = max(int(most.item()), 0) if most is not None else None
    if node.has(1) and not _stays_true(body, node):
        node.attrs["may_end_early"] = 1
    _changes(model, graph, carried, node)
    states, scans = graph.outputs[1 : 1 + len(carried)], graph.outputs[1 + len(carried) :]
    return (Body(graph, times, "body"),), _stacked(states, scans, times)


def _stays_true(body: Any, node: Node) -> bool:
    """Whether the condition is true at first and handed on unchanged, or set to true, by the body."""
    first = node.constant(1)
    if first is None or not bool(first.item()):
        return False
    name = body.output[0].name
    passed = {body.input[1].name}
    for one in body.node:
        if one.op_type == "Identity" and one.input[0] in passed:
            passed.add(one.output[0])
        if one.op_type == "Constant" and name in one.output:
            return True
    return name in passed or any(tensor.name == name for tensor in body.initializer)


def _changes(model: Model, graph: Graph, carried: tuple[Tensor | None, ...], node: Node) -> None:
    """A state that grows from trip to trip is counted with its first shape."""
    for before, after in zip(carried, graph.outputs[1:], strict=False):
        if before is not None and before.known and after.known and before.shape != after.shape:
            model.notes.append(
                f"A loop changes the shape of '{before.name}' from {before.shape} to {after.shape}: "
                "every trip is counted as the first one"
            )


def _stacked(states: tuple[Tensor, ...], scans: tuple[Tensor, ...], times: int | None) -> Result | None:
    outs = (*states, *scans)
    if not all(tensor.known for tensor in outs) or (scans and times is None):
        return None
    found = [(tensor.shape, tensor.dtype) for tensor in states]
    return [*found, *(((times or 0, *tensor.shape), tensor.dtype) for tensor in scans)]


def _scan(model: Model, body: Any, node: Node, names: Names) -> tuple[tuple[Body, ...], Result | None]:
    """Inputs states, then sequences; opset 8 has a batch axis and a length before them."""
    number = int(node.attrs["num_scan_inputs"])
    ins = node.ins[1:] if node.version < 9 else node.ins
    batched = node.version < 9
    states, sequences = ins[: len(ins) - number], ins[len(ins) - number :]
    axes = node.attrs.get("scan_input_axes") or (0,) * number
    times: int | None = None
    given: list[Tensor | None] = [_without(state, 0) if batched else state for state in states]
    for tensor, axis in zip(sequences, axes, strict=True):
        if tensor is None or not tensor.known:
            given.append(None)
            continue
        one = _without(tensor, 0) if batched else tensor
        times = one.shape[axis]
        given.append(_without(one, axis % len(one.shape)))
    graph = read_subgraph(model, body, names, given)
    kept, scans = graph.outputs[: len(states)], graph.outputs[len(states) :]
    if times is not None and batched:
        first = next(tensor for tensor in sequences if tensor is not None)
        return (Body(graph, times * first.shape[0], "body"),), None
    return (Body(graph, times, "body"),), _stacked(kept, scans, times)


def _without(tensor: Tensor | None, axis: int) -> Tensor:
    """One slice of a tensor."""
    if tensor is None or not tensor.known:
        return Tensor((), "float32", known=False)
    return Tensor((*tensor.shape[:axis], *tensor.shape[axis + 1 :]), tensor.dtype)


def _choice(
    model: Model, graphs: dict[str, Any], node: Node, names: Names
) -> tuple[tuple[Body, ...], Result | None]:
    """Both branches, or the one that a constant condition chooses."""
    wanted = ["then_branch", "else_branch"]
    condition = node.constant(0)
    if condition is not None and condition.size == 1:
        wanted = wanted[:1] if bool(condition.item()) else wanted[1:]
    bodies = tuple(Body(read_subgraph(model, graphs[name], names), 1, name) for name in wanted)
    shapes = [
        [(tensor.shape, tensor.dtype) if tensor.known else None for tensor in body.graph.outputs]
        for body in bodies
    ]
    first = shapes[0]
    if any(other != first for other in shapes[1:]) or None in first:
        return bodies, None
    return bodies, [one for one in first if one is not None]
