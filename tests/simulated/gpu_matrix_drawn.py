"""Matrix units of a drawn GPU: products of a warp, and those of a unit that works on its own.

A warp's products have a shape and a precision; a quarter of a multiprocessor starts one every so many
cycles, and the next of a chain waits for the result.  Units of their own (`gpu_matrix`) are of warp groups,
or read and write tensor memory; a third of the devices has none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from tests.simulated import gpu_matrix
from tests.simulated.asked import ok_point
from tests.simulated.chooser import Chooser
from tests.simulated.gpu_matrix import MatrixUnit
from tests.simulated.gpu_truth import EMPTY, GpuTruth, Question, Simulated, asked, source, suite
from tests.simulated.multiprocessor import QUARTERS, WARP, Unit, span

FP16_WORK = 4096.0
"""FLOP of the product whose rate is `GpuTruth.mma_rate`."""
PRODUCTS = (
    "mma_m16n8k8_f16_f32", "mma_m16n8k16_f16_f32", "mma_m16n8k8_tf32_f32", "mma_m16n8k32_s8_s32",
    "mma_m16n8k32_e4m3_f32", "mma_m8n8k4_f64_f64",
)  # fmt: skip
"""Of warps."""
SWEPT = ("mma_m16n8k16_f16_f32", "mma_m16n8k8_tf32_f32", "mma_m16n8k32_s8_s32")
OWN = {
    "sm_80": (),
    "sm_90": (
        "wgmma_m64n64k16_f16_f32", "wgmma_m64n256k16_f16_f32", "wgmma_m64n128k8_tf32_f32",
        "wgmma_m64n128k32_e4m3_f32", "wgmma_registers_m64n128k16_f16_f32",
    ),
    "sm_100": (
        "tcgen05_m128n64k16_f16_f32", "tcgen05_m128n256k16_f16_f32", "tcgen05_m128n256k8_tf32_f32",
        "tcgen05_m128n256k32_e4m3_f32", "tcgen05_m128n128k64_nvf4_f32",
    ),
}  # fmt: skip
"""Target whose units they are -> products of units that work on their own."""
SMALL = "mma_m16n8k8_f16_f32"
"""Of half the depth of the others: some units are no quicker with it."""


@dataclass(frozen=True)
class TrueMatrix:
    """What matrix units of a drawn device truly do."""

    target: str = "sm_90"
    """Whose units of their own it has; one of `OWN`."""
    unit: MatrixUnit = field(default_factory=MatrixUnit)
    speed: Mapping[str, float] = field(
        default_factory=lambda: {"tf32": 0.5, "int8": 2.0, "fp8": 2.0, "fp64": 0.25}
    )
    """Work of warps' products in a cycle, over that of FP16, by precision."""
    small: float = 1.0
    """The same of the least product, over larger ones."""
    longer: Mapping[str, float] = field(default_factory=lambda: dict.fromkeys(PRODUCTS, 16.0))
    """Cycles from a product's turn in its unit to its result, by operation."""
    ahead: int = 0
    """Products of warps that a unit takes before their turn."""


def draw(choose: Chooser, truth: GpuTruth) -> TrueMatrix:
    """Units of one device."""
    speed = {
        "tf32": choose.pick((0.25, 0.5, 0.5)), "int8": choose.pick((1.0, 2.0, 2.0)),
        "fp8": choose.pick((1.0, 2.0)), "fp64": choose.pick((1 / 64, 0.125, 0.25)),
    }  # fmt: skip
    whole = choose.chance(0.75)  # latencies of a unit with a clock of its own are not
    longer = {name: float(choose.whole(8, 24)) if whole else choose.real(8.0, 24.0) for name in PRODUCTS}
    unit = MatrixUnit(
        first=choose.real(20.0, 160.0),
        work=FP16_WORK * truth.mma_rate * choose.real(1.0, 4.0),
        speed=speed | {"fp4": choose.pick((2.0, 4.0))},
        least=choose.pick((0.0, choose.real(8.0, 64.0))),
    )
    target, small = choose.pick(tuple(OWN)), choose.pick((0.5, 1.0))
    return TrueMatrix(target, unit, speed, small, longer, ahead=choose.pick((0, 0, 1, 2, 4, 8)))


def work(operation: str) -> tuple[float, str]:
    """FLOP or OP of an instruction, and its precision."""
    kind = suite().tables["cuda"][operation]
    return float(kind.flop or kind.op or 0.0), kind.precision or ""


def rate(truth: GpuTruth, matrix: TrueMatrix, operation: str) -> float:
    """Products of warps that a multiprocessor starts in a cycle at most."""
    each, precision = work(operation)
    share = matrix.small if operation == SMALL else 1.0
    return share * FP16_WORK * truth.mma_rate * matrix.speed.get(precision, 1.0) / each


def latency(truth: GpuTruth, matrix: TrueMatrix, operation: str) -> float:
    """Cycles of a dependent product of a warp; of units of their own, what one more product costs."""
    if operation in PRODUCTS:
        return QUARTERS / rate(truth, matrix, operation) + matrix.longer[operation]
    return matrix.unit.each(*work(operation))


def questions(truth: GpuTruth, matrix: TrueMatrix) -> Iterator[Question]:
    """What the suite asks of the units of a device."""
    for name in PRODUCTS:
        each = QUARTERS / rate(truth, matrix, name)
        unit = Unit(latency(truth, matrix, name), each, matrix.ahead)
        yield through(f"tensor_operations/instruction_latency_{name}", unit, length=(4, 8, 16))
        yield through(f"tensor_operations/instruction_throughput_{name}", unit, accumulators=(1, 2, 4, 8))
        if name in SWEPT:
            probe = f"tensor_operations/data_type_sweep_{name}"
            yield through(probe, unit, accumulators=(8,), warps=(1, 4, 8, 16))
    for name in OWN[matrix.target]:
        yield gpu_matrix.latency(matrix.target, name, matrix.unit)
    if matrix.target == "sm_90":
        yield gpu_matrix.peak("sm_90", "tf32", matrix.unit, truth)


def through(probe: str, unit: Unit, **settings: tuple[int, ...]) -> Question:
    """Points of all combinations of the settings, through a multiprocessor with this unit."""
    some: list[dict[str, int | str]] = [{}]
    for name, values in settings.items():
        some = [one | {name: value} for one in some for value in values]
    return asked(probe), [_point(probe, unit, one) for one in some]


def _point(probe: str, unit: Unit, settings: dict[str, int | str]) -> Simulated:
    made = source(probe, **settings)
    cycles = span(made, unit, np.random.default_rng(1)) + EMPTY
    turns = made.setup.get("turns")
    repetitions = int(made.setup["threads"]) // WARP * int(turns) if turns else 1
    facts: dict[str, int | float | str] = {"threads": int(made.setup["threads"])} if turns else {}
    point = ok_point(probe, dict(settings), work=dict(made.work), facts=facts)
    return Simulated(point, (cycles,), repetitions)


def best_of_groups(truth: GpuTruth, matrix: TrueMatrix, precision: str) -> float:
    """Work a cycle of a multiprocessor of the best of the products of warp groups that were tried."""
    _, some = gpu_matrix.peak(matrix.target, precision, matrix.unit, truth)
    return max(
        (one.point.work.get("flop") or one.point.work["op"]) * one.repetitions / (one.cycles[0] - EMPTY)
        for one in some
    )
