"""A square matrix product by cuBLAS (`cublasGemmEx`), out of a toolkit or the package `nvidia-cublas`.

Without it those points are `unsupported`.  Both factors lie in columns, the first one transposed: C = A^T B.
That is the layout that 8-bit types ask for, and it costs the others nothing.

Values of the constants: `library_types.h` and `cublas_api.h` of CUDA 13.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from reportgen.backends.base import Order
from reportgen.backends.cuda import toolkit
from reportgen.backends.cuda.binding import Binding
from reportgen.backends.cuda.contents import BLOCK_BYTES, fill
from reportgen.errors import LaunchError, Unsupported

MAJORS = (13, 12)
"""Of the library, in order of preference."""
REMEDY = "pip install nvidia-cublas (450 MB), or put the toolkit's lib64 into LD_LIBRARY_PATH"
TRANSPOSED, PLAIN = 1, 0
_DEFAULT = -1
NOT_HERE = (8, 15)
"""`CUBLAS_STATUS_ARCH_MISMATCH`, `CUBLAS_STATUS_NOT_SUPPORTED`."""
CHECKED = 8
"""So many rows and columns of a product are looked at where they cross."""

DATA = {"fp64": 1, "fp32": 0, "fp16": 2, "bf16": 14, "fp8": 28, "int8": 3, "int32": 10}
"""Elements -> `cudaDataType`; `fp8` is E4M3."""
SIZES = {"fp64": 8, "fp32": 4, "fp16": 2, "bf16": 2, "fp8": 1, "int8": 1, "int32": 4}
"""Bytes of an element."""


@dataclass(frozen=True)
class Kind:
    """A precision as cuBLAS spells it."""

    factor: str
    """Elements of both factors."""
    result: str
    """Elements of the product."""
    compute: int
    """`cublasComputeType_t`."""
    tolerance: float
    """Root mean square of the errors, relative to that of the elements, that is taken for rounding."""
    scalar: type[ctypes.c_float | ctypes.c_double | ctypes.c_int32] = ctypes.c_float
    light: bool = False
    """Whether only cuBLASLt has it."""


KINDS = {
    "fp64": Kind("fp64", "fp64", 70, 1e-9, ctypes.c_double),
    "fp32": Kind("fp32", "fp32", 68, 1e-3),
    "tf32": Kind("fp32", "fp32", 77, 4e-3),
    "fp16": Kind("fp16", "fp16", 68, 4e-3),
    "bf16": Kind("bf16", "bf16", 68, 1.6e-2),
    "fp8": Kind("fp8", "bf16", 68, 0.25, light=True),
    "int8": Kind("int8", "int32", 72, 0.0, ctypes.c_int32),
}

Facts = dict[str, int | float | str]
Routine = tuple[Callable[[], None], Callable[[], str], Facts]
"""How to call it once, what is wrong with what it left, and what is known of it."""


def bytes_moved(precision: str, n: float) -> float:
    """Compulsory bytes: both factors read, the product written once."""
    kind = KINDS[precision]
    return (2.0 * SIZES[kind.factor] + SIZES[kind.result]) * n * n


def product(order: Order, binding: Binding, owned: ExitStack, library: str = "") -> Routine:
    """A product of `n` and `precision` of the set-up, ready to be called.

    Raises:
        Unsupported: cuBLAS is not here.
        LaunchError: it does not start.
        MemoryError: the device is full.
    """
    n, precision = int(order.setup["n"]), str(order.setup["precision"])
    kind = KINDS[precision]
    blas, handle, number = _started(library)
    left, right, result = matrices(order, binding, owned)
    one, zero = kind.scalar(1), kind.scalar(0)
    data, wide = DATA[kind.factor], DATA[kind.result]

    def call() -> None:
        code = blas.cublasGemmEx(
            handle, TRANSPOSED, PLAIN, n, n, n,
            ctypes.byref(one), ctypes.c_void_p(left), data, n, ctypes.c_void_p(right), data, n,
            ctypes.byref(zero), ctypes.c_void_p(result), wide, n, kind.compute, _DEFAULT,
        )  # fmt: skip
        must(code, "cublasGemmEx", precision)

    facts: Facts = {"library": f"cuBLAS {release(number)}", "data": "random"}
    return call, lambda: fault(binding, order, left, right, result), facts


def matrices(order: Order, binding: Binding, owned: ExitStack) -> tuple[int, int, int]:
    """Addresses of two random factors and of room for their product."""
    n, kind = int(order.setup["n"]), KINDS[str(order.setup["precision"])]
    rng = np.random.default_rng(order.seed)
    found = [memory(binding, owned, n * n * SIZES[name]) for name in (kind.factor, kind.factor, kind.result)]
    for address in found[:2]:
        size = SIZES[kind.factor]
        fill(binding, address, values(kind.factor, BLOCK_BYTES // size, rng), n * n * size)
    return found[0], found[1], found[2]


def fault(binding: Binding, order: Order, left: int, right: int, result: int) -> str:
    """What is wrong with the product where some of its rows and columns cross; empty where nothing is."""
    n, kind = int(order.setup["n"]), KINDS[str(order.setup["precision"])]
    rng = np.random.default_rng(order.seed)
    rows, columns = (rng.choice(n, min(CHECKED, n), replace=False) for _ in range(2))

    def column(address: int, name: str, at: int) -> NDArray[np.float64]:
        size = n * SIZES[name]
        return numbers(name, binding.read(address + int(at) * size, size))

    wanted = np.array([column(left, kind.factor, at) for at in rows]) @ np.transpose(
        [column(right, kind.factor, at) for at in columns]
    )
    found = np.array([column(result, kind.result, at)[rows] for at in columns]).T
    off = np.abs(found - wanted)
    if np.linalg.norm(off) <= kind.tolerance * np.linalg.norm(wanted):
        return ""
    i, j = np.unravel_index(int(np.argmax(off)), off.shape)
    return (
        f"the product is wrong: {found[i, j]:g} in row {rows[i]} and column {columns[j]}, where "
        f"{wanted[i, j]:g} has to be"
    )


@cache
def _started(library: str) -> tuple[ctypes.CDLL, ctypes.c_void_p, int]:
    """CuBLAS, a handle and its version; starting takes long and is done once a process."""
    blas, handle, version = load(library), ctypes.c_void_p(), ctypes.c_int()
    must(blas.cublasCreate_v2(ctypes.byref(handle)), "cublasCreate")
    must(blas.cublasGetVersion_v2(handle, ctypes.byref(version)), "cublasGetVersion")
    return blas, handle, version.value


def load(library: str = "", stem: str = "cublas") -> ctypes.CDLL:
    """CuBLAS (or `stem`): by name where the loader finds it, else out of its package.

    Raises:
        Unsupported: it is not here.
    """
    reasons = []
    for path in [library] if library else _candidates(stem):
        try:
            return ctypes.CDLL(path)
        except OSError as error:
            reasons.append(str(error))
    raise Unsupported(f"needs a device with cuBLAS, which cannot be loaded ({reasons[0]}); {REMEDY}")


def _candidates(stem: str) -> list[str]:
    """Those of a newer CUDA than the driver's last: they can be loaded, and do not start."""
    served = os.environ.get(toolkit.SERVES, "")
    newest = int(served) // 1000 if served.isdigit() else max(MAJORS)
    return sorted(_found(stem), key=lambda path: int(path.partition(".so.")[2].split(".")[0]) > newest)


