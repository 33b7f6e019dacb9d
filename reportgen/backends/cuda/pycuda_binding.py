"""The CUDA driver through pycuda; what pycuda lacks (texture objects, tensor maps, ...) goes past it."""

from __future__ import annotations

import atexit
import ctypes
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

from reportgen.backends.cuda.binding import WORD, Argument, Handle, HostMemory, Shape, TensorTile, fail
from reportgen.backends.cuda.ctypes_binding import CtypesBinding
from reportgen.backends.cuda.results import STICKY
from reportgen.errors import LaunchError


@dataclass
class _Module:
    """A module of pycuda's, and what it was made of.

    `past` is the same loaded without pycuda, once a kernel of it needs that; its variables are others than
    those of pycuda's, so from then on nothing of the module goes through pycuda.
    """

    own: Any
    cubin: bytes
    past: Handle = None


@dataclass
class _Kernel:
    """A kernel of pycuda's; `past` is the same without pycuda, for attributes that it does not name."""

    own: Any
    module: _Module
    name: str
    past: Handle = None
    asked: dict[int, int] = field(default_factory=dict)
    """Attributes that were set."""


class PycudaBinding:
    """See `Binding`.

    Raises:
        ImportError: pycuda is not installed, or `libcuda.so.1` cannot be loaded.
    """

    name = "pycuda"

    def __init__(self) -> None:
        from pycuda import driver

        self._cuda: Any = driver
        self._rest = CtypesBinding()
        self._device: Any = None
        self._context: Any = None
        self._memory: dict[int, Any] = {}

    def _call(self, what: str, function: Any, *arguments: Any, **named: Any) -> Any:
        try:
            return function(*arguments, **named)
        except self._cuda.Error as error:
            self._refuse(what, error)
        except UnicodeDecodeError:  # a driver that cannot name its own error
            fail(999, what)

    def _refuse(self, what: str, error: Exception) -> NoReturn:
        """Raise what an exception of pycuda means: it has the driver's words, but not its code.

        Words are of many drivers, and one text may hold those of another code; whether the context is spoilt,
        so that this process is of no more use, the driver is asked itself.
        """
        text = str(error)
        code = next((number for words, number in _WORDS.items() if words in text), 0)
        if code not in STICKY:
            now = self._rest.spoilt()
            code = now if now in STICKY or not code else code
        if code:
            fail(code, what)
        raise LaunchError(f"{what}: {text}")

    def open(self, number: int) -> None:
        """Initialise, and make the primary context of device `number` current in this thread."""
        self._rest.initialise()  # asked first, because it answers with a code
        self._call("cuInit", self._cuda.init)
        self._device = self._call("cuDeviceGet", self._cuda.Device, number)
        self._context = self._call("cuDevicePrimaryCtxRetain", self._device.retain_primary_context)
        self._call("cuCtxPushCurrent", self._context.push)
        # pycuda aborts a process that ends with a context on its stack
        atexit.register(self.close)
        self._rest.adopt(number)

    def close(self) -> None:
        """Release the primary context."""
        if self._context is not None:
            self._memory.clear()
            context, self._context = self._context, None
            self._call("cuCtxPopCurrent", context.pop)

    def attribute(self, which: int) -> int:
        """A device attribute, by number: pycuda does not name them all."""
        return self._rest.attribute(which)

    def load(self, cubin: bytes) -> Handle:
        """A module."""
        return _Module(self._call("cuModuleLoadDataEx", self._cuda.module_from_buffer, cubin), cubin)

    def function(self, module: Handle, name: str) -> Handle:
        """A kernel of a module."""
        kernel = _Kernel(self._call("cuModuleGetFunction", module.own.get_function, name), module, name)
        if module.past is not None:  # now, not at the launch: to load a kernel may wait for the device
            self._pass_by(kernel)
        return kernel

    def function_attribute(self, function: Handle, which: int) -> int:
        """An attribute of a kernel."""
        named = getattr(self._cuda.function_attribute, _NAMES[which])
        return int(self._call("cuFuncGetAttribute", function.own.get_attribute, named))

    def set_function_attribute(self, function: Handle, which: int, value: int) -> None:
        """Ask for more dynamic shared memory, or for what pycuda does not name."""
        if which in _NAMES:
            named = getattr(self._cuda.function_attribute, _NAMES[which])
            self._call("cuFuncSetAttribute", function.own.set_attribute, named, value)
        else:
            self._pass_by(function)
        function.asked[which] = value
        if function.past is not None:
            for attribute, wanted in function.asked.items():
                self._rest.set_function_attribute(function.past, attribute, wanted)

    def _pass_by(self, function: _Kernel) -> None:
        """Have the kernel without pycuda, with all that was asked for it."""
        if function.past is None:
            if function.module.past is None:
                function.module.past = self._rest.load(function.module.cubin)
            function.past = self._rest.function(function.module.past, function.name)
            for attribute, wanted in function.asked.items():
                self._rest.set_function_attribute(function.past, attribute, wanted)

    def resident(self, function: Handle, threads: int, shared: int) -> int:
        """Blocks of a kernel that one multiprocessor holds; pycuda has no such call."""
        self._pass_by(function)
        return self._rest.resident(function.past, threads, shared)

    def variable(self, module: Handle, name: str) -> tuple[int, int]:
        """(address, bytes) of a variable of a module."""
        if module.past is not None:
            return self._rest.variable(module.past, name)
        address, size = self._call("cuModuleGetGlobal", module.own.get_global, name)
        return int(address), int(size)

    def allocate(self, size: int) -> int:
        """Address of new memory."""
        made = self._call("cuMemAlloc", self._cuda.mem_alloc, size)
        self._memory[int(made)] = made
        return int(made)

    def free(self, address: int) -> None:
        """Give memory back."""
        self._call("cuMemFree", self._memory.pop(address).free)

    def write(self, address: int, data: bytes) -> None:
        """Host to device."""
        self._call("cuMemcpyHtoD", self._cuda.memcpy_htod, address, data)

    def read(self, address: int, size: int) -> bytes:
        """Device to host."""
        buffer = bytearray(size)
        self._call("cuMemcpyDtoH", self._cuda.memcpy_dtoh, buffer, address)
        return bytes(buffer)

    def fill(self, address: int, word: int, words: int) -> None:
        """The same 32-bit word everywhere."""
        self._call("cuMemsetD32", self._cuda.memset_d32, address, word, words)

    def copy(self, target: int, source: int, size: int) -> None:
        """Device to device."""
        self._call("cuMemcpyDtoD", self._cuda.memcpy_dtod, target, source, size)

    def host_memory(self, size: int) -> HostMemory:
        """New memory of the host, page-locked and mapped to the device."""
        made = self._call(
            "cuMemHostAlloc", self._cuda.pagelocked_empty, size, "uint8",
            mem_flags=self._cuda.host_alloc_flags.DEVICEMAP,
        )  # fmt: skip
        return HostMemory(int(made.ctypes.data), size, made)

    def free_host(self, memory: HostMemory) -> None:
        """Give page-locked memory back."""
        self._call("cuMemFreeHost", memory.own.base.free)

    def mapped(self, memory: HostMemory) -> int:
        """Address of page-locked memory for kernels."""
        return int(self._call("cuMemHostGetDevicePointer", memory.own.base.get_device_pointer))

    def stream(self) -> Handle:
        """An order of copies of its own, which waits for the kernels that were started before."""
        return self._call("cuStreamCreate", self._cuda.Stream)

    def end_stream(self, stream: Handle) -> None:
        """A stream goes with its last reference."""

    def send(self, target: int, source: HostMemory, stream: Handle) -> None:
        """Host to device, in the order of a stream."""
        self._call("cuMemcpyHtoDAsync", self._cuda.memcpy_htod_async, target, _bytes(source), stream)

    def fetch(self, target: HostMemory, source: int, stream: Handle) -> None:
        """Device to host, in the order of a stream."""
        self._call("cuMemcpyDtoHAsync", self._cuda.memcpy_dtoh_async, _bytes(target), source, stream)

    def launch(
        self, function: Handle, grid: Shape, block: Shape, shared: int, arguments: Sequence[Argument]
    ) -> None:
        """Start a kernel; does not wait for it."""
        if function.module.past is not None or any(size > WORD for _, size in arguments):
            self._pass_by(function)
        if function.past is not None:
            self._rest.launch(function.past, grid, block, shared, arguments)
            return
        import numpy as np

        given = [np.uint64(value) if size == 8 else np.uint32(value) for value, size in arguments]
        self._call("cuLaunchKernel", function.own, *given, grid=grid, block=block, shared=shared)

    def synchronize(self) -> None:
        """Wait for all that was started."""
        self._call("cuCtxSynchronize", self._cuda.Context.synchronize)

    def event(self) -> Handle:
        """A mark in the order of launches."""
        return self._call("cuEventCreate", self._cuda.Event)

    def end_event(self, event: Handle) -> None:
        """A mark goes with its last reference."""

    def record(self, event: Handle, stream: Handle = None) -> None:
        """Put the mark here, or into a stream."""
        self._call("cuEventRecord", event.record, stream)

    def milliseconds(self, start: Handle, stop: Handle) -> float:
        """Time between two marks that have passed."""
        return float(self._call("cuEventElapsedTime", start.time_till, stop))

    def texture(self, address: int, size: int) -> int:
        """A texture object over 32-bit words."""
        return self._rest.texture(address, size)

    def end_texture(self, texture: int) -> None:
        """Give a texture object back."""
        self._rest.end_texture(texture)

    def tensor_map(self, tile: TensorTile) -> int:
        """A tile of 32-bit words for the copy unit."""
        return self._rest.tensor_map(tile)


