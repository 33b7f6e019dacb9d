"""A torch module as a graph, through `torch.export`; torch is imported when `from_torch` is called.

The parameters of the module are replaced by ones without data ("meta" device) in a copy, so nothing is
loaded, moved or changed.  Counting inside a running module instead would miss what backends choose at run
time: fused LSTM and attention kernels hide their operations from it.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

from reportgen.errors import UserError
from reportgen.workload.graph import Graph, Op, Role, Tensor
from reportgen.workload.torch_operators import operation


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
    try:
        program = torch.export.export(
            copied, tree.tree_map(meta, tuple(args)), tree.tree_map(meta, dict(kwargs or {})), strict=False
        )
    except Exception as refused:  # dozens of kinds, none of them ours
        first = str(refused).strip().splitlines()[0] if str(refused).strip() else type(refused).__name__
        raise UserError(
            f"torch.export cannot export {type(module).__name__}: {first}",
            "Change what it names, or export the module to ONNX and count the file.",
        ) from refused
    return graph_of(program, type(module).__name__)


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
    reader = _Reader(program)
    for node in program.graph.nodes:
        reader.read(node)
    return Graph(tuple(reader.ops), tuple(reader.inputs), tuple(reader.outputs), name)


class _Reader:
    """Node after node of one exported program."""

    def __init__(self, program: Any) -> None:
        signature = program.graph_signature
        self.held = {**signature.inputs_to_parameters, **signature.inputs_to_buffers}
        self.state = program.state_dict
        self.tensors: dict[Any, Tensor | tuple[Tensor, ...]] = {}
        self.first: dict[int, str] = {}
        self.ops: list[Op] = []
        self.inputs: list[Tensor] = []
        self.outputs: list[Tensor] = []

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
        tensor = _tensor(value, role, held or node.name, storage)
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
        outs = tuple(_tensor(one, "activation", node.name) for one in values if hasattr(one, "shape"))
        if not outs:
            return
        self.tensors[node] = outs if isinstance(value, tuple | list) else outs[0]
        ins = tuple(self._flat((*node.args, *node.kwargs.values())))
        self.ops.append(operation(target, node, ins, outs, self._operand, _scope(node)))

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


def _tensor(value: Any, role: Role, name: str, storage: str = "") -> Tensor:
    shape = tuple(int(size) for size in value.shape)
    return Tensor(shape, dtype_name(value.dtype), role, name, storage)


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
