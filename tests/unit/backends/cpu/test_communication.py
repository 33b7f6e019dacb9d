"""Threads that share lines: what runs is what was meant, no wait is without end, results are checked."""

from __future__ import annotations

import ctypes
import hashlib
import os
import sys
from collections.abc import Callable
from contextlib import ExitStack

import msgspec
import pytest

from reportgen.backends import gates
from reportgen.backends.base import Batch, Order
from reportgen.backends.cpu import communication
from reportgen.backends.cpu.aarch64 import decode as aarch64_decode
from reportgen.backends.cpu.aarch64 import shared as aarch64_shared
from reportgen.backends.cpu.backend import CpuBackend
from reportgen.backends.cpu.compiler import HEADER
from reportgen.backends.cpu.executable import Executable
from reportgen.backends.cpu.frame import Frame, Stamps
from reportgen.errors import LaunchError, Unsupported
from tests.unit.backends.cpu.x86 import (
    assemble,
    assembles,
    device,
    executes,
    generate,
    judge,
    planned,
    with_body,
)

FAMILY = "core_communication/"
STORE = f"{FAMILY}line_transfer#by=store,pair=0-1,rounds=4"
EXCHANGE = f"{FAMILY}line_transfer_locked#by=exchange,pair=0-1,rounds=4"
LOCKED = f"{FAMILY}false_sharing#by=locked_add,distance=64"
PLAIN = f"{FAMILY}false_sharing#by=plain_add,distance=8"
CASES = f"{FAMILY}contended_atomic#by=compare_exchange,cores=2"
READ = f"{FAMILY}contended_atomic#by=read,cores=2"
WAIT = ["wait:", "dec rcx", "js seen", "cmp [rdi], rbx", "jne wait", "seen:"]


CPUS = tuple(sorted(os.sched_getaffinity(0))) if sys.platform.startswith("linux") else ()
"""Those that may be used when tests begin: other tests pin the process to one of them."""
pairs = pytest.mark.skipif(len(CPUS) < 2, reason="one CPU may be used here; two threads need two")


# -- programs ---------------------------------------------------------------------------------------


@assembles
def test_every_program_is_verified() -> None:
    texts = {}
    for name in planned():
        if name.startswith(FAMILY):
            source = generate(name)
            texts[source.text] = source
    assert len(texts) == 3 * 3 + 2 + 1 + 2 + 2  # hand-overs; additions and readings of two cores, and alone
    for source in texts.values():
        result = judge(source)
        assert result.verdict == "verified", result.explanation


@assembles
def test_both_sides_of_a_pair_and_all_distances_run_one_program() -> None:
    assert generate(STORE).text == generate(STORE.replace("0-1", "1-0")).text
    distances = [generate(LOCKED.replace("=64", f"={distance}")).text for distance in (8, 64, 512)]
    assert len(set(distances)) == 1


@assembles
@pytest.mark.parametrize(
    ("point", "unit", "fault"),
    [
        # waits
        (STORE, ["wait:", "cmp [rdi], rbx", "jne wait"], "does not lead back to a count that ends the wait"),
        (STORE, ["wait:", "dec rbp", "js seen", "cmp [rdi], rbx", "jne wait", "seen:"], "does not lead back"),
        (STORE, ["dec rcx", "js seen", "wait:", "cmp [rdi], rbx", "jne wait", "seen:"], "does not lead back"),
        (
            STORE,
            ["wait:", "dec rcx", "js seen", "cmp [rdi], rbx", "jne wait", "nop", "seen:"],
            "does not lead",
        ),
        (STORE, ["dec rcx", "js seen", "cmp [rdi], rbx", "seen:"], "no wait stands behind"),
        # places
        (STORE, [*WAIT[:3], "cmp [rdi+8], rbx", *WAIT[4:]], "goes to another place than the line"),
        (STORE, [*WAIT, "lea rdi, [rdi+64]"], "does not keep its address"),
        (STORE, [*WAIT, "mov [rdi], rax"], "a unit writes 2 times, not once"),
        (STORE, [*WAIT, "lock or [rdi], rax"], "indivisible accesses, not 0"),
    ],
)
def test_another_body_is_rejected(point: str, unit: list[str], fault: str) -> None:
    source = generate(point)
    body: list[str] = []
    for number in range(4):
        named = [line.replace("wait", f"wait_{number}").replace("seen", f"seen_{number}") for line in unit]
        body += [*named, "lea rax, [rbx+1]", "mov [rdi], rax", "add rbx, 2"]
    result = judge(source, with_body(source, *body))
    assert result.verdict == "rejected"
    assert fault in result.explanation


