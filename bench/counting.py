"""How long counting the work of a model takes.

python bench/counting.py    seconds of CPU time of each count, median of five, and the ratio to the limit
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

CHAIN = 200_000

BENCH = tuple[str, Callable[[], object], float, str]
"""(what, action, seconds wanted at most, note)."""


def counting(scratch: Path) -> list[BENCH]:
    """Counts to time: a long chain, and, where onnx is installed, one in a file and two models."""
    from reportgen.workload.builder import Builder
    from reportgen.workload.count import count, count_graph

    build = Builder("chain")
    x, w = build.input((8, 8)), build.weight((8, 8))
    for _ in range(CHAIN):
        x = build.op("MatMul", x, w, shape=(8, 8))
    ops, inputs = tuple(build.ops), tuple(build.inputs)

    def built() -> object:
        from reportgen.workload.graph import Graph

        return count_graph(Graph(ops, inputs, (x,))).to_json()

    found: list[BENCH] = [(f"count a chain of {CHAIN:,}", built, 2.0, "totals, bytes, memory, breakdowns")]
    try:
        from tests.unit.workload.onnx_nets import chain, language_model, resnet50
    except ImportError:  # without the extra `onnx`
        return found
    files = {
        "a long chain": (chain(CHAIN), {}, 2.0),
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


def main() -> None:
    """CPU time, which other programs on the machine lengthen less than they lengthen a wait."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the models lie in tests/
    with tempfile.TemporaryDirectory() as folder:
        for what, action, wanted, note in counting(Path(folder)):
            times = []
            for _ in range(5):
                begun = time.process_time()
                action()
                times.append(time.process_time() - begun)
            middle = statistics.median(times)
            print(f"{what:32}{middle:7.3f} s  {middle / wanted:5.2f} of {wanted:g} s  {note}")


if __name__ == "__main__":
    main()
