"""A square matrix product of 8-bit floats (E4M3) by `cublasLtMatmul`, with the heuristic's first algorithm.

cuBLAS documentation, "cublasLtMatmul()", 8-bit floating point data types: A is transposed and B is not;
pointers lie at multiples of 16 bytes, and so do the leading dimensions; it computes and scales in FP32, and
stores BF16.  Sums are not moved to FP32 on their way (`FAST_ACCUM`): the matrix instruction by itself, whose
rate this one is compared with, does not do so either.

Values of the constants: `cublasLt.h` of CUDA 13.
"""

from __future__ import annotations

import ctypes
import struct
from contextlib import ExitStack
from functools import cache
from typing import Any

from reportgen.backends.base import Order
from reportgen.backends.cuda import vendor_gemm
from reportgen.backends.cuda.binding import Binding
from reportgen.backends.cuda.vendor_gemm import (
    DATA,
    KINDS,
    PLAIN,
    TRANSPOSED,
    Facts,
    Routine,
    fault,
    matrices,
    memory,
    must,
    refuse,
    release,
)

STEM = "cublasLt"
TRANSA, TRANSB, A_SCALE, B_SCALE, FAST_ACCUM = 3, 4, 17, 18, 25
"""`cublasLtMatmulDescAttributes_t`."""
MAX_WORKSPACE = 1
"""`cublasLtMatmulPreferenceAttributes_t`."""
WORKSPACE = 32 << 20
"""Bytes; what the documentation advises for Hopper and later devices."""


class Algorithm(ctypes.Structure):
    """`cublasLtMatmulHeuristicResult_t`."""

    _fields_ = (
        ("algo", ctypes.c_uint64 * 8),
        ("workspace", ctypes.c_size_t),
        ("state", ctypes.c_int),
        ("waves", ctypes.c_float),
        ("reserved", ctypes.c_int * 4),
    )


_POINTER, _INT, _SIZE = ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t
ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "cublasLtCreate": (_POINTER,),
    "cublasLtMatmulDescCreate": (_POINTER, _INT, _INT),
    "cublasLtMatmulDescSetAttribute": (_POINTER, _INT, _POINTER, _SIZE),
    "cublasLtMatmulDescDestroy": (_POINTER,),
    "cublasLtMatrixLayoutCreate": (_POINTER, _INT, ctypes.c_uint64, ctypes.c_uint64, ctypes.c_int64),
    "cublasLtMatrixLayoutDestroy": (_POINTER,),
    "cublasLtMatmulPreferenceCreate": (_POINTER,),
    "cublasLtMatmulPreferenceSetAttribute": (_POINTER, _INT, _POINTER, _SIZE),
    "cublasLtMatmulPreferenceDestroy": (_POINTER,),
    "cublasLtMatmulAlgoGetHeuristic": (*[_POINTER] * 7, _INT, _POINTER, _POINTER),
    "cublasLtMatmul": (*[_POINTER] * 14, _SIZE, _POINTER),
}
"""Call -> types of what it takes; all answer with a status."""


def product(order: Order, binding: Binding, owned: ExitStack, library: str = "") -> Routine:
    """A product of `n` and `precision` of the set-up, ready to be called.

    Raises:
        Unsupported: cuBLASLt is not here, or has none for this device.
        LaunchError: it refuses.
        MemoryError: the device is full.
    """
    n, precision = int(order.setup["n"]), str(order.setup["precision"])
    kind = KINDS[precision]
    lt, handle, number = _started(library)
    left, right, result = matrices(order, binding, owned)
    scale = memory(binding, owned, 16)
    binding.write(scale, struct.pack("<f", 1.0))
    room = memory(binding, owned, WORKSPACE)
    operation = _made(lt, owned, "MatmulDesc", kind.compute, DATA["fp32"])
    for attribute, value in (
        (TRANSA, ctypes.c_int32(TRANSPOSED)),
        (TRANSB, ctypes.c_int32(PLAIN)),
        (A_SCALE, ctypes.c_uint64(scale)),
        (B_SCALE, ctypes.c_uint64(scale)),
        (FAST_ACCUM, ctypes.c_int8(1)),
    ):
        _set(lt, "MatmulDesc", operation, attribute, value)
    factor = _made(lt, owned, "MatrixLayout", DATA[kind.factor], n, n, n)
    whole = _made(lt, owned, "MatrixLayout", DATA[kind.result], n, n, n)
    chosen = _chosen(lt, handle, owned, precision, (operation, factor, factor, whole, whole))
    one, zero = kind.scalar(1), kind.scalar(0)

    def call() -> None:
        code = lt.cublasLtMatmul(
            handle, operation, ctypes.byref(one), left, factor, right, factor,
            ctypes.byref(zero), result, whole, result, whole,
            ctypes.byref(chosen.algo), room, WORKSPACE, None,
        )  # fmt: skip
        must(code, "cublasLtMatmul", precision)

    facts: Facts = {"library": f"cuBLASLt {release(number)}", "data": "random", "waves": float(chosen.waves)}
    return call, lambda: fault(binding, order, left, right, result), facts


def _chosen(
    lt: ctypes.CDLL, handle: ctypes.c_void_p, owned: ExitStack, precision: str, asked: tuple[Any, ...]
) -> Algorithm:
    """The algorithm that the heuristic puts first.

    Raises:
        Unsupported: it knows none.
        LaunchError: it refuses.
    """
    preference = _made(lt, owned, "MatmulPreference")
    _set(lt, "MatmulPreference", preference, MAX_WORKSPACE, ctypes.c_uint64(WORKSPACE))
    found, count = Algorithm(), ctypes.c_int()
    call = "cublasLtMatmulAlgoGetHeuristic"
    code = getattr(lt, call)(handle, *asked, preference, 1, ctypes.byref(found), ctypes.byref(count))
    must(code, call, precision)
    if not count.value:
        refuse(precision, f"{call} knows no algorithm")
    must(found.state, call, precision)
    return found


def _made(lt: ctypes.CDLL, owned: ExitStack, what: str, *arguments: int) -> ctypes.c_void_p:
    """A descriptor, which is given back with the rest."""
    made = ctypes.c_void_p()
    must(getattr(lt, f"cublasLt{what}Create")(ctypes.byref(made), *arguments), f"cublasLt{what}Create")
    owned.callback(getattr(lt, f"cublasLt{what}Destroy"), made)
    return made


def _set(lt: ctypes.CDLL, what: str, which: ctypes.c_void_p, attribute: int, value: Any) -> None:
    call = f"cublasLt{what}SetAttribute"
    must(getattr(lt, call)(which, attribute, ctypes.byref(value), ctypes.sizeof(value)), call)


@cache
def _started(library: str) -> tuple[ctypes.CDLL, ctypes.c_void_p, int]:
    """CuBLASLt, a handle and its version; starting takes long and is done once a process."""
    lt, handle = vendor_gemm.load(library, STEM), ctypes.c_void_p()
    for name, arguments in ARGUMENTS.items():
        getattr(lt, name).argtypes = arguments
    lt.cublasLtGetVersion.restype = ctypes.c_size_t
    must(lt.cublasLtCreate(ctypes.byref(handle)), "cublasLtCreate")
    return lt, handle, int(lt.cublasLtGetVersion())