@assembles
def test_an_access_that_is_not_indivisible_is_told_from_one_that_is() -> None:
    source = generate(LOCKED)
    result = judge(source, with_body(source, *["add qword ptr [rdi], 1"] * 32))
    assert "a unit has 0 indivisible accesses, not 1" in result.explanation
    plain = generate(PLAIN)
    result = judge(plain, with_body(plain, *["lock add qword ptr [rdi], 1"] * 32))
    assert "a unit has 1 indivisible accesses, not 0" in result.explanation


@assembles
def test_units_that_differ_are_rejected() -> None:
    source = generate(PLAIN)
    body = ["add qword ptr [rdi], 1"] * 31
    result = judge(source, with_body(source, *body, "add qword ptr [rdi], 2"))
    assert "not the same unit over and over" in result.explanation
    result = judge(source, with_body(source, *body))
    assert "31 instructions are no 32 equal units" in result.explanation


@assembles
def test_a_reader_that_reads_what_it_writes_is_rejected() -> None:
    source = generate(READ)
    result = judge(source, with_body(source, *["mov rdi, [rdi]", "mov [rdi], rbx"] * 32))
    assert "goes to another place" in result.explanation
    result = judge(source, with_body(source, *["mov rax, [rdi]", "mov [rbx], rbx"] * 32))
    assert "does not keep its address" in result.explanation


def test_one_cpu_says_what_is_missing() -> None:
    with pytest.raises(
        Unsupported, match="asks for 2 CPUs, of which this process may use 1; allow it another"
    ):
        generate(STORE, device(cores=1))
    with pytest.raises(Unsupported, match="asks for 2 CPUs"):
        generate(LOCKED, device(cores=1))
    with pytest.raises(Unsupported, match="asks for 4 CPUs, of which this process may use 3"):
        generate(f"{FAMILY}contended_atomic#by=read,cores=4", device(cores=3))


def test_without_lse_exclusive_accesses_take_the_place() -> None:
    assert "swp x3, x4, [x2]" in aarch64_shared.hand_over("exchange", ("lse",)).unit
    assert "stxr w5, x3, [x2]" in aarch64_shared.hand_over("exchange", ()).unit
    assert "ldxr x3, [x2]" in aarch64_shared.add_to("locked_add", ()).unit
    with pytest.raises(Unsupported, match="compares and exchanges"):
        aarch64_shared.hand_over("compare_exchange", ())


def test_atomics_of_aarch64_read_and_write() -> None:
    words = {"ldadd x4, x3, [x2]": 0xF8240043, "swp x3, x4, [x2]": 0xF8238044, "cas x4, x3, [x2]": 0xC8A47C43}
    for text, word in words.items():
        (one,) = aarch64_decode.decode(word.to_bytes(4, "little"), 0, 4)
        assert (one.text, one.loads, one.stores) == (text, True, True)


# -- running ----------------------------------------------------------------------------------------


def order(point: str, seconds: float = 0.002, **setup: int | str) -> Order:
    source = generate(point, device(cores=2))
    code = assemble(source).code
    return Order(
        point=point, visit=1, sha256=hashlib.sha256(code).hexdigest(), code=code, setup=source.setup | setup,
        seed=1, seconds=seconds, canary_best=0.0,
    )  # fmt: skip


def launched(point: str) -> Batch:
    """One visit; the launcher pins the thread that calls it, which is given back its CPUs."""
    os.sched_setaffinity(0, CPUS)
    backend = CpuBackend()
    found = next(one for one in backend.discover() if not one.reason)
    try:
        return backend.launcher("cpu", found.device).measure(order(point))
    finally:
        os.sched_setaffinity(0, CPUS)


