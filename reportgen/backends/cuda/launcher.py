"""Cubin -> samples: one visit of one point on one GPU, in a process of its own.

Kinds of a source (`setup["kind"]`):

body      a window between two clock reads in every thread: chains, independent chains, pairs, matrix
          instructions, resources
chase     windows of dependent loads in one thread, over nodes that are laid out for the point
trace     dependent loads, each timed by itself: one row a load
l2_matrix one line after the other from one multiprocessor: one row a line
bulk      copies between global and shared memory, each waited for
stream    the whole launch is timed, by events: bandwidth of all multiprocessors together
kernel    the same of a computation: matrix products, vectors, rows
saturated the same of a loop that keeps every multiprocessor busy
empty     launches themselves are timed, nothing runs in them (`launching`)
vendor    a routine of NVIDIA's, no program of ours (`vendor`)
link      a copy between host and device, no program of ours (`link`)
crowd     many more blocks than fit at a time, each of which stays for a while: timed from outside too
held      that loop for as long as the visit lasts, in windows of time (`holding`)
contended atomic adds of many blocks, timed from outside as well

Launch shape: `threads` of a block (else `warps` x 32, else one warp), `blocks` (else 1),
`dynamic_bytes`.  `team` threads share one repetition of the work:
a warp, unless the source says otherwise (a warp group, a block).
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import time

import msgspec

from reportgen.backends.base import Batch, Order
from reportgen.backends.cuda import binding as cuda
from reportgen.backends.cuda import buffers, constants, host_place, launching, link, nvml, targets, vendor
from reportgen.backends.cuda.binding import Binding, Handle, Shape
from reportgen.backends.cuda.chase import Setup
from reportgen.backends.cuda.clock import Frame
from reportgen.backends.cuda.holding import hold
from reportgen.backends.cuda.hosted import HOST
from reportgen.backends.cuda.launching import overhead
from reportgen.backends.cuda.sampling import sample, watched
from reportgen.backends.cuda.shots import Prepared, shoot
from reportgen.errors import LaunchError
from reportgen.runs.schema import Device

WARP = 32
MEDDLING = ("CUDA_LAUNCH_BLOCKING", "NVIDIA_TF32_OVERRIDE")
"""Environment variables that make something else of what is asked: a launch waits for its kernel, so that
nothing queues up; products of FP32 are made of TF32."""
RESTED_SECONDS = 2.0
"""Behind such a rest (programs were built meanwhile) the clock may have fallen."""
FULL = 8
"""Blocks of 256 threads that fill a multiprocessor."""
KINDS = frozenset(
    "body chase trace l2_matrix bulk stream kernel saturated crowd held empty contended".split()
)


class CudaLauncher:
    """Runs programs on one GPU, through the binding that works here.

    Args:
        number: N of `cuda:N`.
        device: what discovery found there.
        binding: instead of the one that is chosen.

    Raises:
        BackendUnavailable: no binding can be loaded.
        LaunchError: the driver refuses the device.
    """

    def __init__(self, number: int, device: Device, binding: Binding | None = None) -> None:
        for name in MEDDLING:  # read when the driver or a library starts
            os.environ.pop(name, None)
        self._binding = binding or cuda.choose()
        self._binding.open(number)
        self._target = targets.parse(device.isa)
        self._multiprocessors = self._binding.attribute(cuda.MULTIPROCESSORS)
        self._frame = Frame(self._binding, self._target.name)
        self._frame.settle()
        self._pci = _pci(self._binding)
        self._watch = nvml.Watch(self._pci)
        self._modules: dict[str, tuple[Handle, bytes]] = {}
        self._busy = time.perf_counter()
        """When the device last had something to do."""

    def measure(self, order: Order) -> Batch:
        """One visit: set up, warm up, launch until precise or capped, verify.

        Raises:
            LaunchError: the program does not load, does not run, or needs what is not there.
            DeviceLost: the context is spoilt; this process is of no more use.
        """
        began = time.perf_counter()
        if began - self._busy > RESTED_SECONDS:
            self._frame.settle()
        try:
            return self._visit(order, began)
        finally:
            self._busy = time.perf_counter()

    def _visit(self, order: Order, began: float) -> Batch:
        before = self._watch()
        if order.setup.get("kind") in (vendor.KIND, link.KIND):
            batch = watched(self._of_others(order), before, self._watch())
            return msgspec.structs.replace(batch, facts=batch.facts | {"binding": self._binding.name})
        module, code = self._load(order)
        prepared = self._prepare(order, module, code)
        try:
            setup = time.perf_counter() - began
            batch = watched(self._take(order, prepared), before, self._watch())
        finally:
            prepared.passed.close()
        facts = batch.facts | {"binding": self._binding.name}
        if order.setup.get("memory") == HOST:
            facts |= self._watch.link() | host_place.of_device(self._pci) | host_place.of_process()
        return msgspec.structs.replace(batch, facts=facts, seconds=batch.seconds | {"setup": setup})

    def once(self, order: Order) -> None:
        """Launch a program a single time, for whoever watches from outside.

        Raises:
            LaunchError: it does not load, does not run, or needs what is not there.
            DeviceLost: the context is spoilt.
        """
        if order.setup.get("kind") == vendor.KIND:
            vendor.once(order, self._binding)
            return
        module, code = self._load(order)
        prepared = self._prepare(order, module, code)
        try:
            shoot(self._binding, prepared, 0, None)
        finally:
            prepared.passed.close()

    def mark(self) -> None:
        """Launch a kernel that tells where a point begins."""
        self._frame.mark()

    def _of_others(self, order: Order) -> Batch:
        """A visit of what is no program of ours."""
        if order.setup["kind"] == link.KIND:
            return link.measure(order, self._binding, self._frame, self._watch.link, self._pci)
        return vendor.measure(order, self._binding, self._frame)

    def _take(self, order: Order, prepared: Prepared) -> Batch:
        if prepared.kind == "held":
            return hold(order, prepared, self._binding, self._frame, self._watch)
        take = overhead if prepared.kind == launching.KIND else sample
        return take(order, prepared, self._binding, self._frame)

    def _load(self, order: Order) -> tuple[Handle, bytes]:
        """The module of a cubin; many points share one."""
        unit = order.unit or hashlib.sha256(order.code).hexdigest()
        if unit not in self._modules:
            if not order.code:
                raise LaunchError("this worker has not been sent the program")
            if hashlib.sha256(order.code).hexdigest() != unit:
                raise LaunchError("the machine code that arrived is not the program that was inspected")
            self._modules[unit] = (self._binding.load(order.code), order.code)
        return self._modules[unit]

    def _prepare(self, order: Order, module: Handle, code: bytes) -> Prepared:
        setup = order.setup
        kind = str(setup.get("kind", "body"))
        if kind not in KINDS:
            raise LaunchError(f"this launcher does not know how to set up '{kind}'")
        name = str(setup["kernel"])
        function = self._binding.function(module, name)
        threads = int(setup.get("threads", WARP * int(setup.get("warps", 1))))
        grid = _grid(kind, setup, threads, self._multiprocessors)
        blocks = grid[0] * grid[1]
        shared = int(setup.get("dynamic_bytes", 0))
        # what a kernel gets without asking is less by what it has of its own
        if shared and shared > self._binding.function_attribute(function, cuda.DYNAMIC_SHARED):
            self._binding.set_function_attribute(function, cuda.DYNAMIC_SHARED, shared)
        if kind == "crowd":  # else the driver may leave the cache so much that fewer blocks fit
            self._binding.set_function_attribute(function, cuda.CARVE_OUT, cuda.ALL_SHARED)
        elif not shared and (kind in ("chase", "trace") or "block_bytes" in setup):
            # else the first cache is what others have left of it
            self._binding.set_function_attribute(function, cuda.CARVE_OUT, cuda.ALL_CACHE)
        if setup.get("portable") == 0:
            self._binding.set_function_attribute(function, cuda.ANY_CLUSTER, 1)
        constants.fill(self._binding, module, code, name)
        if "bytes_each" in setup:  # the more multiprocessors, the more bytes
            setup = {**setup, "bytes": blocks * int(setup["bytes_each"])}
        if "block_bytes" in setup:  # every block has a part of its own
            setup = {**setup, "bytes": blocks * int(setup["block_bytes"])}
        passed = buffers.passed(
            self._binding,
            setup,
            threads,
            blocks,
            order.seed,
            lambda chase: constants.put(self._binding, module, code, name, chase),
        )
        if kind == "crowd":
            with contextlib.suppress(LaunchError):  # a driver that cannot tell: nothing needs it
                fit = self._binding.resident(function, threads, shared)
                passed.facts["warps_driver"] = fit * (threads // WARP)
        return Prepared(
            function=function,
            kind=kind,
            grid=grid,
            threads=threads,
            shared=shared,
            repetitions=_repetitions(kind, setup, threads, blocks, passed),
            compare=_comparable(kind, passed, threads * blocks),
            passed=passed,
            multiprocessors=self._multiprocessors,
        )


def _pci(binding: Binding) -> str:
    """`00000000:3b:00.0`, by which NVML knows the device; empty where the driver does not tell."""
    try:
        domain, bus, device = map(binding.attribute, (cuda.PCI_DOMAIN, cuda.PCI_BUS, cuda.PCI_DEVICE))
    except LaunchError:
        return ""
    return f"{domain:08x}:{bus:02x}:{device:02x}.0"


def _grid(kind: str, setup: Setup, threads: int, multiprocessors: int) -> Shape:
    """Blocks of a launch."""
    if kind in ("l2_matrix", "saturated", "held"):
        return multiprocessors, 1, 1
    if "blocks_each" in setup:
        return multiprocessors * int(setup["blocks_each"]), 1, 1
    if kind != "kernel":
        return int(setup.get("blocks", 1)), 1, 1
    if "tile" in setup:
        tile = int(setup["tile"])
        return -(-int(setup["n"]) // tile), -(-int(setup["m"]) // tile), 1
    if "rows" in setup:
        return int(setup["rows"]), 1, 1
    if "matrix:" in str(setup["arguments"]):  # a warp for every row
        return -(-int(setup["n"]) * WARP // threads), 1, 1
    return min(-(-int(setup["n"]) // threads), multiprocessors * FULL), 1, 1


def _repetitions(kind: str, setup: Setup, threads: int, blocks: int, passed: buffers.Passed) -> int:
    """How often the work of a source is done in one row."""
    if kind in ("chase", "bulk"):
        return passed.counted
    if kind == "kernel":
        return 1
    if kind == "stream":
        return int(passed.facts["turns"]) * int(passed.facts["rounds"]) * threads * blocks
    teams = max(1, threads // int(setup.get("team", WARP)))
    if kind == "saturated":  # of one multiprocessor, while all are at work
        return int(setup["turns"]) * teams
    if kind == "crowd":  # of one multiprocessor
        return teams * int(setup["blocks_each"])
    if kind in ("held", "contended"):  # of the whole device
        return int(setup["turns"]) * teams * blocks
    return teams * int(setup.get("turns", 1))


def _comparable(kind: str, passed: buffers.Passed, threads: int) -> bool:
    """Whether all launches leave the same: not where threads meet in memory, nor where nodes move on."""
    meet = bool(passed.pristine) and threads > WARP
    return not meet and kind in ("body", "stream", "bulk", "kernel", "saturated", "crowd")