def _bytes(memory: HostMemory) -> Any:
    """Memory as Python hands it to pycuda."""
    return (ctypes.c_char * memory.size).from_address(memory.address)


_NAMES = {
    1: "SHARED_SIZE_BYTES",
    8: "MAX_DYNAMIC_SHARED_SIZE_BYTES",
}
"""Function attributes as pycuda names them."""


_WORDS = {
    "no CUDA-capable device": 100,
    "stub library": 34,
    "system has unsupported display driver": 803,
    "out of memory": 2,
    "illegal memory access": 700,
    "too many resources": 701,
    "the launch timed out": 702,
    "context is destroyed": 709,
    "hardware stack error": 714,
    "global/shared address space": 717,
    "invalid program counter": 718,
    "uncorrectable ECC error": 214,
    "busy or unavailable": 46,
    "device-side assert": 710,
    "illegal instruction": 715,
    "misaligned address": 716,
    "unspecified launch failure": 719,
    "no kernel image": 209,
    "kernel image is invalid": 200,
    "named symbol not found": 500,
    "operation not permitted": 800,
    "operation not supported": 801,
    "cluster misconfiguration": 912,
    "unsupported toolchain": 222,
    "PTX JIT compilation failed": 218,
    "too many blocks in cooperative launch": 720,
    "invalid argument": 1,
    "unknown error": 999,
}
"""Words of the driver's own text -> code."""
