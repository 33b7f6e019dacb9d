"""Copies between host and device: the driver orders them, the link carries them, no program of ours runs.

`way` of a copy:

queued    of page-locked memory, in a row behind a kernel that holds them up, timed by events of the device
waited    of page-locked memory, the host waits for each before it orders the next, timed by its clock
pageable  the same of memory that is not page-locked

`direction`: `to_device`, `to_host`, or `both` at once, each in a stream of its own with buffers of its own.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass

import numpy as np

from reportgen.backends.base import Batch, Order
from reportgen.backends.cuda import calls, host_place, link_data
from reportgen.backends.cuda.binding import Binding, Handle, HostMemory
from reportgen.backends.cuda.calls import Facts
from reportgen.backends.cuda.clock import Frame
from reportgen.backends.cuda.link_data import Pattern
from reportgen.backends.cuda.marks import marks
from reportgen.backends.cuda.shots import NS_OF_MS
from reportgen.errors import LaunchError

KIND = "link"
QUEUED, WAITED, PAGEABLE = "queued", "waited", "pageable"
TO_DEVICE, TO_HOST, BOTH = "to_device", "to_host", "both"
LANES = {TO_DEVICE: (TO_DEVICE,), TO_HOST: (TO_HOST,), BOTH: (TO_DEVICE, TO_HOST)}
WIPED = 0xFFFFFFFF


def measure(
    order: Order, binding: Binding, frame: Frame, link: Callable[[], Facts] = dict, pci: str = ""
) -> Batch:
    """One visit of a copy (`way`, `direction` and `bytes` of its set-up).

    Args:
        order: what is asked.
        binding: with its context open.
        frame: clock of the device.
        link: what is said of the link; asked when it has just worked, since one that idles may be slower.
        pci: address of the device; empty where it is not known.

    Raises:
        LaunchError: the driver refuses, or a way and a direction do not go together.
        MemoryError: host or device is full.
    """
    way, direction = str(order.setup["way"]), str(order.setup["direction"])
    known = way in (QUEUED, WAITED, PAGEABLE) and direction in LANES
    if not known or (direction == BOTH and way != QUEUED):
        raise LaunchError(f"this launcher does not know how to copy '{direction}' '{way}'")
    size = int(order.setup["bytes"])
    rng = np.random.default_rng(order.seed)
    with ExitStack() as owned:
        lanes = [_lane(one, size, rng, binding, owned, locked=way != PAGEABLE) for one in LANES[direction]]
        for lane in lanes:
            lane.prepare()
        several = _queued(binding, frame, lanes, owned) if way == QUEUED else _waited(binding, lanes[0])
        facts: Facts = {
            "bytes_actual": size,
            "data": "random, no two pages alike",
            "library": "the driver",
            "host_memory": "pageable" if way == PAGEABLE else "page-locked",
            **host_place.of_device(pci),
        }
        batch = calls.sample(order, frame, several, lambda: _fault(lanes), facts)
        batch.facts.update(link() | host_place.of_process())
        return batch


@dataclass
class _Lane:
    """One direction, with what lies at both ends of it."""

    direction: str
    binding: Binding
    host: HostMemory
    device: int
    stream: Handle
    pattern: Pattern

    def prepare(self) -> None:
        """The pattern at the end that is copied from, nothing of it at the other."""
        self.pattern.write(self.host)
        if self.direction == TO_DEVICE:
            self.binding.fill(self.device, WIPED, self.host.size // 4)
            return
        self.binding.send(self.device, self.host, self.stream)
        self.binding.synchronize()
        link_data.wipe(self.host)

    def copy(self) -> None:
        """Order one."""
        if self.direction == TO_DEVICE:
            self.binding.send(self.device, self.host, self.stream)
        else:
            self.binding.fetch(self.host, self.device, self.stream)

    def fault(self) -> str:
        """What is wrong at the end that was copied to; empty: nothing."""
        if self.direction == TO_DEVICE:  # back to the host, which no longer holds it
            link_data.wipe(self.host)
            self.binding.fetch(self.host, self.device, self.stream)
            self.binding.synchronize()
        off = self.pattern.wrong(self.host)
        what = self.direction.replace("_", " ")
        pages = self.host.size // link_data.PAGE
        return f"{off} of {pages} pages that were copied {what} are not what they have to be" if off else ""


def _lane(
    direction: str,
    size: int,
    rng: np.random.Generator,
    binding: Binding,
    owned: ExitStack,
    *,
    locked: bool,
) -> _Lane:
    if locked:
        host = binding.host_memory(size)
        owned.callback(binding.free_host, host)
    else:
        host = link_data.pageable(size)
    device = binding.allocate(size)
    owned.callback(binding.free, device)
    stream = binding.stream()
    owned.callback(binding.end_stream, stream)
    return _Lane(direction, binding, host, device, stream, Pattern(size, rng))


def _queued(binding: Binding, frame: Frame, lanes: list[_Lane], owned: ExitStack) -> Callable[[int], float]:
    """Time from the end of the holding kernel to the end of the last copy of the slower direction."""
    start, *stops = owned.enter_context(marks(binding, 1 + len(lanes)))

    def several(count: int) -> float:
        frame.hold_up(count * len(lanes))
        binding.record(start, lanes[0].stream)  # behind the kernel, as the copies are
        for _ in range(count):
            for lane in lanes:
                lane.copy()
        for lane, stop in zip(lanes, stops, strict=True):
            binding.record(stop, lane.stream)
        frame.queued()
        binding.synchronize()
        return max(binding.milliseconds(start, stop) for stop in stops)

    return several


def _waited(binding: Binding, lane: _Lane) -> Callable[[int], float]:
    """Time of the host's clock, what this program itself takes between two copies included."""

    def several(count: int) -> float:
        begun = time.perf_counter_ns()
        for _ in range(count):
            lane.copy()
            binding.synchronize()
        return (time.perf_counter_ns() - begun) / NS_OF_MS

    return several


def _fault(lanes: list[_Lane]) -> str:
    return next((what for lane in lanes if (what := lane.fault())), "")
