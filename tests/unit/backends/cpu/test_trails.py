"""Chases through one load instruction, or a few: a body of one instruction is a chain of its own rounds."""

from __future__ import annotations

import ctypes
import platform
import sys

import msgspec
import numpy as np
import pytest

from reportgen.backends.base import Order
from reportgen.backends.cpu.backend import CpuBackend
from reportgen.backends.cpu.compiler import HEADER
from reportgen.backends.cpu.executable import Executable
from reportgen.backends.cpu.frame import Frame
from reportgen.backends.cpu.generator_trails import MULTIPLE, beyond
from reportgen.errors import Unsupported
from tests.unit.backends.cpu.x86 import assembles, device, generate, judge, planned, with_body

STRIDE = "memory_hierarchy/prefetch_stride#step=4,order=in_order"
STREAMS = "memory_hierarchy/prefetch_streams#count=8,order=in_order"


@assembles
@pytest.mark.parametrize("probe", ["stride", "stride_unrolled", "stride_dram", "run", "near", "streams"])
def test_every_point_is_verified(probe: str) -> None:
    points = [name for name in planned() if name.startswith(f"memory_hierarchy/prefetch_{probe}#")]
    assert points
    for point in points:
        result = judge(generate(point))
        assert result.verdict == "verified", f"{point}: {result.explanation}"


@assembles
@pytest.mark.parametrize(
    ("point", "body", "why"),
    [
        (STRIDE, ("mov rbx, [rcx]",), "wanted 1 dependency chains, found 0"),  # not what the last one brought
        (STRIDE, ("mov rbx, [rbx]", "mov rbx, [rbx]"), "wanted 1 mov"),
        (STRIDE, ("add rbx, rbx",), "wanted 1 mov"),
        (STREAMS, ("mov rbx, [rbx]", "mov rcx, [rbx]") * 4, "broken"),
        (STREAMS, ("mov rbx, [rbx]",) * 7, "wanted 8 mov"),
    ],
)
def test_a_body_that_is_another_is_rejected(point: str, body: tuple[str, ...], why: str) -> None:
    made = generate(point)
    result = judge(made, with_body(made, *body))
    assert result.verdict == "rejected"
    assert why in result.explanation


def test_work_of_a_line_behind_others() -> None:
    made = generate("memory_hierarchy/prefetch_near#case=border.up_4")
    assert made.work == {"steps": 1.0, "before": 8.0}
    assert generate(STREAMS).work == {"steps": 8.0}


def test_a_device_without_sizes_says_so() -> None:
    known = device(())
    size = int(known.reported["l2_bytes"])
    assert beyond(known, "beyond_l2") == MULTIPLE * size
    assert beyond(known, "dram") > beyond(known, "beyond_l2")
    nothing = type(known)(
        **{name: getattr(known, name) for name in known.__struct_fields__} | {"reported": {}}
    )
    with pytest.raises(Unsupported, match="no L2 size"):
        beyond(nothing, "beyond_l2")


def test_points_that_take_turns_know_each_other() -> None:
    streams = generate(STREAMS).setup
    assert streams["turns"] == "in_order shuffled"
    assert streams["together"] == f"{STREAMS} {STREAMS.replace('in_order', 'shuffled')}"
    assert (
        generate("memory_hierarchy/prefetch_run#length=4,order=shuffled").setup["turns"]
        == "in_order shuffled"
    )
    alone = "memory_hierarchy/prefetch_run#length=1,order=in_order"
    assert generate(alone).setup["together"] == alone  # the other is left out
    near = generate("memory_hierarchy/prefetch_near#case=odd.up_1").setup
    assert near["together"] == " ".join(
        f"memory_hierarchy/prefetch_near#case=odd.up_{far}" for far in (1, 32)
    )


runs_here = pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() != "x86_64", reason="runs x86-64 machine code on Linux"
)


@runs_here
@pytest.mark.parametrize("point", [STRIDE, STREAMS, "memory_hierarchy/prefetch_near#case=border.up_1"])
def test_a_visit_on_this_processor(point: str) -> None:
    backend = CpuBackend()
    (candidate, *_) = backend.discover()
    made = generate(point)
    build = backend.builder(candidate.device).build(made)
    assert build.program is not None
    setup = made.setup | {"size": 1 << 18}  # any size will do here
    launcher = backend.launcher(candidate.selector, candidate.device)
    points = str(setup["together"]).split()
    order = Order(points[0], build.code, build.program.sha256, setup, 0.004, 0.0, 1, 0)
    batches = [launcher.measure(msgspec.structs.replace(order, point=name)) for name in points]
    assert [batch.point for batch in batches] == points
    for batch in batches:
        assert min(batch.columns["ticks"]) > 0
        assert int(batch.facts["bytes_actual"]) <= 1 << 18
        assert batch.facts["turns"] == setup["turns"]
    assert min(batches[0].seconds[name] for name in ("setup", "measure")) > 0
    assert all(not batch.seconds for batch in batches[1:])  # of all of them the first has told
    starts = np.array([batch.columns["start"] for batch in batches])
    assert (np.diff(starts.T.reshape(-1)) > 0).all()  # sample by sample in turn
    again = launcher.measure(msgspec.structs.replace(order, point=points[-1], seed=2))
    assert min(again.columns["start"]) > starts.max()  # what was kept is given once


@runs_here
def test_a_turn_ends_with_its_timed_round() -> None:
    """Warm-up and body of a sample go through one chase, the next sample through the next."""
    backend = CpuBackend()
    (candidate, *_) = backend.discover()
    made = generate(STRIDE)
    build = backend.builder(candidate.device).build(made)
    program = Executable(build.code, HEADER.unpack_from(build.code)[0])
    frame, length = Frame(), 8
    cells = (ctypes.c_int64 * (3 * length))()
    base = ctypes.addressof(cells)
    for cell in range(3 * length):
        chase, at = divmod(cell, length)
        cells[cell] = base + 8 * (chase * length + (at + 1) % length)
    ring = frame.in_turn([base + 8 * length * chase for chase in range(3)])
    frame.buffers(ring)
    frame.run(program, 4, 2, 3)  # the first chase twice, the others once, five steps a sample
    places = [(frame.scratched(2 * chase) - base) // 8 - length * chase for chase in range(3)]
    assert places == [10 % length, 5, 5]
    frame.run(program, 1, 1, 1)  # goes on with the second
    assert (frame.scratched(2) - base) // 8 - length == 7
