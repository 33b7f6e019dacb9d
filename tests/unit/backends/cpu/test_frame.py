"""The argument and output blocks of a call, and one real call."""

from __future__ import annotations

import ctypes
import mmap
import os
from collections.abc import Iterator

import pytest

from reportgen.backends.cpu.accesses import BOUNDARY
from reportgen.backends.cpu.compiler import HEADER
from reportgen.backends.cpu.executable import Executable
from reportgen.backends.cpu.frame import MOST_SAMPLES, SCRATCH_BYTES, SLOTS, Frame
from reportgen.backends.cpu.processor import RDTSCP
from tests.unit.backends.cpu.x86 import assemble, executes, generate


class Recorded:
    """Stands for a program: writes numbered time stamps and keeps its arguments."""

    def __init__(self) -> None:
        self.words: list[int] = []

    def call(self, arguments: int, out: int) -> int:
        self.words = list((ctypes.c_int64 * 16).from_address(arguments))
        rows = (ctypes.c_int64 * (SLOTS * self.words[0])).from_address(out)
        for sample in range(self.words[0]):
            for slot in range(SLOTS - 1):
                rows[sample * SLOTS + slot] = 1000 * sample + slot * slot
            rows[sample * SLOTS + SLOTS - 1] = 0x5000 + sample  # NUMA node in the high bits
        return 0


def run(frame: Frame, samples: int = 2) -> Recorded:
    program = Recorded()
    frame.run(program, samples, 7, 9)  # type: ignore[arg-type]
    return program


def test_arguments_lie_where_the_template_reads_them() -> None:
    frame = Frame()
    frame.buffers(0xA000, 0xB000, 0xC000, 512, 4096)
    frame.barrier(0xD000, 3)
    words = run(frame).words
    assert words[:3] == [2, 7, 9]  # samples, warm-up, repetitions
    assert words[3:7] == [0xA000, 0xB000, 0xC000, 512]
    assert words[7:10] == [0xD000, 3, 0]
    assert words[11:13] == [0, 4096]
    scratch = words[10]
    assert scratch % 4096 == 0
    ctypes.memset(scratch, 0, SCRATCH_BYTES)  # it is there


@pytest.mark.parametrize("page", [4096, 16384, 65536])
def test_what_is_split_there_is_split_between_two_pages(page: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages of 16 KiB (Apple) and of 64 KiB end elsewhere than those of 4 KiB."""
    monkeypatch.setattr(mmap, "PAGESIZE", page)
    frames = [Frame() for _ in range(4)]
    for frame in frames:
        scratch = frame.arguments[10]
        assert (scratch + BOUNDARY) % page == 0
        assert scratch % 4096 == 0
        ctypes.memset(scratch, 0, SCRATCH_BYTES)


def test_new_buffers_start_at_their_beginning() -> None:
    frame = Frame()
    frame.arguments[11] = 12345
    frame.buffers(0x1000)
    assert list(frame.arguments)[11] == 0


def test_stamps_are_the_differences_of_their_slots() -> None:
    program, frame = Recorded(), Frame()
    first, second = frame.run(program, 2, 1, 1)  # type: ignore[arg-type]
    assert first.start == 36
    assert first.ticks == 49 - 36
    assert first.empty == 1
    assert first.calibration_before == 3
    assert first.canary_before == 5
    assert first.warmup == 25 - 16
    assert first.canary_after == 81 - 64
    assert first.calibration_after == 100 - 81
    assert (first.cpu, second.cpu) == (0, 1)
    assert second.start == 1036


@executes
@pytest.mark.parametrize("point", ["roofline/saxpy#n=1024", "instruction_latency/integer_add#length=48"])
def test_a_real_call_writes_every_sample_and_nothing_more(point: str) -> None:
    from tests.unit.backends.cpu.x86 import device

    code = assemble(generate(point, device(())))
    program = Executable(code.code, HEADER.unpack_from(code.code)[0])
    frame = Frame()
    frame.out[3 * SLOTS] = 0x7777
    samples = frame.run(program, 3, 1, 4)
    assert frame.out[3 * SLOTS] == 0x7777
    assert len(samples) == 3 <= MOST_SAMPLES
    for one in samples:
        assert one.start > 0
        assert one.ticks > 0
        # 20480 additions, 40960 idioms: long whatever the machine does
        assert min(one.calibration_before, one.calibration_after) > one.empty >= 0
        assert min(one.canary_before, one.canary_after) > 0
        assert 0 <= one.cpu < 4096
    assert [one.start for one in samples] == sorted(one.start for one in samples)


@pytest.fixture
def pinned() -> Iterator[int]:
    """The one CPU that this thread may use meanwhile."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(before)})
    yield max(before)
    os.sched_setaffinity(0, before)


@executes
@pytest.mark.parametrize("lacking", [False, True], ids=["rdtscp", "segment limit"])
def test_a_sample_names_its_cpu(pinned: int, lacking: bool) -> None:
    from tests.unit.backends.cpu.x86 import device

    reported: dict[str, int | float | str] = {"page_bytes": 4096} | ({RDTSCP: "lacking"} if lacking else {})
    source = generate("instruction_latency/integer_add#length=48", device((), reported=reported))
    assert ("rdtscp" in source.text) != lacking
    code = assemble(source)
    samples = Frame().run(Executable(code.code, HEADER.unpack_from(code.code)[0]), 2, 1, 4)
    # A kernel that is not Linux may keep no number there, and then no sample counts.
    assert {one.cpu for one in samples} <= ({pinned, 0xFFF} if lacking else {pinned})


@executes
def test_a_chase_goes_on_where_it_stopped() -> None:
    from tests.unit.backends.cpu.x86 import device

    code = assemble(generate("memory_hierarchy/pointer_chasing#level=l1", device(())))
    program = Executable(code.code, HEADER.unpack_from(code.code)[0])
    cells = (ctypes.c_uint64 * 101)()
    base = ctypes.addressof(cells)
    for index in range(101):
        cells[index] = base + 8 * ((index + 1) % 101)
    frame = Frame()
    frame.buffers(base)
    frame.run(program, 1, 1, 2)  # three rounds of 64 steps
    assert frame.arguments[3] == base + 8 * (3 * 64 % 101)
