"""Instruction probes of the simulated suite: latency, throughput, interference, and failures."""

from __future__ import annotations

from typing import Any

from reportgen.runs.schema import Point
from reportgen.status import Status
from tests.simulated.asked import Asked, ok_point, point_id, probe_info, refused
from tests.simulated.ports import in_group, pair_cycles, plateau_rate, proportion
from tests.simulated.sampler import Timed
from tests.simulated.truth import CpuTruth, TrueOperation

LENGTHS = (48, 96, 144, 192)
NAMED_PAIRS = {
    "int_vs_fp": ("integer_mul", "fp64_mul"),
    "add_vs_mul": ("integer_add", "integer_mul"),
    "compute_vs_load": ("fp32_fma", "l1_load"),
    "fp32_vs_fp64": ("fp32_fma_512", "fp64_fma_512"),
}
EXPECTED = {
    "int_vs_fp": "separate",
    "add_vs_mul": "separate",
    "compute_vs_load": "separate",
    "fp32_vs_fp64": "shared",
}
HYPOTHESES = {
    "int_vs_fp": "INT MUL and FP64 MUL use different execution resources.",
    "add_vs_mul": "INT ADD and INT MUL use different execution resources.",
    "compute_vs_load": "FP32 FMA and first-level loads use different execution resources.",
    "fp32_vs_fp64": "FP32 FMA and FP64 FMA compete for the same execution resources.",
}
MATRIX = (
    "integer_add", "integer_mul", "integer_div", "popcnt", "shift", "fp64_mul", "fp32_fma", "fp32_fma_512",
    "fp64_fma_512", "fp64_div", "permute_512", "l1_load",
)  # fmt: skip


def _constants(kind: TrueOperation) -> dict[str, Any]:
    constants: dict[str, Any] = {
        "form": kind.form,
        "repeat": kind.repeat,
        "companions": list(kind.companions),
    }
    for key in ("precision", "flop", "op", "trivial", "note"):
        if getattr(kind, key):
            constants[key] = getattr(kind, key)
    return constants


def latency_probes(truth: CpuTruth) -> list[Asked]:
    """One probe an operation: chains of four lengths."""
    asked = []
    for name, kind in truth.operations.items():
        probe = f"instruction_latency/{name}"
        step = kind.latency * kind.repeat + sum(truth.operations[other].latency for other in kind.companions)
        timed = [
            Timed(
                ok_point(
                    probe, {"length": length},
                    work={"steps": length, "instructions": length * (kind.repeat + len(kind.companions))},
                ),
                cycles=3.0 + step * length,
            )
            for length in LENGTHS
        ]  # fmt: skip
        info = probe_info(
            probe, "slope", f"latency.{name}", "cycle", f"How long is a dependent {kind.title}, in cycles?",
            hypothesis="Time grows in proportion to the length of the chain.", variable="length",
            title=f"Latency: {kind.title}", operation=name, constants=_constants(kind),
        )  # fmt: skip
        asked.append((info, timed))
    return asked


def throughput_probes(truth: CpuTruth) -> list[Asked]:
    """One probe an operation: 1 to 16 independent chains."""
    asked = []
    for name, kind in truth.operations.items():
        if kind.companions:
            continue
        probe = f"instruction_throughput/{name}"
        timed = [
            Timed(
                ok_point(probe, {"accumulators": count}, work={"instructions": 192}),
                cycles=192 / plateau_rate(truth, name, count),
            )
            for count in kind.accumulators
        ]
        info = probe_info(
            probe, "plateau", f"throughput.{name}", "instruction/cycle",
            f"How many independent {kind.title} instructions start each cycle?",
            hypothesis="The rate grows with independent chains until a resource is full.",
            variable="accumulators", title=f"Throughput: {kind.title}", operation=name,
            constants=_constants(kind),
        )  # fmt: skip
        asked.append((info, timed))
    return asked


