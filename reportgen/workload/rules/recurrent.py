"""RNN, GRU and LSTM: one operation that is a loop over time.

Inputs as in ONNX: x [T, B, I] (or [B, T, I] with layout 1), W [D, gH, I], R [D, gH, H], bias.
MAC = T B (|W| + |R|), that is T B D g H (I + H) with g = 1, 3, 4 gates.  Sequences shorter than T
(input `sequence_lens`) are not taken off.
"""

from __future__ import annotations

from reportgen.workload.graph import Op
from reportgen.workload.rules.registry import rule
from reportgen.workload.work import Work

# Beside the products, for one unit of one step: each gate adds its two sums (1) and a bias (2 if there is
# one); a sigmoid is one call and two FLOP, tanh one call; then the cell's own arithmetic.
GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}
CALLS = {"RNN": 1, "GRU": 3, "LSTM": 5}
CELL = {"RNN": 0, "GRU": 2 * 2 + 1 + 4, "LSTM": 3 * 2 + 4}


@rule("RNN", "GRU", "LSTM")
def recurrent(op: Op) -> Work:
    """All directions and steps of one layer."""
    x, w, r = op.input(0), op.input(1), op.input(2)
    steps = x.shape[0] * x.shape[1]
    directions, hidden = w.shape[0], r.shape[2]
    units = steps * directions * hidden
    gates = GATES[op.kind]
    adds = gates * (3 if op.has_input(3) else 1)
    return Work(
        mac=steps * (w.size + r.size),
        flop=units * (adds + CELL[op.kind]),
        transcendental=units * CALLS[op.kind],
    )


@rule("RecurrentStack")
def recurrent_stack(op: Op) -> Work:
    """Several layers in one operation, as torch has them: x [T, B, I], then the parameters of all layers.

    Attributes: `cell`, and `elements`: those of all matrices, each used once a step; a recurrent one is
    [gH, H].
    """
    kind = str(op.attrs["cell"])
    x = op.input(0)
    steps = x.shape[0] * x.shape[1]
    gates = GATES[kind]
    biases = [tensor for tensor in op.given[1:] if len(tensor.shape) == 1]
    recurrent_ones = [tensor for tensor in op.given[1:] if len(tensor.shape) == 2][1::2]
    units = steps * sum(tensor.shape[0] // gates for tensor in recurrent_ones)
    adds = gates * (3 if biases else 1)
    return Work(
        mac=steps * int(op.attrs["elements"]),
        flop=units * (adds + CELL[kind]),
        transcendental=units * CALLS[kind],
    )
