"""What NVIDIA's own code reaches on the device: its copy, its matrix product.  For comparison, never needed.

The copy is the driver's.  The product is cuBLAS's, loaded from a toolkit or from the package `nvidia-cublas`;
without it those points are `unsupported`.  Machine code of either was not inspected.
"""

from __future__ import annotations

import ctypes
import importlib.util
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from reportgen.backends import gates
from reportgen.backends.base import Batch, Order, empty_columns
from reportgen.backends.cuda import rows
from reportgen.backends.cuda.binding import Binding
from reportgen.backends.cuda.clock import Frame
from reportgen.backends.cuda.contents import BLOCK_BYTES, fill
from reportgen.backends.cuda.shots import NS_OF_MS, QUEUE_US
from reportgen.errors import LaunchError, Unsupported

KIND = "vendor"
LEAST_MS = 1.0
"""Of one sample: events are read to about a microsecond."""
MOST_CALLS, MOST_SAMPLES, LEAST_SAMPLES = 128, 32, 8
LIBRARIES = ("libcublas.so.13", "libcublas.so.12")
REMEDY = "pip install nvidia-cublas (450 MB), or put the toolkit's lib64 into LD_LIBRARY_PATH"
_TRANSPOSED, _PLAIN, _DEFAULT = 1, 0, -1
CHECKED = 1 << 16
"""Elements of a product that are looked at."""


@dataclass(frozen=True)
class Kind:
    """A precision as cuBLAS spells it (`cudaDataType`, `cublasComputeType_t`)."""

    data: int
    compute: int
    bytes: int
    scalar: type[ctypes.c_float | ctypes.c_double] = ctypes.c_float


KINDS = {
    "fp64": Kind(1, 70, 8, ctypes.c_double),
    "fp32": Kind(0, 68, 4),
    "tf32": Kind(0, 77, 4),
    "fp16": Kind(2, 68, 2),
    "bf16": Kind(14, 68, 2),
}


def measure(order: Order, binding: Binding, frame: Frame, library: str = "") -> Batch:
    """One visit of a routine (`setup["routine"]`: `copy` or `gemm`).

    Args:
        order: with `bytes`, or `n` and `precision`, in its set-up.
        binding: with its context open.
        frame: clock of the device.
        library: instead of the cuBLAS that is found.

    Raises:
        Unsupported: cuBLAS is not here.
        LaunchError: it refuses.
        MemoryError: the device is full.
    """
    owned: list[int] = []
    try:
        if order.setup["routine"] == "copy":
            call, check, facts = _copy(order, binding, owned)
        else:
            call, check, facts = _gemm(order, binding, owned, library)
        return _sample(order, binding, frame, call, check, facts)
    finally:
        while owned:
            binding.free(owned.pop())


Facts = dict[str, int | float | str]
Routine = tuple[Callable[[], None], Callable[[], str], Facts]
"""How to call it once, what is wrong with what it left, and what is known of it."""


def _sample(
    order: Order,
    binding: Binding,
    frame: Frame,
    call: Callable[[], None],
    check: Callable[[], str],
    facts: Facts,
) -> Batch:
    start, stop = binding.event(), binding.event()

    def once(calls: int) -> float:
        frame.hold(QUEUE_US * (2 + calls))
        binding.record(start)
        for _ in range(calls):
            call()
        binding.record(stop)
        binding.synchronize()
        return binding.milliseconds(start, stop)

    once(1)
    first = once(1)
    if first <= 0:
        raise LaunchError("the clock stood still: a call took no time")
    calls = max(1, min(MOST_CALLS, round(LEAST_MS / first)))
    columns = empty_columns()
    began = time.perf_counter()
    stop_reason, spent = "sample cap", 0.0
    for number in range(MOST_SAMPLES):
        pace = frame.pace()
        ticks = round(once(calls) * NS_OF_MS * pace.cycles / pace.nanoseconds)
        rows.add(
            columns, sample=number, start=pace.stamp, ticks=ticks, pace=(pace.cycles, pace.nanoseconds),
            warmup=round(first * NS_OF_MS * pace.cycles / pace.nanoseconds), repetitions=calls,
        )  # fmt: skip
        spent = time.perf_counter() - began
        if number + 1 >= LEAST_SAMPLES and gates.precise([float(value) for value in columns["ticks"]]):
            stop_reason = "precise"
            break
        if spent > order.seconds and number + 1 >= LEAST_SAMPLES:
            stop_reason = "time cap"
            break
    wrong = check()
    mark = gates.WRONG if wrong else gates.ACCEPTED
    return Batch(
        point=order.point,
        columns=columns,
        gates=[mark] * len(columns["ticks"]),
        status="invalid" if wrong else "ok",
        reason=wrong,
        stop=stop_reason,
        facts=facts | {"launches": calls},
        seconds={"measure": spent},
    )