@executes
@pairs
@pytest.mark.parametrize("point", [STORE, EXCHANGE, LOCKED, PLAIN, CASES, READ])
def test_two_threads_run_and_their_result_is_right(point: str) -> None:
    batch = launched(point)
    assert set(batch.columns["thread"]) == {0, 1}
    cpus = {int(one) for one in str(batch.facts["cpus"]).split()}
    assert len(cpus) == 2
    assert cpus <= set(CPUS)
    # the machine that tests run on may be busy: the partner may be held, but not be elsewhere
    assert gates.MIGRATED not in batch.gates


@executes
def test_a_partner_that_never_answers_ends_the_wait() -> None:
    wanted = order(STORE)
    program = Executable(wanted.code, HEADER.unpack_from(wanted.code)[0])
    frame, meeting, line = Frame(), ctypes.c_int64(0), ctypes.c_int64(0)
    frame.scratch([ctypes.addressof(line), 1, 5000])  # waits for a value that nobody leaves
    frame.barrier(ctypes.addressof(meeting), 1)
    stamps = frame.run(program, 1, 1, 3)
    assert len(stamps) == 1
    assert frame.scratched(2) < 0
    assert frame.scratched(1) == 1 + 2 * 4 * (1 + 3)


@executes
@pairs
def test_samples_of_a_call_that_gave_up_are_marked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(communication, "BUDGET", 1)
    batch = launched(STORE)
    assert set(batch.gates) == {gates.UNANSWERED}


def pretended(
    monkeypatch: pytest.MonkeyPatch, point: str, held: dict[int, int], stack: ExitStack
) -> communication.Run:
    """A runner whose threads do not run: index of a word -> what it holds in the end."""
    wanted, original, places = order(point), communication._lines, []

    def lines(what: str, base: int, threads: int, distance: int) -> list[tuple[int, int]]:
        places.extend(original(what, base, threads, distance))
        return places

    def in_step(cpus: tuple[int, ...], _: object, before: Callable[[int], None]) -> list[list[Stamps]]:
        for index in range(len(cpus)):
            before(index)
        for index, value in held.items():
            ctypes.c_int64.from_address(places[index][0]).value = value
        return [[] for _ in cpus]

    monkeypatch.setattr(communication, "_lines", lines)
    monkeypatch.setattr(communication, "in_step", in_step)
    program = Executable(wanted.code, HEADER.unpack_from(wanted.code)[0])
    return communication.runner(wanted, program, [Frame(), Frame()], (0, 1), stack)


@assembles
@pytest.mark.parametrize(
    ("point", "held", "right"),
    [
        (STORE, {0: 2 * 4 * 5 * 3}, True),
        (STORE, {0: 2 * 4 * 5 * 3 - 1}, False),
        (LOCKED, {0: 32 * 5 * 3, 1: 32 * 5 * 3}, True),
        (LOCKED, {0: 32 * 5 * 3, 1: 32 * 5 * 3 - 1}, False),
        (CASES, {0: 2 * 32 * 5 * 3}, True),
        (CASES, {0: 32 * 5 * 3}, False),
        (READ, {}, True),
        (READ, {1: 0}, False),
    ],
)
def test_a_lost_access_fails_the_point(
    monkeypatch: pytest.MonkeyPatch, point: str, held: dict[int, int], right: bool
) -> None:
    with ExitStack() as stack:
        run = pretended(monkeypatch, point, held, stack)
        if right:
            run(3, 1, 4)
        else:
            with pytest.raises(LaunchError, match="an access of one core was lost to another"):
                run(3, 1, 4)


@assembles
def test_cpus_follow_the_pair_and_the_count() -> None:
    pair = order(STORE)
    assert communication.chosen(pair, (4, 5, 9)) == (4, 5)
    turned = msgspec.structs.replace(pair, setup=pair.setup | {"pair": "2-0"})
    assert communication.chosen(turned, (4, 5, 9)) == (9, 4)
    with pytest.raises(LaunchError, match="wants more than the 2 CPUs"):
        communication.chosen(turned, (4, 5))
    some = order(CASES)
    assert communication.chosen(some, (4, 5, 9)) == (9, 5)
    with pytest.raises(LaunchError, match="2 cores wanted, 1 are allowed"):
        communication.chosen(some, (4,))
