"""How long counting the work of a model takes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

CHAIN = 200_000

BENCH = tuple[str, Callable[[], object], float, str]
"""(what, action, seconds wanted at most, note)."""


def counting(scratch: Path) -> list[BENCH]:
    """Counts to time: two files without weights (where onnx is installed), and a long chain."""
    from reportgen.workload.builder import Builder
    from reportgen.workload.count import count, count_graph

    build = Builder("chain")
    x, w = build.input((8, 8)), build.weight((8, 8))
    for _ in range(CHAIN):
        x = build.op("MatMul", x, w, shape=(8, 8))
    ops, inputs = tuple(build.ops), tuple(build.inputs)

    def chain() -> object:
        from reportgen.workload.graph import Graph

        return count_graph(Graph(ops, inputs, (x,))).to_json()

    found: list[BENCH] = [(f"count a chain of {CHAIN:,}", chain, 2.0, "totals, bytes, memory, breakdowns")]
    try:
        from tests.unit.workload.onnx_nets import language_model, resnet50
    except ImportError:  # without the extra `onnx`
        return found
    files = {
        "resnet50": (resnet50(), {"batch": 1}, 0.3),
        "a 7B decoder": (
            language_model(32, 4096, 32, 32, 11008, 32000),
            {"batch": 1, "seq": 128, "past": 0},
            1.0,
        ),
    }
    for name, (model, dims, wanted) in files.items():
        path = scratch / f"{name.replace(' ', '_')}.onnx"
        path.write_bytes(model.SerializeToString())
        note = f"{len(model.graph.node)} nodes, in this process"
        found.append(
            (f"count {name}.onnx", lambda path=path, dims=dims: count(path, dims).to_json(), wanted, note)
        )
    return found
