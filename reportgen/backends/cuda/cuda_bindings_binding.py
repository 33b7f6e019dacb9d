"""The CUDA driver through NVIDIA's cuda-bindings, whose functions answer with a tuple (code, results...)."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from reportgen.backends.cuda.binding import WORD, Argument, Handle, HostMemory, Shape, TensorTile, fail
from reportgen.backends.cuda.ctypes_binding import MAPPED, CtypesBinding, packed
from reportgen.errors import DeviceLost


class CudaBindingsBinding:
    """See `Binding`.

    Raises:
        ImportError: the package is not installed, or `libcuda.so.1` cannot be loaded.
    """

    name = "cuda-bindings"

    def __init__(self) -> None:
        from cuda.bindings import driver

        # The package itself loads the driver at the first call, and may then hang: ask before.
        self._rest = CtypesBinding()
        self._cuda: Any = driver
        self._device: Any = None

    def _call(self, function: str, *arguments: Any) -> Any:
        code, *values = getattr(self._cuda, function)(*arguments)
        if int(code):
            fail(int(code), function)
        return values[0] if len(values) == 1 else tuple(values)

    def _give_back(self, function: str, what: Any) -> None:
        with suppress(DeviceLost):
            self._call(function, what)

    def open(self, number: int) -> None:
        """Initialise, and make the primary context of device `number` current in this thread."""
        self._call("cuInit", 0)
        self._device = self._call("cuDeviceGet", number)
        context = self._call("cuDevicePrimaryCtxRetain", self._device)
        self._call("cuCtxSetCurrent", context)
        self._rest.adopt(number)

    def close(self) -> None:
        """Release the primary context."""
        if self._device is not None:
            device, self._device = self._device, None
            self._call("cuDevicePrimaryCtxRelease", device)

    def attribute(self, which: int) -> int:
        """A device attribute, by number."""
        return self._rest.attribute(which)

    def load(self, cubin: bytes) -> Handle:
        """A module."""
        return self._call("cuModuleLoadData", cubin)

    def function(self, module: Handle, name: str) -> Handle:
        """A kernel of a module."""
        return self._call("cuModuleGetFunction", module, name.encode())

    def function_attribute(self, function: Handle, which: int) -> int:
        """An attribute of a kernel."""
        named = self._cuda.CUfunction_attribute(which)
        return int(self._call("cuFuncGetAttribute", named, function))

    def set_function_attribute(self, function: Handle, which: int, value: int) -> None:
        """Ask for more dynamic shared memory, or for a carve-out."""
        self._call("cuFuncSetAttribute", function, self._cuda.CUfunction_attribute(which), value)

    def resident(self, function: Handle, threads: int, shared: int) -> int:
        """Blocks of a kernel that one multiprocessor holds, as the driver works it out."""
        return int(self._call("cuOccupancyMaxActiveBlocksPerMultiprocessor", function, threads, shared))

    def variable(self, module: Handle, name: str) -> tuple[int, int]:
        """(address, bytes) of a variable of a module."""
        address, size = self._call("cuModuleGetGlobal", module, name.encode())
        return int(address), int(size)

    def allocate(self, size: int) -> int:
        """Address of new memory."""
        return int(self._call("cuMemAlloc", size))

    def free(self, address: int) -> None:
        """Give memory back."""
        self._give_back("cuMemFree", address)

    def write(self, address: int, data: bytes) -> None:
        """Host to device."""
        self._call("cuMemcpyHtoD", address, data, len(data))

    def read(self, address: int, size: int) -> bytes:
        """Device to host."""
        buffer = bytearray(size)
        place = ctypes.addressof((ctypes.c_char * size).from_buffer(buffer))
        self._call("cuMemcpyDtoH", place, address, size)
        return bytes(buffer)

    def fill(self, address: int, word: int, words: int) -> None:
        """The same 32-bit word everywhere."""
        self._call("cuMemsetD32", address, word, words)

    def copy(self, target: int, source: int, size: int) -> None:
        """Device to device."""
        self._call("cuMemcpyDtoD", target, source, size)

    def host_memory(self, size: int) -> HostMemory:
        """New memory of the host, page-locked and mapped to the device."""
        return HostMemory(int(self._call("cuMemHostAlloc", size, MAPPED)), size)

    def free_host(self, memory: HostMemory) -> None:
        """Give page-locked memory back."""
        self._give_back("cuMemFreeHost", memory.address)

    def mapped(self, memory: HostMemory) -> int:
        """Address of page-locked memory for kernels."""
        return int(self._call("cuMemHostGetDevicePointer", memory.address, 0))

    def stream(self) -> Handle:
        """An order of copies of its own, which waits for the kernels that were started before."""
        return self._call("cuStreamCreate", 0)

    def end_stream(self, stream: Handle) -> None:
        """Give a stream back."""
        self._give_back("cuStreamDestroy", stream)

    def send(self, target: int, source: HostMemory, stream: Handle) -> None:
        """Host to device, in the order of a stream."""
        self._call("cuMemcpyHtoDAsync", target, source.address, source.size, stream)

    def fetch(self, target: HostMemory, source: int, stream: Handle) -> None:
        """Device to host, in the order of a stream."""
        self._call("cuMemcpyDtoHAsync", target.address, source, target.size, stream)

    def launch(
        self, function: Handle, grid: Shape, block: Shape, shared: int, arguments: Sequence[Argument]
    ) -> None:
        """Start a kernel; does not wait for it."""
        if any(size > WORD for _, size in arguments):  # it packs no structures, but takes what is packed
            held, pointers = packed(arguments)
            self._call("cuLaunchKernel", function, *grid, *block, shared, 0, ctypes.addressof(pointers), 0)
            del held  # the driver has copied them
            return
        values = tuple(value for value, _ in arguments)
        kinds = tuple(ctypes.c_uint64 if size == 8 else ctypes.c_uint32 for _, size in arguments)
        given = (values, kinds) if arguments else 0
        self._call("cuLaunchKernel", function, *grid, *block, shared, 0, given, 0)

    def synchronize(self) -> None:
        """Wait for all that was started."""
        self._call("cuCtxSynchronize")

    def event(self) -> Handle:
        """A mark in the order of launches."""
        return self._call("cuEventCreate", 0)

    def end_event(self, event: Handle) -> None:
        """Give a mark back."""
        self._give_back("cuEventDestroy", event)

    def record(self, event: Handle, stream: Handle = None) -> None:
        """Put the mark here, or into a stream."""
        self._call("cuEventRecord", event, 0 if stream is None else stream)

    def milliseconds(self, start: Handle, stop: Handle) -> float:
        """Time between two marks that have passed."""
        return float(self._call("cuEventElapsedTime", start, stop))

    def texture(self, address: int, size: int) -> int:
        """A texture object over 32-bit words."""
        return self._rest.texture(address, size)

    def end_texture(self, texture: int) -> None:
        """Give a texture object back."""
        self._rest.end_texture(texture)

    def tensor_map(self, tile: TensorTile) -> int:
        """A tile of 32-bit words for the copy unit."""
        return self._rest.tensor_map(tile)
