"""An ONNX file as a graph: shapes only, weights neither loaded nor needed.

    graph = read_onnx(Path("model.onnx"), {"batch": 1, "seq": 1024})

Shapes follow from the inputs, node by node; where they cannot, those written in the file are taken; where
there are none either, the operation counts as not counted.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from reportgen.errors import UserError
from reportgen.workload.graph import Graph
from reportgen.workload.onnx_file.dims import Bindings
from reportgen.workload.onnx_file.soundness import NotText, values_are_sound
from reportgen.workload.onnx_file.subgraph import Model, read_subgraph
from reportgen.workload.onnx_file.weights import look_alike
from reportgen.workload.onnx_file.wire import not_onnx, read_model_bytes
from reportgen.workload.rules.gather import LOOKUPS

OPSET_DOMAIN = ("", "ai.onnx")
NOT_TEXT = "a name in it is not text"


def read_onnx(path: Path, dims: Mapping[str, int] | None = None) -> Graph:
    """The graph of the file at `path`, its open dimensions bound by `dims`.

    Args:
        path: the `.onnx` file; files with external data need not be there.
        dims: name of an open dimension (or `<input>.<axis>`) -> its size.

    Raises:
        UserError: the package `onnx` is missing, the file is no ONNX model or a damaged one, a dimension
            is not bound, an operator set is newer than the installed package, the graph is cyclic.
    """
    onnx = _package()
    proto = _parsed(onnx, path)
    opsets = _opsets(onnx, proto)
    if proto.functions:
        proto = _inlined(proto)
    given = dims or {}
    bindings = Bindings(given)
    initial = {tensor.name for tensor in proto.graph.initializer}
    bindings.require(value for value in proto.graph.input if value.name not in initial)
    model = Model(path, opsets, bindings)
    try:
        graph = read_subgraph(model, proto.graph, None)
    except NotText:
        raise not_onnx(path, NOT_TEXT) from None
    return Graph(graph.ops, graph.inputs, graph.outputs, path.name, (*_notes(model, graph, given),))


def _package() -> Any:
    try:
        import onnx
    except ImportError:
        raise UserError(
            "Reading a model needs the package 'onnx'.", "Install it: pip install 'reportgen[onnx]'."
        ) from None
    return onnx


def _parsed(onnx: Any, path: Path) -> Any:
    if path.is_dir():
        raise UserError(f"'{path}' is a folder.", "Give the path of the .onnx file in it.")
    data = read_model_bytes(path)
    proto = onnx.ModelProto()
    try:
        proto.ParseFromString(data)
    except Exception as broken:  # DecodeError of protobuf, which is not a dependency of ours
        raise not_onnx(path, str(broken)) from broken
    if not proto.HasField("graph") or not (proto.graph.node or proto.graph.output):
        raise not_onnx(path, "it holds no graph")
    if not values_are_sound(proto.graph):
        raise not_onnx(path, NOT_TEXT)
    return proto


def _opsets(onnx: Any, proto: Any) -> dict[str, int]:
    """Domain -> version.

    Raises:
        UserError: the standard operator set is missing, or newer than the package knows.
    """
    opsets = {("" if one.domain in OPSET_DOMAIN else one.domain): one.version for one in proto.opset_import}
    newest = onnx.defs.onnx_opset_version()
    version = opsets.get("", 0)
    standard = any(node.domain in OPSET_DOMAIN for node in proto.graph.node)
    if not 1 <= version <= newest and (standard or version):
        said = f"operator set {version}" if "" in opsets else "no operator set"
        raise UserError(
            f"The model asks for {said} of ONNX; onnx {onnx.__version__} knows 1 to {newest}.",
            "Update the package onnx, or export the model with a lower opset.",
        )
    return {"": version or newest, **{name: one for name, one in opsets.items() if name}}


def _inlined(proto: Any) -> Any:
    from onnx import inliner

    try:
        return inliner.inline_local_functions(proto)
    except Exception as refused:  # the C++ code raises several kinds
        raise UserError(
            f"The functions of the model cannot be inlined ({refused}).", "Export it without functions."
        ) from refused


def _notes(model: Model, graph: Graph, given: Mapping[str, int]) -> list[str]:
    notes = []
    if given:
        notes.append("Dimensions: " + ", ".join(f"{name} = {size}" for name, size in given.items()))
    tables = [
        op.ins[0].name
        for op in graph.ops
        if op.kind in LOOKUPS and op.ins and op.ins[0] is not None and op.ins[0].role == "weight"
    ]
    alike = look_alike(model.weights, tables, model.tied, model.path) if tables else ()
    notes += [
        f"'{table}' and '{other}' may be one weight written twice: {size} bytes are counted twice, "
        "because their numbers are not here to be compared"
        for table, other, size in alike
    ]
    return [*notes, *dict.fromkeys(model.notes)]
