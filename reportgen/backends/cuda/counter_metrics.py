"""Which metrics of Nsight Compute are asked of a target, and what they say of a point.

A metric that a chip lacks is no error of the tool, it has no value; names that chips spell differently are
asked of their own targets.  Names: the tables of NVIDIA's performance library (CUPTI 13.5) for the chip of
each target; meanings: Nsight Compute documentation, "Profiling Guide".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

_SASS = "smsp__sass_thread_inst_executed_op_{}_pred_on.sum"
FLOP: dict[str, float] = {
    _SASS.format(name): weight
    for name, weight in {
        "ffma": 2.0, "fadd": 1.0, "fmul": 1.0, "dfma": 2.0, "dadd": 1.0, "dmul": 1.0,
        "hfma": 4.0, "hadd": 2.0, "hmul": 2.0,
    }.items()
}  # fmt: skip
"""Metric -> FLOP that each count is worth; packed half instructions do two lanes."""
PAIRED = {_SASS.format(name): weight for name, weight in {"ffma2": 4.0, "fadd2": 2.0, "fmul2": 2.0}.items()}
"""The same of pairs of FP32, which two targets have."""
TENSOR_PIPE = "sm__inst_executed_pipe_tensor.sum"
"""Instructions of the matrix units, whatever they compute."""
_PATH = "sm__ops_path_tensor_src_{}.sum"
_AMPERE = ("bf16_dst_fp32", "fp16_dst_fp16", "fp16_dst_fp32", "fp64", "tf32_dst_fp32")
_NARROW = ("fp4_dst_fp32", "fp4_fp6_dst_fp16", "fp4_fp6_dst_fp32", "fp8_dst_fp16", "fp8_dst_fp32")
_TOGETHER = ("fp4_dst_fp32", "fp4_fp6_fp8_dst_fp16", "fp4_fp6_fp8_dst_fp32")
_SOURCES: dict[int, tuple[str, ...]] = {
    75: ("fp16_bf16_tf32_dst_fp32", "fp16_dst_fp16"),
    80: _AMPERE,
    86: _AMPERE,
    87: _AMPERE,
    89: (*_AMPERE, "fp8"),
    90: ("bf16_dst_fp32", "fp16", "fp64", "fp8", "tf32_dst_fp32"),
    100: (*_AMPERE, *_TOGETHER),
    103: (*_AMPERE, *_NARROW),
    110: (*_AMPERE, *_TOGETHER),
    120: (*_AMPERE, *_NARROW),
    121: (*_AMPERE, *_NARROW),
}
"""Target -> floating-point sources of matrix instructions, each counted apart."""
TENSOR_OP = _PATH.format("int8")
"""Operations on 8-bit integers in the matrix units, a multiply-add as two: as all of its kind."""
DRAM: dict[int, tuple[str, ...]] = {
    87: (),
    110: (),
    120: ("dram__bytes_op_read.sum", "dram__bytes_op_write.sum"),
    121: (),
}
"""Targets that spell it otherwise, or have none: memory of the host's, which its own counters would tell."""
_READ_WRITE = ("dram__bytes_read.sum", "dram__bytes_write.sum")
L2 = "lts__t_bytes.sum"
L1 = "l1tex__t_bytes.sum"
"""Bytes that global, local and texture accesses ask of the first cache."""
SHARED = "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"
"""Passes over shared memory: by loads, stores, atomics and, on Hopper, products of warp groups."""
SHARED_TENSOR = "l1tex__data_pipe_tc_wavefronts_mem_shared.sum"
"""Passes by the matrix units themselves, where they read shared memory."""
PASS_BYTES = 128.0
"""That a pass over the banks moves at most: 32 banks of 4 bytes."""
DURATION = "gpu__time_duration.sum"
THROUGH_TENSOR_MEMORY = (100, 103, 110)
WITH_PAIRS = (100, 103)


def tensor(target: int) -> tuple[str, ...]:
    """Metrics of floating-point work in the matrix units of a target; none where it is not known."""
    return tuple(map(_PATH.format, _SOURCES.get(target, ())))


def asked(target: int) -> tuple[str, ...]:
    """All that is asked of a target (90 for sm_90)."""
    return (
        *FLOP,
        *(PAIRED if target in WITH_PAIRS else ()),
        TENSOR_PIPE,
        *tensor(target),
        TENSOR_OP,
        *DRAM.get(target, _READ_WRITE),
        L2,
        L1,
        SHARED,
        *((SHARED_TENSOR,) if target in THROUGH_TENSOR_MEMORY else ()),
        DURATION,
    )


def summed(launches: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Metrics of several launches together; one that any of them lacks is absent."""
    common = set.intersection(*(set(one) for one in launches)) if launches else set()
    return {name: sum(one[name] for one in launches) for name in common}


def told(values: Mapping[str, float], target: int, *, ours: bool = True) -> dict[str, float]:
    """What metrics say of a point: `flop`, `op`, `<level>_bytes` (`dram`, `l2`, `l1`, `shared`), `seconds`.

    What cannot be told is absent: above all work, where the matrix units were busy and not all that
    they may have done was counted.

    Args:
        values: by metric.
        target: that they were asked of.
        ours: whether the kernel is the suite's, which uses no matrix unit unless counters say so.
    """
    found: dict[str, float] = {}
    busy = values.get(TENSOR_PIPE, 0.0 if ours else 1.0) > 0
    parts = tensor(target)
    if busy and TENSOR_OP in values and values[TENSOR_OP] > 0:
        found["op"] = values[TENSOR_OP]
    weights = FLOP | PAIRED
    if any(name in values for name in weights) and (
        not busy or (parts and all(part in values for part in parts))
    ):
        found["flop"] = sum(weight * values.get(name, 0.0) for name, weight in weights.items())
        found["flop"] += sum(values.get(part, 0.0) for part in parts)
    memory = DRAM.get(target, _READ_WRITE)
    if memory and all(part in values for part in memory):
        found["dram_bytes"] = sum(values[part] for part in memory)
    for name, metric in (("l2_bytes", L2), ("l1_bytes", L1)):
        if metric in values:
            found[name] = values[metric]
    passes = (SHARED, SHARED_TENSOR) if target in THROUGH_TENSOR_MEMORY else (SHARED,)
    if all(part in values for part in passes):
        found["shared_bytes"] = PASS_BYTES * sum(values[part] for part in passes)
    if DURATION in values:
        found["seconds"] = values[DURATION] * 1e-9
    return found
