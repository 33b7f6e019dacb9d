"""Shapes of the standard operators that have no rule of ours, from `onnx.shape_inference`."""

from __future__ import annotations

from typing import Any

from reportgen.workload.graph import Tensor
from reportgen.workload.onnx_file.attributes import DTYPES, NUMBERS
from reportgen.workload.onnx_file.node import Node, Result, Unknown


def infer(proto: Any, node: Node, opsets: dict[str, int]) -> Result:
    """Ask onnx for the outputs of one node without graphs inside.

    Raises:
        Unknown: onnx does not know the operator, or the shape depends on data.
    """
    from onnx import defs, helper, numpy_helper, shape_inference

    domain = "" if proto.domain == "ai.onnx" else proto.domain
    try:
        schema = defs.get_schema(proto.op_type, opsets.get(domain, 1), domain)
    except defs.SchemaError:
        raise Unknown from None
    types, data = {}, {}
    for place, (name, tensor) in enumerate(zip(proto.input, node.ins, strict=True)):
        if tensor is None:
            continue
        types[name] = _type(helper, tensor)
        value = node.constant(place)
        if value is not None:
            data[name] = numpy_helper.from_array(value, name)
    imports = [helper.make_opsetid(name, version) for name, version in opsets.items()]
    try:
        found = shape_inference.infer_node_outputs(schema, proto, types, data, opset_imports=imports)
    except Exception as refused:  # the checks raise RuntimeError, InferenceError, ValueError
        raise Unknown from refused
    results: Result = []
    for name in proto.output:
        kind = found[name].tensor_type if name in found else None
        if not name:
            results.append(((), "float32"))
            continue
        if kind is None or not kind.HasField("shape"):
            raise Unknown
        dims = kind.shape.dim
        if any(not dim.HasField("dim_value") for dim in dims):
            raise Unknown
        results.append((tuple(dim.dim_value for dim in dims), DTYPES.get(kind.elem_type, "float32")))
    return results


def _type(helper: Any, tensor: Tensor) -> Any:
    shape = list(tensor.shape) if tensor.known else None
    return helper.make_tensor_type_proto(NUMBERS.get(tensor.dtype, 1), shape)
