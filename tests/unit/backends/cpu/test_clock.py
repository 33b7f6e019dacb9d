"""Time stamps, and lengths of calibration and canary."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest

from reportgen.backends.cpu import clock
from reportgen.errors import LaunchError
from tests.unit.backends.cpu.x86 import executes


@executes
def test_time_goes_on() -> None:
    readings = [clock.ticks() for _ in range(100)]
    assert readings == sorted(readings)
    assert readings[-1] > readings[0]


@executes
def test_constants_are_those_of_this_machine() -> None:
    constants = clock.constants()
    assert constants.calibration_cycles == clock.CALIBRATION_CYCLES
    assert constants.canary_instructions == clock.CANARY_INSTRUCTIONS
    assert constants.granularity >= 1
    readings = [clock.ticks() for _ in range(50)]
    assert all((one - readings[0]) % constants.granularity == 0 for one in readings)


@pytest.mark.parametrize("isa", sorted(clock.LENGTHS))
def test_lengths_are_whole_blocks(isa: str) -> None:
    lengths = clock.LENGTHS[isa]
    assert lengths.long_chain % clock.CHAIN_BLOCK == 0
    assert lengths.canary_instructions % clock.CANARY_BLOCK == 0
    assert lengths.calibration_cycles == lengths.long_chain - clock.SHORT_CHAIN
    assert lengths.long_chain // clock.CHAIN_BLOCK < 65536  # the loop counter of either frame takes it


def test_a_coarse_timer_s_ticks_are_small_against_the_chain() -> None:
    tick = 1 / 25e6  # the generic timer of many AArch64 cores
    chain = clock.LENGTHS["aarch64"].calibration_cycles / 3e9
    assert 2 * tick / chain < 0.004
    canary = clock.LENGTHS["aarch64"].canary_instructions / 8 / 3e9
    assert tick / canary < 0.01


def test_an_isa_without_a_time_stamp_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "host", lambda: "riscv64")
    with pytest.raises(LaunchError, match="no time stamp is known for riscv64"):
        clock.time_stamp.__wrapped__()


def test_the_aarch64_time_stamp_is_what_it_says() -> None:
    from reportgen.backends.cpu.aarch64.decode import decode

    code = bytes.fromhex(clock._TIME_STAMPS["aarch64"])
    assert [one.text for one in decode(code, 0, len(code))] == ["isb", "mrs x0, cntvct_el0", "ret"]


def test_many_readings_on_aarch64_are_what_they_say() -> None:
    from reportgen.backends.cpu.aarch64.decode import decode

    code = bytes.fromhex(clock._READINGS["aarch64"])
    found = decode(code, 0, len(code))
    assert [one.text for one in found] == [
        "ldr x2, [x0]", "isb", "mrs x3, cntvct_el0", "str x3, [x1], #8", "subs x2, x2, #1", "b.ne #4",
        "ret",
    ]  # fmt: skip


@executes
def test_many_readings_on_x86_64_are_what_they_say() -> None:
    from reportgen.backends.cpu.x86_64.decode import decode

    code = bytes.fromhex(clock._READINGS["x86_64"])
    found = decode(code, 0, len(code))
    assert [one.text.partition(" ")[0] for one in found] == (
        "mov lfence rdtsc shl or mov add dec jne ret".split()
    )
    assert found[-2].target == len(bytes.fromhex("488b0f"))


@pytest.mark.parametrize(
    ("hertz", "scaled", "apart", "step"),
    [
        (24e6, 24e6, 12e-9, 1),  # Apple
        (25e6, 1e9, 12e-9, 40),
        (24e6, 1e9, 12e-9, 42),  # by 41 and by 42: nothing divides both
        (31.25e6, 1e9, 12e-9, 32),
        (1e6, 62.5e6, 20e-9, 62),  # an emulator
        (1e9, 1e9, 12e-9, 1),
        (100e6, 2.6e9, 14e-9, 26),  # a time stamp of x86-64 that moves every 10 ns
    ],
)
def test_the_step_of_a_counter(hertz: float, scaled: float, apart: float, step: int) -> None:
    wobble = (0.0, 0.31, 0.77, 0.52, 0.18, 0.93, 0.4)
    times = [(at + 0.2 * wobble[at % 7]) * apart for at in range(clock.READINGS)]
    readings = [int(int(time * hertz) * (scaled / hertz)) for time in times]
    assert clock.step_of(readings) == step


def test_a_counter_that_stands_still_has_a_step_all_the_same() -> None:
    assert clock.step_of([7, 7, 7]) == 1
    assert clock.step_of([9]) == 1


def test_an_interruption_is_no_step() -> None:
    assert clock.step_of([0, 0, 40, 40, 80, 90000, 90000, 90040]) == 40


@executes
def test_the_x86_64_time_stamp_is_what_it_says() -> None:
    from reportgen.backends.cpu.x86_64.decode import decode

    code = bytes.fromhex(clock._TIME_STAMPS["x86_64"])
    assert [one.text for one in decode(code, 0, len(code))] == ["rdtsc", "shl rdx,20h", "or rax,rdx", "ret"]


@executes
def test_what_divides_all_differences_of_the_time_stamp_divides_its_step() -> None:
    readings = [clock.ticks() for _ in range(2000)]
    step = math.gcd(*(after - before for before, after in pairwise(readings)))
    assert clock.granularity() % step == 0


def test_the_monotonic_clock_counts_nanoseconds() -> None:
    first = clock.monotonic_ns()
    assert clock.monotonic_ns() >= first > 0
