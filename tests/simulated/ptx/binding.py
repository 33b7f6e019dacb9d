"""A driver whose device is this executor (`reportgen.backends.cuda.binding.Binding`).

A launch is carried out at once, and what is wrong with it comes out at the next wait, as a driver would tell
it: from then on every call fails alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from reportgen.backends.cuda import binding as cuda
from reportgen.backends.cuda.binding import Argument, HostMemory, Shape, TensorTile, fail
from reportgen.backends.cuda.constants import offsets
from reportgen.backends.cuda.elf import Cubin
from tests.simulated.ptx import execution
from tests.simulated.ptx.copies import Map
from tests.simulated.ptx.faults import Fault, Wrong
from tests.simulated.ptx.launch import GHZ, Launch
from tests.simulated.ptx.memory import Memory, Region
from tests.simulated.ptx.program import Program
from tests.simulated.ptx.source import Sources
from tests.simulated.ptx.text import Module

MULTIPROCESSORS = 3
SECOND_LEVEL_BYTES = 1 << 20
SHARED_BLOCK = 232_448
"""Bytes of shared memory that a block may have, where nobody says otherwise."""
UNASKED_SHARED = 49_152
"""Of these without asking."""
LAUNCH_CYCLES = 300_000
"""Between two launches, so that few of them make a sample that is timed from outside."""
FIRST_CYCLE = (1 << 32) - 4_000_000
"""The 32 lower bits of the clock soon begin again."""
MOST_BYTES = 1 << 34
"""That may be allocated in all."""


@dataclass
class LoadedModule:
    """A module with its constant memory."""

    module: Module
    constants: dict[str, int]
    bank: Region | None
    programs: dict[str, Program] = field(default_factory=dict)
    window: int = 0
    """Address of the bank for the host; 0: it has none yet."""


@dataclass
class Function:
    """A kernel of a module, with what was asked for it."""

    loaded: LoadedModule
    program: Program
    dynamic: int
    any_cluster: bool = False


class PtxGpu:
    """See `reportgen.backends.cuda.binding.Binding`."""

    name = "ptx"
    largest_cluster = 16
    """Blocks that fit into some part of the device."""

    def __init__(self, sources: Sources, shared_block: int = SHARED_BLOCK) -> None:
        self._sources, self._shared_block = sources, shared_block
        self.space = Memory(0x7F00_0000_0000, "global")
        self.textures: dict[int, tuple[int, int]] = {}
        self.now = FIRST_CYCLE
        self.allocated = 0
        self.launches = 0
        self.error: Fault | None = None
        self.notes: set[str] = set()
        """What a driver would not tell, and what is no fault."""
        self.moved: dict[int, tuple[int, int]] = {}
        """Register of the latest timed window -> (writes, writes that changed it)."""
        self.looking = False
        """Whether registers are watched in timed windows."""
        self._running: Function | None = None
        self._banks: dict[int, Region] = {}
        self._parameters = Memory(0x7200_0000_0000, "parameter")

    def open(self, number: int) -> None:
        assert number >= 0

    def close(self) -> None:
        pass

    def attribute(self, which: int) -> int:
        known = {cuda.MULTIPROCESSORS: MULTIPROCESSORS, cuda.SECOND_LEVEL: SECOND_LEVEL_BYTES}
        return known.get(which, 0)

    # ---- modules

    def load(self, cubin: bytes) -> LoadedModule:
        text = self._sources.ptx(cubin)
        module = Module(text)
        found = offsets(Cubin(cubin), "") if cubin[:4] == b"\x7fELF" else {}
        of_bank = {one.name: found[one.name] for one in module.variables if one.space == "const"}
        ends = [of_bank[one.name] + one.size for one in module.variables if one.space == "const"]
        bank = Region(0, max(ends), "constant memory") if ends else None
        return LoadedModule(module, of_bank, bank)

    def function(self, module: LoadedModule, name: str) -> Function:
        if name not in module.programs:
            try:
                kernel = module.module.kernel(name)
            except KeyError:
                fail(500, "cuModuleGetFunction")
            module.programs[name] = execution.make(kernel, module.constants)
        program = module.programs[name]
        return Function(module, program, max(0, UNASKED_SHARED - program.shared_bytes))

    def function_attribute(self, function: Function, which: int) -> int:
        return function.program.shared_bytes if which == cuda.SHARED_BYTES else function.dynamic

    def set_function_attribute(self, function: Function, which: int, value: int) -> None:
        if which == cuda.DYNAMIC_SHARED:
            if value + function.program.shared_bytes > self._shared_block:
                fail(1, "cuFuncSetAttribute")
            function.dynamic = value
        function.any_cluster |= which == cuda.ANY_CLUSTER

    def resident(self, function: Function, threads: int, shared: int) -> int:
        return 2048 // threads

    def variable(self, module: LoadedModule, name: str) -> tuple[int, int]:
        sizes = {one.name: one.size for one in module.module.variables if one.space == "const"}
        if name not in sizes or module.bank is None:
            fail(500, "cuModuleGetGlobal")
        if module.window == 0:
            module.window = 0x7300_0000_0000 + len(self._banks) * 0x100000
            self._banks[module.window] = module.bank
        return module.window + module.constants[name], sizes[name]

    def constants(self) -> Region | None:
        """The bank of the kernel that runs."""
        assert self._running is not None
        return self._running.loaded.bank

    # ---- memory

    def allocate(self, size: int) -> int:
        self._check()
        if self.allocated + size > MOST_BYTES:
            fail(2, "cuMemAlloc")
        self.allocated += size
        return self.space.allocate(size).base

    def free(self, address: int) -> None:
        if self.error is not None:  # all is gone with the context
            return
        region = self.space.at(address, 1, "cuMemFree")
        self.allocated -= region.size
        self.space.free(address)

    def _at(self, address: int, size: int, call: str) -> tuple[Region, int]:
        self._check()
        for window, bank in self._banks.items():
            if window <= address < window + bank.size:
                assert address + size <= window + bank.size
                return bank, address - window
        try:
            region = self.space.at(address, max(size, 1), call)
        except Fault as fault:
            raise Wrong(f"the host's {call} is wrong: {fault.what}") from fault
        return region, address - region.base

    def write(self, address: int, data: bytes) -> None:
        region, at = self._at(address, len(data), "cuMemcpyHtoD")
        region.data[at : at + len(data)] = np.frombuffer(data, dtype=np.uint8)
        region.mark(at, at + len(data))

    def read(self, address: int, size: int) -> bytes:
        region, at = self._at(address, size, "cuMemcpyDtoH")
        missing = region.unknown(at, at + size)
        if missing:
            raise Wrong(f"the host reads {missing} of {size} bytes that nobody wrote")
        return region.data[at : at + size].tobytes()

    def fill(self, address: int, word: int, words: int) -> None:
        region, at = self._at(address, 4 * words, "cuMemsetD32")
        if at % 4:
            raise Wrong("the host fills words at an address that is not aligned")
        region.data[at : at + 4 * words].view(np.uint32)[:] = word
        region.mark(at, at + 4 * words)

    def copy(self, target: int, source: int, size: int) -> None:
        self.write(target, self.read(source, size))

    def host_memory(self, size: int) -> HostMemory:
        """Of the host in name: kernels reach it as they reach the device's; the host writes where it will."""
        base = self.allocate(size)
        region = self.space.at(base, size, "cuMemHostAlloc")
        region.mark(0, size)
        return HostMemory(int(region.data.ctypes.data), size, base)

    def free_host(self, memory: HostMemory) -> None:
        self.free(memory.own)

    def mapped(self, memory: HostMemory) -> int:
        return int(memory.own)

    def stream(self) -> list[int]:
        raise Wrong("kernels are executed here, and no copies in streams")

    def end_stream(self, stream: list[int]) -> None:
        raise Wrong("there are no streams")

    def send(self, target: int, source: HostMemory, stream: list[int]) -> None:
        raise Wrong("there are no streams")

    def fetch(self, target: HostMemory, source: int, stream: list[int]) -> None:
        raise Wrong("there are no streams")

    # ---- launches

    def launch(
        self, function: Function, grid: Shape, block: Shape, shared: int, arguments: Sequence[Argument]
    ) -> None:
        self._check()
        self.now += LAUNCH_CYCLES
        self.launches += 1
        program = function.program
        self._fits(function, grid, block, shared)
        self._running = function
        run = Launch(
            program, grid, block[0], shared, self, self._passed(program, arguments), MULTIPROCESSORS, self.now
        )
        try:
            with np.errstate(all="ignore"):
                run.run()
        except Fault as fault:
            self.error = fault
        self.now = run.cycles
        self.notes |= run.notes
        if run.races.equal:
            self.notes.add(f"{run.races.equal} writes of several warps put the same value into one place")
        self.moved = run.window or self.moved

    def _fits(self, function: Function, grid: Shape, block: Shape, shared: int) -> None:
        kernel = function.program.kernel
        threads = block[0] * block[1] * block[2]
        if not 0 < threads <= kernel.most_threads or min(grid) < 1:
            fail(1, "cuLaunchKernel")
        if shared > function.dynamic or shared + function.program.shared_bytes > self._shared_block:
            fail(1, "cuLaunchKernel")
        if grid[0] * grid[1] * grid[2] % kernel.cluster:
            raise Wrong(f"{grid} blocks are no multiple of the cluster of {kernel.cluster} of {kernel.name}")
        if kernel.cluster > 8 and not function.any_cluster:
            fail(1, "cuLaunchKernel")  # must be asked for
        if kernel.cluster > self.largest_cluster:
            fail(912, "cuLaunchKernelEx")

    def _passed(self, program: Program, arguments: Sequence[Argument]) -> Region:
        """The parameters as the kernel finds them.

        Raises:
            Wrong: they are not as many, or not as long, as the kernel's.
        """
        kernel = program.kernel
        given = [size for _, size in arguments]
        wanted = [parameter.size for parameter in kernel.parameters]
        if given != wanted:
            raise Wrong(f"{kernel.name} takes parameters of {wanted} bytes, and is passed {given}")
        ends = [program.addresses[one.name][1] + one.size for one in kernel.parameters]
        room = self._parameters.allocate(max(ends, default=1))
        for parameter, (value, size) in zip(kernel.parameters, arguments, strict=True):
            at = program.addresses[parameter.name][1]
            room.data[at : at + size] = np.frombuffer(
                (value % (1 << 8 * size)).to_bytes(size, "little"), dtype=np.uint8
            )
            room.mark(at, at + size)
        self._parameters.free(room.base)
        return room

    def synchronize(self) -> None:
        self._check()

    def _check(self) -> None:
        if self.error is not None:
            fail(self.error.code, self.error.what)

    def event(self) -> list[int]:
        return [0]

    def end_event(self, event: list[int]) -> None:
        event.clear()

    def record(self, event: list[int], stream: list[int] | None = None) -> None:
        self._check()
        event[0] = self.now

    def milliseconds(self, start: list[int], stop: list[int]) -> float:
        self._check()
        return (stop[0] - start[0]) / GHZ * 1e-6

    # ---- what is made of memory

    def texture(self, address: int, size: int) -> int:
        self._at(address, size, "cuTexObjectCreate")
        handle = 0x5000 + max((one - 0x4FFF for one in self.textures), default=0)
        self.textures[handle] = address, size
        return handle

    def end_texture(self, texture: int) -> None:
        del self.textures[texture]

    def tensor_map(self, tile: TensorTile) -> int:
        found = Map(
            tile.address, tile.columns, tile.rows, tile.pitch, tile.width or tile.columns, tile.swizzle
        )
        self._at(tile.address, tile.pitch * (tile.rows - 1) + 4 * found.width, "cuTensorMapEncodeTiled")
        row = 4 * tile.columns
        odd = tile.pitch % 16 or tile.address % 16 or row % 16 or tile.promotion not in (0, 64, 128, 256)
        fits = 1 <= tile.columns <= 256 and 1 <= tile.rows <= 256
        if not fits or odd or (tile.swizzle and row > tile.swizzle):
            fail(1, "cuTensorMapEncodeTiled")
        return int.from_bytes(found.packed(), "little")
