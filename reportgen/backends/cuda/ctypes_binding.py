"""The CUDA driver through ctypes: no package, nothing to build.

Names with `_v2` are what `cuda.h` makes of the plain ones; older entry points take 32-bit sizes.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from reportgen.backends.cuda.binding import (
    MAP_BYTES,
    WORD,
    Argument,
    Handle,
    HostMemory,
    Shape,
    TensorTile,
    fail,
)
from reportgen.backends.cuda.driver import LIBRARY
from reportgen.backends.cuda.results import NOT_SUPPORTED
from reportgen.errors import DeviceLost, Unsupported

MAPPED = 2
"""`CU_MEMHOSTALLOC_DEVICEMAP`."""
_LINEAR, _UNSIGNED_32, _AS_INTEGER = 2, 3, 1
_RESOURCE_WORDS, _TEXTURE_WORDS = 36, 26
"""32-bit words of `CUDA_RESOURCE_DESC` and `CUDA_TEXTURE_DESC`."""
ENCODE = "cuTensorMapEncodeTiled"
RESIDENT = "cuOccupancyMaxActiveBlocksPerMultiprocessor"
_MAP_UNSIGNED_32, _MAP_ALIGNMENT = 2, 64
_NO_INTERLEAVE, _ZEROS_OUTSIDE = 0, 0
_SWIZZLES = {0: 0, 32: 1, 64: 2, 128: 3}
"""Bytes of a row -> `CUtensorMapSwizzle`."""
_PROMOTIONS = {0: 0, 64: 1, 128: 2, 256: 3}
"""Bytes -> `CUtensorMapL2promotion`."""


class CtypesBinding:
    """See `Binding`.

    Args:
        library: name or path of the driver's library.

    Raises:
        ImportError: it cannot be loaded.
    """

    name = "ctypes"

    def __init__(self, library: str = LIBRARY) -> None:
        try:
            self._driver = ctypes.CDLL(library)
        except OSError as error:
            raise ImportError(str(error)) from error
        self._device = 0
        self._open = False

    def _call(self, function: str, *arguments: Any) -> None:
        try:
            entry = getattr(self._driver, function)
        except AttributeError:
            fail(801, function)
        code = int(entry(*arguments))
        if code:
            fail(code, function)

    def _give_back(self, function: str, *arguments: Any) -> None:
        with suppress(DeviceLost):
            self._call(function, *arguments)

    def open(self, number: int) -> None:
        """Initialise, and make the primary context of device `number` current in this thread."""
        self.initialise()
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self._call("cuDeviceGet", ctypes.byref(device), number)
        self._device = device.value
        self._call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self._call("cuCtxSetCurrent", context)
        self._open = True

    def initialise(self) -> None:
        """Start the driver."""
        self._call("cuInit", 0)

    def spoilt(self) -> int:
        """The code of a sticky error, with which the context answers to everything since; 0: it is sound."""
        return int(self._driver.cuCtxSynchronize())

    def adopt(self, device: int) -> None:
        """Work in the context that is current already, which another binding made."""
        self._device = device

    def close(self) -> None:
        """Release the primary context."""
        if self._open:
            self._open = False
            self._call("cuDevicePrimaryCtxRelease_v2", self._device)

    def attribute(self, which: int) -> int:
        """A device attribute."""
        value = ctypes.c_int()
        self._call("cuDeviceGetAttribute", ctypes.byref(value), which, self._device)
        return value.value

    def load(self, cubin: bytes) -> Handle:
        """A module."""
        module = ctypes.c_void_p()
        self._call("cuModuleLoadData", ctypes.byref(module), cubin)
        return module

    def function(self, module: Handle, name: str) -> Handle:
        """A kernel of a module."""
        function = ctypes.c_void_p()
        self._call("cuModuleGetFunction", ctypes.byref(function), module, name.encode())
        return function

    def function_attribute(self, function: Handle, which: int) -> int:
        """An attribute of a kernel."""
        value = ctypes.c_int()
        self._call("cuFuncGetAttribute", ctypes.byref(value), which, function)
        return value.value

    def set_function_attribute(self, function: Handle, which: int, value: int) -> None:
        """Ask for more dynamic shared memory, or for a carve-out."""
        self._call("cuFuncSetAttribute", function, which, value)

    def resident(self, function: Handle, threads: int, shared: int) -> int:
        """Blocks of a kernel that one multiprocessor holds, as the driver works it out."""
        value = ctypes.c_int()
        self._call(RESIDENT, ctypes.byref(value), function, threads, ctypes.c_size_t(shared))
        return value.value

    def variable(self, module: Handle, name: str) -> tuple[int, int]:
        """(address, bytes) of a variable of a module."""
        address, size = ctypes.c_uint64(), ctypes.c_size_t()
        self._call("cuModuleGetGlobal_v2", ctypes.byref(address), ctypes.byref(size), module, name.encode())
        return address.value, size.value

    def allocate(self, size: int) -> int:
        """Address of new memory."""
        address = ctypes.c_uint64()
        self._call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(size))
        return address.value

    def free(self, address: int) -> None:
        """Give memory back."""
        self._give_back("cuMemFree_v2", ctypes.c_uint64(address))

    def write(self, address: int, data: bytes) -> None:
        """Host to device."""
        self._call("cuMemcpyHtoD_v2", ctypes.c_uint64(address), data, ctypes.c_size_t(len(data)))

    def read(self, address: int, size: int) -> bytes:
        """Device to host."""
        buffer = ctypes.create_string_buffer(size)
        self._call("cuMemcpyDtoH_v2", buffer, ctypes.c_uint64(address), ctypes.c_size_t(size))
        return buffer.raw

    def fill(self, address: int, word: int, words: int) -> None:
        """The same 32-bit word everywhere."""
        self._call("cuMemsetD32_v2", ctypes.c_uint64(address), ctypes.c_uint(word), ctypes.c_size_t(words))

    def copy(self, target: int, source: int, size: int) -> None:
        """Device to device."""
        self._call("cuMemcpyDtoD_v2", ctypes.c_uint64(target), ctypes.c_uint64(source), ctypes.c_size_t(size))

    def host_memory(self, size: int) -> HostMemory:
        """New memory of the host, page-locked and mapped to the device."""
        address = ctypes.c_void_p()
        self._call("cuMemHostAlloc", ctypes.byref(address), ctypes.c_size_t(size), MAPPED)
        return HostMemory(address.value or 0, size)

    def free_host(self, memory: HostMemory) -> None:
        """Give page-locked memory back."""
        self._give_back("cuMemFreeHost", ctypes.c_void_p(memory.address))

    def mapped(self, memory: HostMemory) -> int:
        """Address of page-locked memory for kernels."""
        address = ctypes.c_uint64()
        self._call("cuMemHostGetDevicePointer_v2", ctypes.byref(address), ctypes.c_void_p(memory.address), 0)
        return address.value

    def stream(self) -> Handle:
        """An order of copies of its own, which waits for the kernels that were started before."""
        stream = ctypes.c_void_p()
        self._call("cuStreamCreate", ctypes.byref(stream), 0)
        return stream

    def end_stream(self, stream: Handle) -> None:
        """Give a stream back."""
        self._give_back("cuStreamDestroy_v2", stream)

    def send(self, target: int, source: HostMemory, stream: Handle) -> None:
        """Host to device, in the order of a stream."""
        place, size = ctypes.c_void_p(source.address), ctypes.c_size_t(source.size)
        self._call("cuMemcpyHtoDAsync_v2", ctypes.c_uint64(target), place, size, stream)

    def fetch(self, target: HostMemory, source: int, stream: Handle) -> None:
        """Device to host, in the order of a stream."""
        place, size = ctypes.c_void_p(target.address), ctypes.c_size_t(target.size)
        self._call("cuMemcpyDtoHAsync_v2", place, ctypes.c_uint64(source), size, stream)

    def launch(
        self, function: Handle, grid: Shape, block: Shape, shared: int, arguments: Sequence[Argument]
    ) -> None:
        """Start a kernel; does not wait for it."""
        values, pointers = packed(arguments)
        self._call("cuLaunchKernel", function, *grid, *block, shared, None, pointers, None)
        del values  # the driver has copied them

    def synchronize(self) -> None:
        """Wait for all that was started."""
        self._call("cuCtxSynchronize")

    def event(self) -> Handle:
        """A mark in the order of launches."""
        event = ctypes.c_void_p()
        self._call("cuEventCreate", ctypes.byref(event), 0)
        return event

    def end_event(self, event: Handle) -> None:
        """Give a mark back."""
        self._give_back("cuEventDestroy_v2", event)

    def record(self, event: Handle, stream: Handle = None) -> None:
        """Put the mark here, or into a stream."""
        self._call("cuEventRecord", event, stream)

    def milliseconds(self, start: Handle, stop: Handle) -> float:
        """Time between two marks that have passed."""
        value = ctypes.c_float()
        newer = hasattr(self._driver, "cuEventElapsedTime_v2")
        name = "cuEventElapsedTime_v2" if newer else "cuEventElapsedTime"
        self._call(name, ctypes.byref(value), start, stop)
        return value.value

    def texture(self, address: int, size: int) -> int:
        """A texture object over 32-bit words, read as integers."""
        resource = (ctypes.c_uint32 * _RESOURCE_WORDS)()
        resource[0] = _LINEAR
        ctypes.c_uint64.from_buffer(resource, 8).value = address
        resource[4], resource[5] = _UNSIGNED_32, 1
        ctypes.c_uint64.from_buffer(resource, 24).value = size
        description = (ctypes.c_uint32 * _TEXTURE_WORDS)()
        description[4] = _AS_INTEGER
        made = ctypes.c_uint64()
        self._call("cuTexObjectCreate", ctypes.byref(made), resource, description, None)
        return made.value

    def end_texture(self, texture: int) -> None:
        """Give a texture object back."""
        self._give_back("cuTexObjectDestroy", ctypes.c_uint64(texture))

    def tensor_map(self, tile: TensorTile) -> int:
        """A tile of 32-bit words for the copy unit (CUDA Driver API, "Tensor Map Object Management").

        Raises:
            Unsupported: the driver has no such call, or says that it makes none here.
        """
        encode = getattr(self._driver, ENCODE, None)
        if encode is None:
            raise Unsupported(
                f"copies by tensor map: this driver has no {ENCODE}, that of CUDA 12.0 is the first"
            )
        room = ctypes.create_string_buffer(2 * MAP_BYTES)
        aligned = -(-ctypes.addressof(room) // _MAP_ALIGNMENT) * _MAP_ALIGNMENT
        code = int(
            encode(
                ctypes.c_void_p(aligned),
                _MAP_UNSIGNED_32,
                2,
                ctypes.c_void_p(tile.address),
                (ctypes.c_uint64 * 2)(tile.width or tile.columns, tile.rows),
                (ctypes.c_uint64 * 1)(tile.pitch),
                (ctypes.c_uint32 * 2)(tile.columns, tile.rows),
                (ctypes.c_uint32 * 2)(1, 1),
                _NO_INTERLEAVE,
                _SWIZZLES[tile.swizzle],
                _PROMOTIONS[tile.promotion],
                _ZEROS_OUTSIDE,
            )
        )
        if code == NOT_SUPPORTED:
            raise Unsupported(f"copies by tensor map: {ENCODE} says that this device or driver has none")
        if code:
            fail(code, ENCODE)
        return int.from_bytes(ctypes.string_at(aligned, MAP_BYTES), "little")


def packed(arguments: Sequence[Argument]) -> tuple[list[Any], Any]:
    """What `cuLaunchKernel` takes: values that must outlive the call, and the array of their addresses."""
    values: list[Any] = [
        ctypes.c_uint64(value)
        if size <= WORD
        else (ctypes.c_uint64 * (size // WORD)).from_buffer_copy(value.to_bytes(size, "little"))
        for value, size in arguments
    ]
    return values, (ctypes.c_void_p * max(1, len(values)))(*map(ctypes.addressof, values))
