"""Codes with which the CUDA driver answers: what each means for a point, and what to do about it.

One table for every binding; names and numbers are those of `CUresult` in `cuda.h`.
"""

from __future__ import annotations

from reportgen.backends.cuda.driver import REASONS

OUT_OF_MEMORY = 2
NOT_PERMITTED = 800
NOT_SUPPORTED = 801
INVALID_CLUSTER = 912

MEANINGS: dict[int, tuple[str, str]] = {
    1: ("CUDA_ERROR_INVALID_VALUE", "a call was given a value it does not take"),
    2: ("CUDA_ERROR_OUT_OF_MEMORY", "the device has not enough free memory for what is asked"),
    3: ("CUDA_ERROR_NOT_INITIALIZED", "the driver was not initialised"),
    46: (
        "CUDA_ERROR_DEVICE_UNAVAILABLE",
        "the device is taken: another process holds it exclusively, or its compute mode forbids use",
    ),
    200: (
        "CUDA_ERROR_INVALID_IMAGE",
        "the driver does not take the cubin; if it is older than the compiler, use that of its version",
    ),
    201: ("CUDA_ERROR_INVALID_CONTEXT", "there is no context"),
    209: ("CUDA_ERROR_NO_BINARY_FOR_GPU", "the cubin is for another target than this device"),
    214: ("CUDA_ERROR_ECC_UNCORRECTABLE", "device memory had an error that ECC could not correct"),
    218: ("CUDA_ERROR_INVALID_PTX", "the driver does not take the program"),
    220: ("CUDA_ERROR_NVLINK_UNCORRECTABLE", "a link between devices had an error"),
    222: (
        "CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
        "the driver is older than the compiler; update it, or install the compiler of its CUDA version",
    ),
    226: ("CUDA_ERROR_CONTAINED", "the device had an error that was contained"),
    300: (
        "CUDA_ERROR_INVALID_SOURCE",
        "the driver does not take the cubin; it may be older than the compiler",
    ),
    400: ("CUDA_ERROR_INVALID_HANDLE", "a handle is not valid"),
    500: ("CUDA_ERROR_NOT_FOUND", "the cubin has no such symbol"),
    600: ("CUDA_ERROR_NOT_READY", "the kernel has not ended yet"),
    700: ("CUDA_ERROR_ILLEGAL_ADDRESS", "the kernel touched memory that is not its own"),
    701: (
        "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES",
        "a block needs more registers or shared memory than there are",
    ),
    702: (
        "CUDA_ERROR_LAUNCH_TIMEOUT",
        "the kernel ran into the watchdog of a card with a display attached; use a card without one",
    ),
    709: ("CUDA_ERROR_CONTEXT_IS_DESTROYED", "the context is gone"),
    710: ("CUDA_ERROR_ASSERT", "an assertion in the kernel failed"),
    714: ("CUDA_ERROR_HARDWARE_STACK_ERROR", "the device found an error in a call stack"),
    715: ("CUDA_ERROR_ILLEGAL_INSTRUCTION", "the device does not know an instruction"),
    716: ("CUDA_ERROR_MISALIGNED_ADDRESS", "the kernel touched a misaligned address"),
    717: ("CUDA_ERROR_INVALID_ADDRESS_SPACE", "the kernel used an address of another memory space"),
    718: ("CUDA_ERROR_INVALID_PC", "the kernel ran out of its code"),
    719: ("CUDA_ERROR_LAUNCH_FAILED", "the kernel failed while it ran"),
    720: ("CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE", "more blocks than the device holds at a time"),
    721: ("CUDA_ERROR_TENSOR_MEMORY_LEAK", "the kernel left tensor memory that it had taken"),
    800: (
        "CUDA_ERROR_NOT_PERMITTED",
        "the driver does not permit it (another process or an administrator may have restricted the device)",
    ),
    801: ("CUDA_ERROR_NOT_SUPPORTED", "this device or driver does not have it"),
    810: ("CUDA_ERROR_MPS_CLIENT_TERMINATED", "the server that shares the device ended this process's part"),
    912: (
        "CUDA_ERROR_INVALID_CLUSTER_SIZE",
        "no part of this device holds a cluster of so many blocks of this kernel",
    ),
    999: ("CUDA_ERROR_UNKNOWN", "the driver fails for a reason it does not name"),
}
"""Code -> name, and what it says of a point."""

STICKY = frozenset({46, 214, 220, 226, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719, 721, 810, 999})
"""After these every further call in the process fails: only a fresh process can go on."""


def explain(code: int, call: str) -> str:
    """One line: call, name, meaning and, for a driver that does not start, the remedy."""
    if code in REASONS and (code not in MEANINGS or call == "cuInit"):
        reason, remedy = REASONS[code]
        return f"{call}: {reason} (error {code}). {remedy}"
    name, meaning = MEANINGS.get(code, ("", "the driver answers with a code not known here"))
    if code == OUT_OF_MEMORY and call.startswith("cuMemHost"):
        meaning = "the host has not so much memory that may be page-locked"
    return f"{call}: {meaning} ({name or 'error'} {code})"
