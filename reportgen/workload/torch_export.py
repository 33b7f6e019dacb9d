"""A torch module as a graph, through `torch.export`; torch is imported when `from_torch` is called.

The parameters of the module are replaced by ones without data ("meta" device) in a copy, so nothing is
loaded, moved or changed.  Counting inside a running module instead would miss what backends choose at run
time: fused LSTM and attention kernels hide their operations from it.
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from reportgen.errors import UserError
from reportgen.workload.graph import Body, Graph, Op, Role, Tensor
from reportgen.workload.routing import Routes
from reportgen.workload.torch_operators import gives_places, is_known, operation

ROUNDS = 4
"""How often operators without a rule are taken apart: a loss becomes a softmax and a smaller loss, ..."""

HIGHER = {"cond": "If", "while_loop": "While", "scan": "Scan"}
"""Operators of torch that take graphs, and their kind here."""


def from_torch(module: Any, args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None) -> Graph:
    """The graph of `module(*args, **kwargs)`.

    Args:
        module: a `torch.nn.Module`.
        args: its arguments; of tensors only shape and type matter ("meta" tensors will do).
        kwargs: named ones.

    Raises:
        UserError: torch is missing, or `torch.export` cannot export the module; it says why.
    """
    try:
        import torch
    except ImportError:
        raise UserError("from_torch needs torch.", "Install it: pip install 'reportgen[torch]'.") from None

    def meta(value: Any) -> Any:
        return value.to("meta") if isinstance(value, torch.Tensor) else value

    tree = torch.utils._pytree
    copied = _without_data(torch, module)
    given = tree.tree_map(meta, tuple(args)), tree.tree_map(meta, dict(kwargs or {}))
    try:
        # On "meta" lies also what the module makes while it runs: masks, positions.  Warnings are about how
        # to run the exported program; the copy is thrown away.
        with torch.device("meta"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            program = _taken_apart(torch.export.export(copied, *given, strict=False))
    except Exception as refused:  # dozens of kinds, none of them ours
        first = str(refused).strip().splitlines()[0] if str(refused).strip() else type(refused).__name__
        raise UserError(
            f"torch.export cannot export {type(module).__name__}: {first}",
            "Change what it names, or export the module to ONNX and count the file.",
        ) from refused
    return graph_of(program, type(module).__name__)


def _taken_apart(program: Any) -> Any:
    """The program with operators that are unknown here replaced by those they consist of.

    All others stay, since a fused one says more than its parts; so do those that torch cannot take apart.
    """
    from torch.export.exported_program import default_decompositions

    known_to_torch = default_decompositions()
    for _ in range(ROUNDS):
        called = {node.target for node in program.graph.nodes if node.op == "call_function"}
        table = {
            one: known_to_torch[one] for one in called if not is_known(str(one)) and one in known_to_torch
        }
        if not table:
            break
        program = program.run_decompositions(table)
    return program


def _without_data(torch: Any, module: Any) -> Any:
    """A copy whose parameters and buffers are on the meta device; a tied one stays tied."""
    memo: dict[int, Any] = {}
    for parameter in module.parameters():
        memo[id(parameter)] = torch.nn.Parameter(parameter.to("meta"), requires_grad=parameter.requires_grad)
    for buffer in module.buffers():
        memo[id(buffer)] = buffer.to("meta")
    return copy.deepcopy(module, memo).eval()


def graph_of(program: Any, name: str = "") -> Graph:
    """The graph of a `torch.export.ExportedProgram`.

    Reads `program.graph.nodes` (op, target, args, kwargs, meta), `program.graph_signature` and, to find
    tied weights, `program.state_dict`.
    """
    signature = program.graph_signature
    held = {**signature.inputs_to_parameters, **signature.inputs_to_buffers}
    reader = _Reader(held, program.state_dict, getattr(program, "graph_module", None))
    for node in program.graph.nodes:
        reader.read(node)
    notes = tuple(dict.fromkeys(reader.notes))
    return Graph(tuple(reader.ops), tuple(reader.inputs), tuple(reader.outputs), name, notes)


class _Reader:
    """Node after node of one exported program, or of a graph in it."""

    def __init__(self, held: Mapping[str, str], state: Mapping[str, Any], module: Any) -> None:
        self.held = held
        self.state = state
        self.module = module
        self.tensors: dict[Any, Tensor | tuple[Tensor, ...]] = {}
        self.first: dict[int, str] = {}
        self.ops: list[Op] = []
        self.inputs: list[Tensor] = []
        self.outputs: list[Tensor] = []
        self.notes: list[str] = []
        self.routes: Routes[Tensor] = Routes()
        self.sizes: dict[Any, int] = {}  # symbol of a size that depends on data -> what it is taken for

    def read(self, node: Any) -> None:
        """Enter the tensors of a node, and its operation if it is one."""
        if node.op in ("placeholder", "get_attr"):
            self._placeholder(node)
        elif node.op == "output":
            self.outputs.extend(self._flat(node.args[0]))
        elif node.op == "call_function":
            self._call(node)

    def _placeholder(self, node: Any) -> None:
        value = node.meta.get("val")
        if not hasattr(value, "shape"):
            return
        held = self.held.get(node.name)
        role: Role = "weight" if held is not None or node.op == "get_attr" else "input"
        storage = ""
        if held is not None and held in self.state:
            storage = self.first.setdefault(id(self.state[held]), held)
        tensor = self._tensor(value, role, held or node.name, storage)
        self.tensors[node] = tensor
        if role == "input":
            self.inputs.append(tensor)

    def _call(self, node: Any) -> None:
        target = str(node.target)
        if "getitem" in target:
            whole = self.tensors.get(node.args[0])
            if isinstance(whole, tuple):
                self.tensors[node] = whole[node.args[1]]
            return
        value = node.meta.get("val")
        values = value if isinstance(value, tuple | list) else (value,)
        ins = tuple(self._flat((*node.args, *node.kwargs.values())))
        if gives_places(target, len(ins)):
            self._places(value, ins[0])
        outs = tuple(self._tensor(one, "activation", node.name) for one in values if hasattr(one, "shape"))
        if not outs:
            return
        self.tensors[node] = outs if isinstance(value, tuple | list) else outs[0]
        if target in HIGHER:
            bodies = self._bodies(target, node.args)
            self.ops.append(Op(HIGHER[target], ins, outs, {}, _scope(node), node.name, bodies))
            return
        made = operation(target, node, ins, outs, self._operand, _scope(node))
        self.ops.append(made)
        self._route(made)

    def _route(self, op: Op) -> None:
        """Follow what a router of experts chose."""
        if op.kind == "TopK" and len(op.outs) > 1 and op.ins[0] is not None and op.ins[0].shape:
            scores = op.ins[0]
            experts, k = scores.shape[-1], op.outs[1].shape[-1]
            self.routes.choose(op.outs[1], scores.size // max(experts, 1), k, experts)
        else:
            self.routes.follow(op.kind, op.given, op.outs)

    def _places(self, value: Any, mask: Tensor) -> None:
        """Take the number of places that a mask of one expert marks for its share of the tokens."""
        found = self.routes.hits(mask, mask.size) if mask.known else None
        first = value[0] if isinstance(value, tuple | list) else value
        if found is None:
            return
        number, choice = found
        self.notes.append(choice.told())
        for size in first.shape:
            if not isinstance(size, int):
                self.sizes.update(dict.fromkeys(size.node.expr.free_symbols, number))

    def _tensor(self, value: Any, role: Role, name: str, storage: str = "") -> Tensor:
        shape = tuple(self._size(size) for size in value.shape)
        sizes = tuple(size for size in shape if size is not None)
        known = len(sizes) == len(shape)
        return Tensor(sizes if known else (), dtype_name(value.dtype), role, name, storage, known)

    def _size(self, size: Any) -> int | None:
        """A size; None where it depends on data."""
        if isinstance(size, int):
            return size
        expression = size.node.expr.xreplace(self.sizes)
        if isinstance(expression, int) or expression.is_number:  # where a symbol alone is replaced: an int
            return int(expression)
        return int(size) if size.node.has_hint() else None

    def _bodies(self, target: str, args: Sequence[Any]) -> tuple[Body, ...]:
        """Of one of three calls.

        `cond(which, then, else, operands)`, `while_loop(test, body, states, others)`,
        `scan(body, states, sequences, others)`.
        """
        if target == "cond":
            operands = self._flat(args[3])
            return tuple(
                Body(self._inner(graph, (), operands), 1, label)
                for graph, label in ((args[1], "then"), (args[2], "else"))
            )
        others = self._flat(args[3]) if len(args) > 3 else []
        if target == "while_loop":
            states = self._flat(args[2])
            return tuple(
                Body(self._inner(graph, states, others), None, label)
                for graph, label in ((args[0], "condition"), (args[1], "body"))
            )
        sequences = self._flat(args[2])
        slices = [Tensor(one.shape[1:], one.dtype) for one in sequences]
        times = sequences[0].shape[0] if sequences else None
        return (Body(self._inner(args[0], [*self._flat(args[1]), *slices], others), times, "body"),)

    def _inner(self, graph: Any, own: Sequence[Tensor], captured: Sequence[Tensor]) -> Graph:
        """A graph in the program: its first arguments are its own, the rest are tensors from around it."""
        module = getattr(self.module, graph.target)
        reader = _Reader({}, {}, module)
        inputs = [Tensor(one.shape, one.dtype) for one in own]
        given = iter((*inputs, *captured))
        for node in module.graph.nodes:
            if node.op == "placeholder":
                reader.tensors[node] = next(given)
            else:
                reader.read(node)
        return Graph(tuple(reader.ops), tuple(inputs), tuple(reader.outputs), str(graph.target))

    def _operand(self, value: Any) -> Tensor | None:
        """The tensor that an argument is."""
        found = self.tensors.get(value) if _is_node(value) else None
        return found if isinstance(found, Tensor) else None

    def _flat(self, value: Any) -> list[Tensor]:
        """Every tensor in nested arguments."""
        if isinstance(value, tuple | list):
            return [tensor for one in value for tensor in self._flat(one)]
        found = self.tensors.get(value) if _is_node(value) else None
        if isinstance(found, tuple):
            return list(found)
        return [] if found is None else [found]


def _is_node(value: Any) -> bool:
    return hasattr(value, "op") and hasattr(value, "target")


def dtype_name(dtype: Any) -> str:
    """torch.float8_e4m3fn -> float8e4m3fn, torch.float32 -> float32."""
    name = str(dtype).removeprefix("torch.")
    return name.replace("float8_", "float8").replace("uint4x2", "uint4")


def _scope(node: Any) -> tuple[str, ...]:
    """Path of the innermost module, from `nn_module_stack`: key -> (path, class)."""
    stack = node.meta.get("nn_module_stack")
    if not stack:
        return ()
    path = str(list(stack.values())[-1][0])
    parts = path.replace("L['self'].", "").replace("L['self']", "").split(".")
    # A module that is called again is exported as path@1.
    return tuple(part.partition("@")[0] for part in parts if part)
