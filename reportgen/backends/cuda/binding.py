"""The little that is needed of the CUDA driver, and which Python binding gives it.

Three bindings stand behind one interface, and the first that works is taken:

pycuda          the first choice where it is installed
cuda-bindings   NVIDIA's own
ctypes          on `libcuda.so.1`; needs no package, and completes the others where they lack a call

`REPORTGEN_CUDA_BINDING` names one of them to have no other.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any, NoReturn, Protocol

from reportgen.backends.cuda import results
from reportgen.errors import BackendUnavailable, DeviceLost, LaunchError, Unsupported, UserError

VARIABLE = "REPORTGEN_CUDA_BINDING"

Handle = Any
"""Module, function or event, as the binding has it."""
Shape = tuple[int, int, int]
Argument = tuple[int, int]
"""What a kernel takes (address, handle, count, tensor map), as a whole number, and its bytes: 4, 8 or 128."""

WORD = 8
"""Bytes of the largest argument that is not a structure."""
MAP_BYTES = 128
"""Of a tensor map."""

MULTIPROCESSORS, PCI_BUS, PCI_DEVICE, SECOND_LEVEL, PCI_DOMAIN = 16, 33, 34, 38, 50
"""Attributes of a device (`CUdevice_attribute`)."""

SHARED_BYTES, DYNAMIC_SHARED, CARVE_OUT, ANY_CLUSTER = 1, 8, 9, 14
"""Attributes of a function (`CUfunction_attribute`)."""
ALL_SHARED, ALL_CACHE = 100, 0
"""Carve-out, in per cent: as much shared memory as there is, the rest to the first cache; or the other way
round.  A kernel that prefers neither is launched with what the one before it left (CUDA Driver API,
`cuCtxSetCacheConfig`, `CU_FUNC_CACHE_PREFER_NONE`)."""


@dataclass(frozen=True)
class TensorTile:
    """What a tensor map says: a tile of 32-bit words, cut out of a matrix."""

    address: int
    """Of the matrix, a multiple of 16."""
    columns: int
    """Of the tile, words."""
    rows: int
    """Of the tile and of the matrix."""
    pitch: int
    """Bytes from one row to the next."""
    width: int = 0
    """Columns of the matrix; 0: those of the tile."""
    swizzle: int = 0
    """Bytes of a row (32, 64, 128) whose 16-byte pieces change places; 0: none do."""
    promotion: int = 0
    """Bytes (64, 128, 256) that a miss brings into the second level; 0: what it asks for."""


@dataclass(frozen=True)
class HostMemory:
    """Memory of the host that the driver copies to or from."""

    address: int
    """As the host sees it."""
    size: int
    own: Any = None
    """What keeps it alive."""


class Writer(Protocol):
    """What puts bytes where kernels find them."""

    def write(self, address: int, data: bytes) -> None:
        """Bytes of the host to an address."""

    def copy(self, target: int, source: int, size: int) -> None:
        """From one address to another."""


class Binding(Protocol):
    """The driver for one device; every call raises what `fail` raises.

    Addresses and sizes are in bytes.  What gives something back says nothing of a context that is spoilt:
    all goes with it, and what spoilt it has been told.
    """

    name: str

    def open(self, number: int) -> None:
        """Initialise, and make the primary context of device `number` current in this thread."""

    def close(self) -> None:
        """Release the primary context."""

    def attribute(self, which: int) -> int:
        """A device attribute."""

    def load(self, cubin: bytes) -> Handle:
        """A module.  None is given back: a plan has some twenty of them, of a few megabytes together."""

    def function(self, module: Handle, name: str) -> Handle:
        """A kernel of a module."""

    def function_attribute(self, function: Handle, which: int) -> int:
        """An attribute of a kernel."""

    def set_function_attribute(self, function: Handle, which: int, value: int) -> None:
        """Ask for more dynamic shared memory, or for a carve-out."""

    def resident(self, function: Handle, threads: int, shared: int) -> int:
        """Blocks of so many threads and bytes of dynamic shared memory that one multiprocessor holds."""

    def variable(self, module: Handle, name: str) -> tuple[int, int]:
        """(address, bytes) of a variable of a module."""

    def allocate(self, size: int) -> int:
        """Address of new memory."""

    def free(self, address: int) -> None:
        """Give memory back."""

    def write(self, address: int, data: bytes) -> None:
        """Host to device."""

    def read(self, address: int, size: int) -> bytes:
        """Device to host."""

    def fill(self, address: int, word: int, words: int) -> None:
        """The same 32-bit word everywhere."""

    def copy(self, target: int, source: int, size: int) -> None:
        """Device to device."""

    def host_memory(self, size: int) -> HostMemory:
        """New memory of the host, page-locked and mapped to the device."""

    def free_host(self, memory: HostMemory) -> None:
        """Give page-locked memory back."""

    def mapped(self, memory: HostMemory) -> int:
        """Address of page-locked memory for kernels."""

    def stream(self) -> Handle:
        """An order of copies of its own, which waits for the kernels that were started before."""

    def end_stream(self, stream: Handle) -> None:
        """Give a stream back, when what it was for has passed."""

    def send(self, target: int, source: HostMemory, stream: Handle) -> None:
        """All of it to the device, in the order of a stream; of page-locked memory it does not wait."""

    def fetch(self, target: HostMemory, source: int, stream: Handle) -> None:
        """As much as it holds from the device, likewise."""

    def launch(
        self, function: Handle, grid: Shape, block: Shape, shared: int, arguments: Sequence[Argument]
    ) -> None:
        """Start a kernel; does not wait for it."""

    def synchronize(self) -> None:
        """Wait for all that was started."""

    def event(self) -> Handle:
        """A mark in the order of launches."""

    def end_event(self, event: Handle) -> None:
        """Give a mark back."""

    def record(self, event: Handle, stream: Handle = None) -> None:
        """Put the mark here, or into a stream."""

    def milliseconds(self, start: Handle, stop: Handle) -> float:
        """Time between two marks that have passed."""

    def texture(self, address: int, size: int) -> int:
        """A texture object over 32-bit words."""

    def end_texture(self, texture: int) -> None:
        """Give a texture object back, before the memory under it."""

    def tensor_map(self, tile: TensorTile) -> int:
        """A tile for the copy unit: an argument of `MAP_BYTES`.

        Raises:
            Unsupported: the driver makes none.
        """


def fail(code: int, call: str) -> NoReturn:
    """Raise what a code of the driver means.

    Raises:
        DeviceLost: this process can do nothing with the device any more.
        MemoryError: the device is out of memory.
        PermissionError: the driver refuses.
        Unsupported: no cluster of this size fits into any part of the device.
        LaunchError: anything else.
    """
    text = results.explain(code, call)
    if code in results.STICKY:
        raise DeviceLost(text)
    if code == results.OUT_OF_MEMORY:
        raise MemoryError(text)
    if code == results.NOT_PERMITTED:
        raise PermissionError(text)
    if code == results.INVALID_CLUSTER:
        raise Unsupported(text)
    raise LaunchError(text)


BINDINGS: dict[str, tuple[str, str, str]] = {
    "pycuda": ("reportgen.backends.cuda.pycuda_binding", "PycudaBinding", "pycuda"),
    "cuda-bindings": (
        "reportgen.backends.cuda.cuda_bindings_binding",
        "CudaBindingsBinding",
        "cuda-bindings",
    ),
    "ctypes": ("reportgen.backends.cuda.ctypes_binding", "CtypesBinding", ""),
}
"""Name -> module, class, package; in order of preference."""

REMEDIES: tuple[tuple[str, str], ...] = (
    ("libcuda.so.1", "install the NVIDIA driver; in a container, start it with GPU access (--gpus all)"),
    (
        "curand",
        (
            "pycuda was built without cuRAND's header curand.h: build it with CUDA_ENABLE_CURAND = False in "
            "~/.aksetup-defaults.py"
        ),
    ),
    (
        "undefined symbol",
        (
            "pycuda was built with the headers of a newer CUDA than the driver serves: build it with those "
            "of the driver's version, or pip install cuda-bindings"
        ),
    ),
    (
        "No module named 'pycuda'",
        (
            "pip install pycuda; where curand.h is missing put CUDA_ENABLE_CURAND = False into "
            "~/.aksetup-defaults.py first. Nothing needs it: another binding is used"
        ),
    ),
    ("No module named 'cuda", "pip install cuda-bindings. Nothing needs it: another binding is used"),
)
"""Words of an import error -> what to do."""


def remedy(error: str) -> str:
    """What to do about an import error of a binding; empty where nothing is known."""
    return next((text for words, text in REMEDIES if words.lower() in error.lower()), "")


def choose() -> Binding:
    """The first binding that can be loaded.

    Raises:
        UserError: the variable names none that is known.
        BackendUnavailable: none can be loaded, with the reason of each.
    """
    wanted = os.environ.get(VARIABLE, "")
    if wanted and wanted not in BINDINGS:
        raise UserError(f"{VARIABLE} is '{wanted}'.", f"Set it to one of {', '.join(BINDINGS)}.")
    missing = []
    for name in [wanted] if wanted else BINDINGS:
        module, kind, _ = BINDINGS[name]
        try:
            made: Binding = getattr(import_module(module), kind)()
        except (ImportError, OSError) as error:  # a driver that answers, and says no, is no ImportError
            missing.append(f"{name}: {error}")
            continue
        return made
    reason = missing[-1]
    what = remedy(reason)
    raise BackendUnavailable(
        f"the CUDA driver cannot be used ({reason}).", f"{what[:1].upper()}{what[1:]}." if what else ""
    )


def available() -> list[tuple[str, str, str]]:
    """(name, version or empty, why it cannot be loaded) of every binding."""
    rows = []
    for name, (module, kind, package) in BINDINGS.items():
        try:
            getattr(import_module(module), kind)()
            reason = ""
        except (ImportError, OSError) as error:
            reason = str(error)
        try:
            release = version(package) if package else ""
        except PackageNotFoundError:
            release = ""
        rows.append((name, release, reason))
    return rows
