"""Threads that share lines: where the lines lie, what each thread is told, and what must come out.

Every call begins with fresh words, and its result is checked: of a line that is handed over the last value,
of additions their number, of lines that are read that they still hold their own address.  A wrong one is a
fault of the machine or of the program, and fails the point; a thread that gave up waiting marks the samples.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace

import numpy as np

from reportgen.backends.base import Order
from reportgen.backends.cpu.buffers import Buffer
from reportgen.backends.cpu.executable import Executable
from reportgen.backends.cpu.frame import Frame, Stamps
from reportgen.backends.cpu.shared_lines import BUDGET
from reportgen.backends.cpu.together import in_step
from reportgen.errors import LaunchError
from reportgen.suite.expand import pair_of

BLOCK = 1024
"""Bytes of which one visit uses the first part: words are up to half as far apart."""
BLOCKS = 64
"""Places at any of which a visit puts its lines: what a transfer costs may depend on the address."""
APART = 256
"""Bytes between lines that shall have nothing to do with each other."""
_EXPECTED, _LEFT = 1, 2
"""Words of the scratch page behind the address: the value (or the other line), and the budget."""

Run = Callable[[int, int, int], list[list[Stamps]]]
"""samples, warm-up repetitions, repetitions -> stamps of each thread."""


def chosen(order: Order, cpus: tuple[int, ...]) -> tuple[int, ...]:
    """CPUs of a point's threads, in their order.

    Raises:
        LaunchError: fewer are allowed.
    """
    setup = order.setup
    if "pair" in setup:
        wanted = pair_of(str(setup["pair"]))
        if max(wanted) >= len(cpus):
            raise LaunchError(
                f"the pair {setup['pair']} wants more than the {len(cpus)} CPUs that are allowed"
            )
        return tuple(cpus[at] for at in wanted)
    cores = int(setup["cores"])
    if cores > len(cpus):
        raise LaunchError(f"{cores} cores wanted, {len(cpus)} are allowed")
    return cpus[-cores:][::-1]


def runner(
    order: Order, program: Executable, frames: list[Frame], cpus: tuple[int, ...], stack: ExitStack
) -> Run:
    """How to take samples of a point; `stack` gives the lines back."""
    setup = order.setup
    what, units = str(setup["what"]), int(setup["units"])
    buffer = stack.enter_context(Buffer(BLOCK * BLOCKS + APART * (len(cpus) + 1), "4k"))
    base = buffer.address + BLOCK * int(np.random.default_rng(order.seed).integers(BLOCKS))
    lines = _lines(what, base, len(cpus), int(setup.get("distance", 0)))

    def run(samples: int, warm: int, count: int) -> list[list[Stamps]]:
        meeting = ctypes.c_int64(0)

        def before(index: int) -> None:
            if index == 0:  # the first thread's core is the first to have the lines
                for own, other in lines:
                    _word(own).value = own if what == "read" else 0
                    if other:
                        _word(other).value = other
            frames[index].scratch([lines[index][0], lines[index][1] or index, BUDGET])
            frames[index].barrier(ctypes.addressof(meeting), len(cpus))

        stamps = in_step(cpus, lambda index: frames[index].run(program, samples, warm, count), before)
        if any(frames[index].scratched(_LEFT) < 0 for index in range(len(cpus))):
            return [[replace(one, answered=False) for one in own] for own in stamps]
        _check(what, lines, units * (warm + count) * samples)
        return stamps

    return run


def _lines(what: str, base: int, threads: int, distance: int) -> list[tuple[int, int]]:
    """For each thread the address that it reads or adds to, and of another that it writes, or 0."""
    if what == "read":
        places = [base + APART * index for index in range(max(threads, 2))]
        return [(places[(index + 1) % len(places)], places[index]) for index in range(threads)]
    return [(base + distance * index, 0) for index in range(threads)]


def _check(what: str, lines: list[tuple[int, int]], units: int) -> None:
    """What the lines hold behind a call in which each thread ran so many units."""
    words = dict.fromkeys(own for own, _ in lines)
    held = [_word(own).value for own in words]
    if what == "read":
        wanted = list(words)
    elif what == "hand_over":
        wanted = [2 * units]
    else:
        wanted = [units * sum(own == word for own, _ in lines) for word in words]
    if held != wanted:
        raise LaunchError(
            f"the shared words hold {held}, not {wanted}: an access of one core was lost to another"
        )


def _word(address: int) -> ctypes.c_int64:
    return ctypes.c_int64.from_address(address)