def _found(stem: str) -> Iterator[str]:
    yield from (f"lib{stem}.so.{major}" for major in MAJORS)
    spec = importlib.util.find_spec("nvidia")
    for place in (spec.submodule_search_locations or []) if spec else []:
        yield from (str(path) for path in sorted(Path(place).glob(f"*/lib/lib{stem}.so.[0-9]*")))
    yield from (str(path) for path in sorted(Path("/usr/local").glob(f"cuda*/lib64/lib{stem}.so.[0-9]*")))


def release(number: int) -> str:
    """`131000` -> "13.10"."""
    return f"{number // 10000}.{number // 100 % 100}"


def must(code: int, call: str, precision: str = "") -> None:
    """Raise what a status of cuBLAS means.

    Raises:
        Unsupported: it has no product of `precision` for this device.
        LaunchError: anything else.
    """
    if precision and code in NOT_HERE:
        refuse(precision, f"{call} answers with status {code}")
    if code:
        raise LaunchError(f"{call}: cuBLAS answers with status {code}")


def refuse(precision: str, said: str) -> NoReturn:
    """Raise that cuBLAS has no product of a precision here."""
    raise Unsupported(f"cuBLAS has no {precision.upper()} product for this device ({said})")


def memory(binding: Binding, owned: ExitStack, size: int) -> int:
    """Address of memory that is given back with the rest."""
    address = binding.allocate(size)
    owned.callback(binding.free, address)
    return address


def values(name: str, count: int, rng: np.random.Generator) -> bytes:
    """Random elements: in [0.5, 1), whole ones in [64, 128), 8-bit floats of either sign.

    Matrix instructions for 8-bit floats keep some 14 bits below the largest of what they add up (DeepSeek-V3
    Technical Report, 2024, 3.3.2): in a sum of thousands of one sign the last ones would be lost.
    """
    if name == "int8":
        return rng.integers(64, 128, count, dtype=np.int8).tobytes()
    if name == "fp8":  # the eight codes from 0.5 to 0.9375, and a sign
        signs = rng.integers(0, 2, count, dtype=np.uint8) << 7
        return (rng.integers(0x30, 0x38, count, dtype=np.uint8) | signs).tobytes()
    found = 0.5 + rng.random(count) / 2
    if name == "bf16":
        return (found.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16).tobytes()
    return found.astype(_NUMPY[name]).tobytes()


def numbers(name: str, data: bytes) -> NDArray[np.float64]:
    """What elements hold."""
    if name == "bf16":
        return (np.frombuffer(data, np.uint16).astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    if name == "fp8":
        return E4M3[np.frombuffer(data, np.uint8)]
    return np.frombuffer(data, _NUMPY[name]).astype(np.float64)


_NUMPY: dict[str, type[np.generic]] = {
    "fp64": np.float64,
    "fp32": np.float32,
    "fp16": np.float16,
    "int8": np.int8,
    "int32": np.int32,
}


def _e4m3() -> NDArray[np.float64]:
    """Value of each code: sign, 4 bits of exponent (bias 7), 3 of mantissa; no infinity, two NaN.

    "OCP 8-bit Floating Point Specification (OFP8)", 1.0, 2023.
    """
    codes = np.arange(256)
    exponent, mantissa = codes >> 3 & 15, codes & 7
    size = np.where(exponent == 0, mantissa * 2.0**-9, (8 + mantissa) * 2.0 ** (exponent - 10))
    size[codes & 127 == 127] = np.nan
    return np.where(codes & 128, -size, size)


E4M3 = _e4m3()
