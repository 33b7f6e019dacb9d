"""Nodes to operations: names resolved, shapes found, bodies of loops and branches read in turn."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from reportgen.errors import UserError
from reportgen.workload.graph import Body, Graph, Op, Role, Shape, Tensor
from reportgen.workload.onnx_file import contrib_shapes, shapes
from reportgen.workload.onnx_file.attributes import DTYPES, attributes, has_numbers, numbers
from reportgen.workload.onnx_file.dims import Bindings
from reportgen.workload.onnx_file.inference import infer
from reportgen.workload.onnx_file.node import SHAPE_RULES, Node, Result, Unknown
from reportgen.workload.onnx_file.order import in_order
from reportgen.workload.onnx_file.parsed import Parsed, nodes
from reportgen.workload.onnx_file.refine import REFINED, kind_of, refine
from reportgen.workload.onnx_file.scopes import scope_of
from reportgen.workload.onnx_file.values import EVALUATORS, LARGEST, Value, evaluate
from reportgen.workload.onnx_file.weights import Stored, stored, ties
from reportgen.workload.routing import Routes

CACHE_IN = re.compile(r"past|cache", re.IGNORECASE)
CACHE_OUT = re.compile(r"present|past|cache", re.IGNORECASE)
NO_CACHE = re.compile(r"cos|sin|len|mask|pos", re.IGNORECASE)
"""How exporters call the key-value cache, and what they call similarly."""

SMALL_CONSTANTS = frozenset({"int64", "int32", "bool", "string"})
"""Types of numbers that say shapes and indices, not weights."""

FOLLOWED = frozenset({"Shape", "Size", *EVALUATORS})
"""Kinds whose result may be small numbers that shapes depend on."""

BY_SHAPES_ALONE = (
    frozenset("MatMul Relu Sigmoid Tanh Erf Exp Log Abs Reciprocal Gelu HardSwish Mish Swish Max Min".split())
    - FOLLOWED
)
"""Kinds without attributes whose one result follows from shapes and types; no numbers that a shape needs."""

DECLARED_FIRST = frozenset({"GroupQueryAttention", "MultiHeadAttention"})
"""Kinds whose cache may be a buffer of fixed length: what the file says of their outputs holds."""


@dataclass
class Model:
    """What all graphs of one file share."""

    path: Path
    opsets: dict[str, int]
    bindings: Bindings
    notes: list[str] = field(default_factory=list)
    weights: list[Stored] = field(default_factory=list)
    tied: dict[str, str] = field(default_factory=dict)


class Names:
    """Names of one graph, and of those around it."""

    def __init__(self, outer: Names | None = None) -> None:
        self.outer = outer
        self.tensors: dict[str, Tensor] = {}
        self.tensor: Callable[[str], Tensor | None] = self.tensors.get if outer is None else self._outwards
        """The tensor of a name, looked up outwards."""
        self.constants: dict[str, Value | Callable[[], Value | None]] = {}

    def _outwards(self, name: str) -> Tensor | None:
        found = self.tensors.get(name)
        if found is not None or self.outer is None:
            return found
        return self.outer.tensor(name)

    def constant(self, name: str) -> Value | None:
        """Its numbers, if it is a small constant; read from the file when first asked for."""
        names: Names | None = self
        while names is not None:
            if name in names.tensors:
                found = names.constants.get(name)
                if callable(found):
                    value = found()
                    if value is None:
                        del names.constants[name]
                    else:
                        names.constants[name] = value
                    return value
                return found
            names = names.outer
        return None


def read_subgraph(
    model: Model, proto: Any, outer: Names | None, given: Iterable[Tensor | None] = ()
) -> Graph:
    """The graph of a GraphProto.

    Args:
        model: what the file says as a whole.
        proto: the graph.
        outer: names around it, for the body of a loop or a branch.
        given: what its inputs are, where that is known better than from the file.

    Raises:
        NotText: a name in it is no text.
    """
    names = Names(outer)
    declared = {value.name: value for value in (*proto.value_info, *proto.output)}
    _initializers(model, proto, names)
    inputs = _inputs(model, proto, names, list(given), top=outer is None)
    caches = (
        {value.name for value in proto.output if _is_cache(value.name, CACHE_OUT)} if outer is None else set()
    )
    reader = _Reader(model, names, declared, caches)
    ops = []
    for node in in_order(nodes(proto), names.tensor):
        if node.op_type == "Constant" and node.domain in ("", "ai.onnx"):
            _constant(node, names)
            continue
        ops.append(reader.operation(node))
    outputs = []
    for value in proto.output:
        tensor = names.tensor(value.name)
        if tensor is None:
            raise UserError(f"Output '{value.name}' of graph '{proto.name}' is made by no node.")
        outputs.append(tensor)
    return Graph(tuple(ops), inputs, tuple(outputs), proto.name)


def _is_cache(name: str, pattern: re.Pattern[str]) -> bool:
    return bool(pattern.search(name)) and not NO_CACHE.search(name)


def _initializers(model: Model, proto: Any, names: Names) -> None:
    found = []
    for tensor in proto.initializer:
        dtype = DTYPES.get(tensor.data_type, "float32")
        found.append((tensor, stored(tensor, dtype)))
    tied = ties([one for _, one in found if one.dtype not in SMALL_CONSTANTS], model.path)
    model.tied.update(tied)
    model.weights.extend(one for _, one in found)
    firsts = set(tied.values())
    for tensor, one in found:
        role: Role = "constant" if one.dtype in SMALL_CONSTANTS else "weight"
        storage = tied.get(one.name, one.name if one.name in firsts else "")
        names.tensors[one.name] = Tensor(one.shape, one.dtype, role, one.name, storage)
        if has_numbers(tensor):
            names.constants[one.name] = partial(numbers, tensor)
    for sparse in proto.sparse_initializer:
        values = sparse.values
        dtype = DTYPES.get(values.data_type, "float32")
        names.tensors[values.name] = Tensor(tuple(sparse.dims), dtype, "weight", values.name)
        model.notes.append(f"'{values.name}' is sparse: counted as if it were dense")


def _inputs(
    model: Model, proto: Any, names: Names, given: list[Tensor | None], *, top: bool
) -> tuple[Tensor, ...]:
    found = []
    for place, value in enumerate(proto.input):
        if value.name in names.tensors:  # an initializer that may be replaced
            continue
        known = given[place] if place < len(given) else None
        kind = value.type.tensor_type
        dtype = DTYPES.get(kind.elem_type, "float32")
        shape: Shape | None = (
            known.shape if known is not None and known.known else model.bindings.shape(value)
        )
        if known is not None:
            dtype = known.dtype
        role: Role = "input" if top else "activation"
        if top and shape is not None and len(shape) >= 3 and _is_cache(value.name, CACHE_IN):
            role = "cache"
        tensor = Tensor(shape or (), dtype, role, value.name, known=shape is not None)
        names.tensors[value.name] = tensor
        found.append(tensor)
    return tuple(found)


def _constant(node: Any, names: Names) -> None:
    """A Constant node is an initializer that stands among the nodes."""
    import numpy as np

    name = node.output[0]
    for one in node.attribute:
        if one.type == 4:
            dtype = DTYPES.get(one.t.data_type, "float32")
            shape = tuple(one.t.dims)
            role: Role = "constant" if dtype in SMALL_CONSTANTS or not shape else "weight"
            names.tensors[name] = Tensor(shape, dtype, role, name)
            if has_numbers(one.t):
                names.constants[name] = partial(numbers, one.t)
            return
    found = attributes(node)
    value = next(iter(found.values()), 0)
    if isinstance(value, str) or (isinstance(value, tuple) and any(isinstance(part, str) for part in value)):
        names.tensors[name] = Tensor((len(value),) if isinstance(value, tuple) else (), "string", "constant")
        return
    whole = all(isinstance(part, int) for part in (value if isinstance(value, tuple) else (value,)))
    array = np.asarray(value, dtype=np.int64 if whole else np.float32)
    names.tensors[name] = Tensor(array.shape, str(array.dtype), "constant", name)
    names.constants[name] = array


@dataclass
class _Reader:
    """Reads one node after another of one graph."""

    model: Model
    names: Names
    declared: dict[str, Any]
    caches: set[str]
    routes: Routes[Tensor] = field(default_factory=Routes)
    plain: dict[tuple[Any, ...], Op] = field(default_factory=dict)
    """Kind, shapes and types of the inputs -> the first such operation, of kinds in `BY_SHAPES_ALONE`."""

    def operation(self, proto: Parsed) -> Op:
        """The operation of a node; its outputs are entered among the names."""
        names, tensor = self.names, self.names.tensor
        ins = tuple([tensor(name) if name else None for name in proto.input])
        kind = kind_of(proto)
        if kind in BY_SHAPES_ALONE and not proto.attribute and len(proto.output) == 1 and proto.output[0]:
            return self._plain(kind, proto, ins)
        attrs = attributes(proto) if proto.attribute else {}
        node = Node(kind, attrs, ins, proto.input, names.constant, len(proto.output), self.model.opsets[""])
        bodies: tuple[Body, ...] = ()
        if proto.holds_graphs:
            from reportgen.workload.onnx_file.bodies import read_bodies

            bodies, results = read_bodies(self.model, proto, node, names)
            outs = self._outputs(proto, node, results)
        else:
            outs = self._outputs(proto, node, self._results(proto, node))
        self._route(node, outs)
        if kind in REFINED:
            refine(node)
        if kind in FOLLOWED:
            self._follow(proto, node, outs)
        return Op(kind, ins, outs, attrs, scope_of(proto), proto.name or ", ".join(proto.output), bodies)

    def _plain(self, kind: str, proto: Parsed, ins: tuple[Tensor | None, ...]) -> Op:
        """What most nodes of a large file are: one result whose shape follows from those of the inputs."""
        name = proto.output[0]
        scope, called = scope_of(proto), proto.name or name
        key = (kind, *[None if one is None else (one.shape, one.dtype, one.known) for one in ins])
        like = self.plain.get(key)
        if like is not None:
            first = like.outs[0]
            tensor = Tensor(first.shape, first.dtype, "cache" if name in self.caches else "activation", name)
            self.names.tensors[name] = tensor
            return Op(kind, ins, (tensor,), {}, scope, called, (), like)
        node = Node(kind, {}, ins, proto.input, self.names.constant, 1, self.model.opsets[""])
        results = self._results(proto, node)
        op = Op(kind, ins, self._outputs(proto, node, results), {}, scope, called)
        if results:  # else the result is what the file declares for this one
            self.plain[key] = op
        return op

    def _results(self, proto: Parsed, node: Node) -> Result | None:
        rule = SHAPE_RULES.get(node.kind)
        if node.kind == "NonZero" and (found := self._hits(node)) is not None:
            return found
        try:
            if rule is not None:
                return rule(node)
            return infer(proto.proto, node, self.model.opsets)
        except Unknown:
            return None
        except (IndexError, KeyError, ValueError, TypeError, ZeroDivisionError):
            return None  # inputs that do not fit the kind: what the file declares may still help

    def _outputs(self, proto: Parsed, node: Node, results: Result | None) -> tuple[Tensor, ...]:
        outs = []
        for place, name in enumerate(proto.output):
            found = results[place] if results is not None and place < len(results) else None
            if name and (found is None or (node.kind in DECLARED_FIRST and place)):
                found = self._declared(name) or found
            role: Role = "cache" if name in self.caches else "activation"
            if found is None:
                tensor = Tensor((), self._dtype(node), role, name, known=not name)
            else:
                shape, dtype = found
                tensor = Tensor(shape, dtype, role, name)
            outs.append(tensor)
            if name:
                self.names.tensors[name] = tensor
        return tuple(outs)

    def _route(self, node: Node, outs: tuple[Tensor, ...]) -> None:
        """Follow what a router of experts chose."""
        if node.kind == "TopK" and len(outs) > 1 and outs[1].known and node.has(0):
            scores = node.tensor(0)
            if scores.shape and node.attrs.get("axis", -1) in (-1, len(scores.shape) - 1):
                experts, k = scores.shape[-1], outs[1].shape[-1]
                self.routes.choose(outs[1], scores.size // max(experts, 1), k, experts)
        elif self.routes.chosen:
            self.routes.follow(node.kind, (one for one in node.ins if one is not None), outs)

    def _hits(self, node: Node) -> Result | None:
        """Shape of the places that a mask of one expert marks."""
        mask = node.ins[0]
        if mask is None or not mask.known:
            return None
        found = self.routes.hits(mask, mask.size)
        if found is None:
            return None
        number, choice = found
        self.model.notes.append(choice.told())
        return [((len(mask.shape), number), "int64")]

    def _declared(self, name: str) -> tuple[Shape, str] | None:
        value = self.declared.get(name)
        if value is None:
            return None
        shape = self.model.bindings.shape(value)
        return None if shape is None else (shape, DTYPES.get(value.type.tensor_type.elem_type, "float32"))

    def _dtype(self, node: Node) -> str:
        return next((tensor.dtype for tensor in node.ins if tensor is not None), "float32")

    def _follow(self, proto: Parsed, node: Node, outs: tuple[Tensor, ...]) -> None:
        """Keep the numbers of a small result that follows from constants."""
        if not outs:
            return
        first = outs[0]
        if node.kind in ("Shape", "Size"):
            self._sizes(proto, node)
        elif node.kind in EVALUATORS and first.known and first.size <= LARGEST:
            constants = [node.constant(0)] if proto.input else []
            if constants and constants[0] is None:
                return
            constants += [node.constant(place) for place in range(1, len(proto.input))]
            if any(one is None and name for one, name in zip(constants, proto.input, strict=True)):
                return
            value = evaluate(node.kind, constants, node.attrs)
            if value is not None:
                self.names.constants[proto.output[0]] = value

    def _sizes(self, proto: Parsed, node: Node) -> None:
        import numpy as np

        tensor = node.ins[0]
        if tensor is None or not tensor.known:
            return
        rank = len(tensor.shape)
        axes = tensor.shape[node.attrs.get("start", 0) : node.attrs.get("end", rank)]
        value = np.asarray(axes if node.kind == "Shape" else tensor.size, dtype=np.int64)
        self.names.constants[proto.output[0]] = value


REGISTERED = (shapes, contrib_shapes)
"""Modules that fill `SHAPE_RULES` when they are imported."""