def _pair_point(truth: CpuTruth, probe: str, first: str, second: str, order: str = "") -> Timed:
    groups = 24
    one, other = proportion(order)
    first_count = in_group(truth, first) * one
    second_count = in_group(truth, second) * other if second else 0
    work: dict[str, float] = {
        "groups": groups, "first_count": first_count, "second_count": second_count,
        "instructions": groups * (first_count + second_count),
    }  # fmt: skip
    settings = {"first": first, "second": second} | ({"order": order} if order else {})
    point = ok_point(probe, settings, work=work)
    return Timed(point, cycles=groups * pair_cycles(truth, first, second, order))


def _orders(truth: CpuTruth, probe: str, first: str, second: str) -> tuple[str, ...]:
    """Arrangements of a pair, and in the matrix its other proportions."""
    mixed = truth.proportions if probe == "matrix" and first != second else ()
    return (truth.orders or ("",)) + mixed


def interference_probes(truth: CpuTruth) -> list[Asked]:
    """The matrix of all pairs, and the pairs that have names."""
    asked = []
    sets = {"matrix": MATRIX} | NAMED_PAIRS
    for name, classes in sets.items():
        probe = f"pipeline_interference/{name}"
        timed = [_pair_point(truth, probe, one, "") for one in classes]
        first_only = classes if name == "matrix" else classes[:1]
        for index, first in enumerate(first_only):
            for second in classes[index:] if name == "matrix" else classes[1:]:
                for order in _orders(truth, name, first, second):
                    timed.append(_pair_point(truth, probe, first, second, order))
        constants: dict[str, Any] = {"classes": list(classes)}
        if name in EXPECTED:
            constants["expects"] = EXPECTED[name]
        info = probe_info(
            probe, "interference", "interference", "ratio",
            "Do two kinds of instructions get in each other's way?",
            hypothesis=HYPOTHESES.get(name, "Each pair is either independent or serialised."),
            variable="second", title=f"Interference: {name.replace('_', ' ')}", constants=constants,
        )  # fmt: skip
        asked.append((info, timed))
    return asked


def disturbed_probes(truth: CpuTruth) -> list[Asked]:
    """Probes that do not end well: missing instruction, busy neighbour, refused family."""
    missing = "instruction_latency/fp16_fma"
    info_missing = probe_info(
        missing, "slope", "latency.fp16_fma", "cycle", "How many cycles does a dependent FP16 FMA take?",
        variable="length", operation="fp16_fma", title="Latency: FP16 multiply-add",
        constants={"form": "vfmadd231sh {d}, {a}, {b}", "precision": "fp16", "flop": 2.0},
    )  # fmt: skip
    absent = [
        refused(missing, {"length": length}, Status.UNSUPPORTED, "The device lacks avx512fp16.")
        for length in LENGTHS
    ]
    noisy = "instruction_latency/aes_round"
    info_noisy = probe_info(
        noisy, "slope", "latency.aes_round", "cycle", "How many cycles does a dependent AES round take?",
        variable="length", operation="aes_round", title="Latency: AES round",
        constants={"form": "vaesenc {d}, {d}, {a}", "repeat": 1, "companions": []},
    )  # fmt: skip
    unstable = []
    for length in LENGTHS:
        settings: dict[str, Any] = {"length": length}
        point = Point(
            id=point_id(noisy, settings), probe=noisy, settings=settings, status=Status.UNSTABLE,
            reason="Too few samples passed the gates; run again on a quieter machine.", stop="time cap",
            work={"steps": length, "instructions": length},
        )  # fmt: skip
        unstable.append(Timed(point, cycles=3.0 + 3.0 * length, accepted=0.03))
    warps = "gpu_execution/warp_count_sweep"
    info_warps = probe_info(
        warps, "plateau", "throughput.warps", "instruction/cycle", "How many warps fill a scheduler?",
        variable="warps", title="Warps",
    )  # fmt: skip
    gpu = [refused(warps, {"warps": count}, Status.UNSUPPORTED, "Not a GPU.") for count in (1, 2, 4)]
    return [(info_missing, absent), (info_noisy, unstable), (info_warps, gpu)]