def _copy(order: Order, binding: Binding, owned: list[int]) -> Routine:
    size = int(order.setup["bytes"])
    source, target = _memory(binding, owned, size), _memory(binding, owned, size)
    rng = np.random.default_rng(order.seed)
    data = rng.integers(0, 256, min(size, BLOCK_BYTES), dtype=np.uint8).tobytes()
    fill(binding, source, data, size)

    def check() -> str:
        tail = size - min(size, BLOCK_BYTES)
        same = binding.read(target + tail, size - tail) == binding.read(source + tail, size - tail)
        return "" if same else "the copy differs from what was copied"

    facts: Facts = {"bytes_actual": size, "data": "random", "library": "the driver"}
    return (lambda: binding.copy(target, source, size)), check, facts


def _gemm(order: Order, binding: Binding, owned: list[int], library: str) -> Routine:
    n, precision = int(order.setup["n"]), str(order.setup["precision"])
    kind = KINDS[precision]
    blas, handle, number = _started(library)
    rng = np.random.default_rng(order.seed)
    size = n * n * kind.bytes
    left, right, product = (_memory(binding, owned, size) for _ in range(3))
    for address in (left, right):
        fill(binding, address, values(precision, BLOCK_BYTES // kind.bytes, rng), size)
    one, zero = kind.scalar(1.0), kind.scalar(0.0)

    def call() -> None:
        code = blas.cublasGemmEx(
            handle, _TRANSPOSED, _PLAIN, n, n, n,
            ctypes.byref(one), ctypes.c_void_p(left), kind.data, n, ctypes.c_void_p(right), kind.data, n,
            ctypes.byref(zero), ctypes.c_void_p(product), kind.data, n, kind.compute, _DEFAULT,
        )  # fmt: skip
        _must(code, "cublasGemmEx")

    def check() -> str:
        count = min(CHECKED, n * n)
        found = float(np.mean(numbers(precision, binding.read(product, count * kind.bytes))))
        # factors lie in [0.5, 1): the mean of a product of two is (3/4)^2
        good = abs(found / n - 0.5625) < 0.05
        return "" if good else f"the product is wrong: its mean is {found:g}, not near {0.5625 * n:g}"

    facts: Facts = {"library": f"cuBLAS {number // 10000}.{number // 100 % 100}", "data": "random"}
    return call, check, facts


@cache
def _started(library: str) -> tuple[ctypes.CDLL, ctypes.c_void_p, int]:
    """CuBLAS, a handle and its version; starting takes long and is done once a process."""
    blas, handle, version = load(library), ctypes.c_void_p(), ctypes.c_int()
    _must(blas.cublasCreate_v2(ctypes.byref(handle)), "cublasCreate")
    _must(blas.cublasGetVersion_v2(handle, ctypes.byref(version)), "cublasGetVersion")
    return blas, handle, version.value


def load(library: str = "") -> ctypes.CDLL:
    """CuBLAS: by name where the loader finds it, else out of its package.

    Raises:
        Unsupported: it is not here.
    """
    reasons = []
    for path in [library] if library else _candidates():
        try:
            return ctypes.CDLL(path)
        except OSError as error:
            reasons.append(str(error))
    raise Unsupported(f"needs a device with cuBLAS, which cannot be loaded ({reasons[0]}); {REMEDY}")


def _candidates() -> Iterator[str]:
    yield from LIBRARIES
    spec = importlib.util.find_spec("nvidia")
    for place in (spec.submodule_search_locations or []) if spec else []:
        yield from (str(path) for path in sorted(Path(place).glob("*/lib/libcublas.so.*")))
    yield from (str(path) for path in sorted(Path("/usr/local").glob("cuda*/lib64/libcublas.so.*")))


def _must(code: int, call: str) -> None:
    if code:
        raise LaunchError(f"{call}: cuBLAS answers with status {code}")


def _memory(binding: Binding, owned: list[int], size: int) -> int:
    owned.append(binding.allocate(size))
    return owned[-1]


def values(precision: str, count: int, rng: np.random.Generator) -> bytes:
    """Random numbers in [0.5, 1) as a precision holds them."""
    found = 0.5 + rng.random(count) / 2
    if precision == "bf16":
        return (found.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16).tobytes()
    return found.astype({"fp64": np.float64, "fp16": np.float16}.get(precision, np.float32)).tobytes()


def numbers(precision: str, data: bytes) -> NDArray[np.float64]:
    """What `values` wrote, read back."""
    if precision == "bf16":
        return (np.frombuffer(data, np.uint16).astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    kind = {"fp64": np.float64, "fp16": np.float16}.get(precision, np.float32)
    return np.frombuffer(data, kind).astype(np.float64)
