"""Estimates on a core that is written down: each bound where it decides, ranges, refusals, rankings."""

from __future__ import annotations

import msgspec
import pytest

from reportgen.model.architecture import Fact
from reportgen.model.cost import bounds, memory_bound
from reportgen.model.cost.estimate import Estimate, estimate
from reportgen.model.cost.instruction import Body
from reportgen.model.cost.parse import Unreadable, x86_bodies
from reportgen.model.cost.rank import rank
from reportgen.status import Status
from tests.unit.model.cost.machine import core, fact

LOOPS = {
    "dot": "vmovups ymm1, [rsi+rax]; vfmadd231ps ymm0, ymm1, [rdi+rax]; add rax, 32; dec r15; jne loop",
    "dot4": "; ".join(
        f"vmovups ymm{4 + i}, [rsi+rax+{32 * i}]; vfmadd231ps ymm{i}, ymm{4 + i}, [rdi+rax+{32 * i}]"
        for i in range(4)
    )
    + "; add rax, 128; dec r15; jne loop",
    "fmas": "; ".join(f"vfmadd231ps ymm{i}, ymm14, ymm15" for i in range(10)) + "; dec r15; jne loop",
    "adds": "; ".join(f"add r{8 + i % 6}, rax" for i in range(12)) + "; dec r15; jne loop",
    "separate": "mov rax, [rsi]; " + "imul rax, rbx; " * 12 + "mov [rdi], rax; dec r15; jne loop",
    "nops": "; ".join(["nop"] * 17) + "; dec r15; jne loop",
    "copy": "vmovups ymm0, [rsi+rax]; vmovups [rdi+rax], ymm0; add rax, 32; dec r15; jne loop",
    "update": "vaddps ymm0, ymm1, [rsi+rax]; vmovups [rsi+rax], ymm0; add rax, 32; dec r15; jne loop",
    "strided": "mov ebx, [rsi+rax]; add rax, 256; dec r15; jne loop",
    "gather": "vpgatherdd ymm0, [rsi+ymm1*4], ymm2; vaddps ymm3, ymm3, ymm0; dec r15; jne loop",
    "converting": "; ".join(f"vcvtdq2ps ymm{i}, ymm{i}" for i in range(8)) + "; dec r15; jne loop",
    "spilled": "mov rax, [rsp+8]; add rax, rbx; mov [rsp+8], rax; dec r15; jne loop",
    "crossed": "; ".join(f"add r{8 + i}, rax" for i in range(3))
    + "; add eax, 1; movzx r14d, al; add ebx, r14d; add ecx, r14d; dec r15; jne loop",
}


@pytest.fixture(scope="module")
def bodies() -> dict[str, Body]:
    texts = [(name, "loop:\n" + text.replace(";", "\n") + "\n", True) for name, text in LOOPS.items()]
    return dict(zip(LOOPS, x86_bodies(texts), strict=True))


@pytest.fixture(scope="module")
def found(bodies: dict[str, Body]) -> dict[str, Estimate]:
    return {name: estimate(body, core()) for name, body in bodies.items()}


@pytest.mark.parametrize(
    ("name", "cycles", "decides"),
    [
        ("dot", 4.0, "dependencies"),
        ("dot4", 4.0, "resources or dependencies or schedule"),
        ("fmas", 5.0, "resources"),
        ("adds", 3.25, "resources"),
        ("nops", 3.0, "front end"),
        ("copy", 1.0, "dependencies or resources or taken branches or schedule"),
        ("converting", 4.0, "resources"),
    ],
)
def test_the_bound_that_decides(name: str, cycles: float, decides: str, found: dict[str, Estimate]) -> None:
    one = found[name]
    assert one.cycles == pytest.approx(cycles, rel=0.09)
    assert set(one.decides.split(" or ")) == set(decides.split(" or "))


def test_ranges_hold_the_estimate(found: dict[str, Estimate]) -> None:
    for one in found.values():
        assert 0 < one.low <= one.cycles <= one.high, one.name
        assert all(bound.low <= bound.cycles <= bound.high for bound in one.bounds), one.name


def test_a_schedule_made_in_order_is_no_better_than_the_bounds(found: dict[str, Estimate]) -> None:
    one = found["crossed"]
    bounds = {bound.name: bound.cycles for bound in one.bounds}
    assert bounds["resources"] == pytest.approx(2.0)
    assert one.cycles == max(bounds.values())


def test_the_estimate_is_the_same_every_time(bodies: dict[str, Body], found: dict[str, Estimate]) -> None:
    assert estimate(bodies["crossed"], core()) == found["crossed"]


def test_unknown_instructions_are_named_and_widen_the_range(found: dict[str, Estimate]) -> None:
    one = found["gather"]
    assert one.unknown == ("vpgatherdd ymm0,[rsi+ymm1*4],ymm2",)
    assert one.covered == 0.75
    assert one.high > one.cycles / 0.75


def test_memory_counts_beyond_the_first_level(bodies: dict[str, Body]) -> None:
    for name, size, cycles, where in (
        ("copy", 16384, 1.0, ""),
        ("copy", 1 << 19, 2.0, "64 bytes from l2 and 32 back"),
        ("update", 1 << 19, 1.0, "32 bytes from l2 and 32 back"),
        ("update", 1 << 26, 32 / 8 + 32 * (1 / 6 - 1 / 8), "32 bytes from dram and 32 back"),
        ("strided", 1 << 26, 64 / 8, "64 bytes from dram and 0 back"),
    ):
        one = estimate(bodies[name], core(), float(size))
        memory = {bound.name: bound for bound in one.bounds}.get("memory")
        assert (memory is None) is (where == ""), name
        if memory is not None:
            assert memory.cycles == pytest.approx(cycles, rel=0.01), (name, size)
            assert memory.why == where


def test_a_level_without_a_bandwidth_is_between_its_neighbours(bodies: dict[str, Body]) -> None:
    one = estimate(bodies["copy"], core(), float(1 << 23))
    inner, outer = (estimate(bodies["copy"], core(), float(size)) for size in (1 << 19, 1 << 26))
    found, fast, slow = (
        next(bound for bound in some.bounds if bound.name == "memory") for some in (one, inner, outer)
    )
    assert (found.cycles, found.low, found.high) == (fast.cycles, fast.low, slow.high)
    assert found.why.endswith("no bandwidth of l3 in this run: between l2 and dram")


def test_a_level_without_a_bandwidth_is_said_where_no_neighbour_has_one(bodies: dict[str, Body]) -> None:
    model = core()
    levels = tuple(msgspec.structs.replace(level, bandwidth={}) for level in model.memory)
    one = estimate(bodies["copy"], msgspec.structs.replace(model, memory=levels), float(1 << 23))
    assert "no memory bound: the run has no bandwidth of l3" in one.notes


def test_traffic_is_by_stream(bodies: dict[str, Body]) -> None:
    assert memory_bound.traffic(bodies["dot4"].instructions) == memory_bound.Traffic(256.0, 0.0, True)
    assert memory_bound.traffic(bodies["spilled"].instructions) == memory_bound.Traffic(0.0, 0.0, True)
    assert not memory_bound.traffic(bodies["gather"].instructions).followed


def test_conversions_and_spills_are_said(found: dict[str, Estimate]) -> None:
    assert found["converting"].conversions == pytest.approx(4.0 - 0.25, rel=0.05)
    assert found["dot"].conversions == 0
    assert any("2 accesses through the stack" in note for note in found["spilled"].notes)


def test_the_window_is_that_of_the_run_where_it_asked(bodies: dict[str, Body]) -> None:
    assert bounds.in_flight(core()) == 224
    asked = core(facts=(fact("window.mixed", 40.0, "count", 0.1),))
    assert bounds.in_flight(asked) == 40
    # 40 dependent cycles a round, but rounds do not depend on each other: it matters how many are in flight
    narrow = core(facts=(*core().facts, fact("window.mixed", 20.0, "count", 0.1)))
    wide = core(facts=(*core().facts, fact("window.mixed", 400.0, "count", 0.1)))
    body = bodies["separate"]
    assert estimate(body, wide).cycles == 12.0  # one multiplier
    assert estimate(body, narrow).cycles > 15.0


def taken(one: Estimate, name: str = "taken branches") -> bounds.Bound:
    return next(bound for bound in one.bounds if bound.name == name)


AT_LEAST = msgspec.structs.replace(fact("branch.loop.group", 5.0), status=Status.CENSORED)


@pytest.mark.parametrize(
    ("loop", "group", "cycles", "low", "high"),
    [
        ("nops", None, 3.0, 3.0, 19 / 6),  # 18 slots at 6 a cycle
        ("nops", fact("branch.loop.group", 8.0, "count"), 3.0, 3.0, 19 / 6),
        ("nops", fact("branch.loop.group", 7.0, "count"), 3.0, 3.0, 19 / 6),
        ("nops", fact("branch.loop.group", 5.0, "count"), 4.0, 4.0, 4.0),
        ("fmas", fact("branch.loop.group", 6.0, "count"), 2.0, 2.0, 2.0),
        ("fmas", fact("branch.loop.group", 6.0, "count", 0.2), 2.0, 2.0, 3.0),
        ("fmas", fact("branch.loop.group", None), 11 / 6, 11 / 6, 2.0),
        ("fmas", AT_LEAST, 11 / 6, 11 / 6, 2.0),
    ],
)  # fmt: skip
def test_what_comes_in_in_front_of_a_taken_branch_is_whole_groups(
    loop: str, group: Fact | None, cycles: float, low: float, high: float, bodies: dict[str, Body]
) -> None:
    one = estimate(bodies[loop], core(facts=(*core().facts, *((group,) if group is not None else ()))))
    found = taken(one, "front end")
    assert (found.cycles, found.low, found.high) == pytest.approx((cycles, low, high))
    assert ("groups in front of the branch" in found.why) == (cycles > bodies_slots(bodies[loop]) / 6)


def bodies_slots(body: Body) -> int:
    """Instructions, the counter and its branch as one."""
    return len(body.instructions) - 1


def test_a_taken_branch_takes_what_the_run_measured(bodies: dict[str, Body]) -> None:
    assumed = taken(estimate(bodies["dot"], core()))
    assert (assumed.low, assumed.cycles, assumed.high) == (0.5, 1.0, 1.0)
    assert assumed.why == "1 a round, one a cycle assumed, this run did not ask"
    slow = core(facts=(*core().facts, fact("branch.taken.interval", 2.0, "cycle", 0.01)))
    measured = taken(estimate(bodies["dot"], slow))
    assert (measured.low, measured.cycles, measured.high) == (1.98, 2.0, 2.02)
    assert measured.why == "1 a round, 2 cycles each, measured"
    without = core(facts=(*core().facts, fact("branch.taken.interval", None)))
    assert taken(estimate(bodies["dot"], without)) == assumed


def test_what_a_wrong_prediction_inside_of_a_round_adds_is_said(bodies: dict[str, Body]) -> None:
    text = "loop:\n cmp rax, rbx\n jb small\n mov rax, rbx\nsmall:\n add rcx, rax\n dec r15\n jne loop\n"
    (clipping,) = x86_bodies([("clip", text, True)])
    assert estimate(clipping, core()).notes[-1] == (
        "a branch inside of the round is taken to be predicted; what a wrong prediction costs this run did "
        "not measure"
    )
    asked = core(facts=(*core().facts, fact("branch.misprediction", 15.0, "cycle", 0.1)))
    note = estimate(clipping, asked).notes[-1]
    assert note.endswith("each wrong prediction adds about 15 cycles (13.5 … 16.5, measured)")
    assert not any("prediction" in note for note in estimate(bodies["dot"], asked).notes)


def test_a_mix_has_no_dependencies() -> None:
    mix = Body("mix", "", counts={"fp32_fma_256": 8, "l1_load_256": 4, "integer_add": 3})
    one = estimate(mix, core())
    assert one.cycles == pytest.approx(4.0)
    assert {bound.name for bound in one.bounds} == {"resources", "front end"}
    partly = estimate(msgspec.structs.replace(mix, counts={"fp32_fma_256": 6, "nonsense": 2}), core())
    assert (partly.unknown, partly.covered) == (("nonsense",), 0.75)
    with pytest.raises(Unreadable, match="has no rate of nonsense"):
        estimate(msgspec.structs.replace(mix, counts={"nonsense": 2}), core())


def test_a_body_of_another_instruction_set_is_refused(bodies: dict[str, Body]) -> None:
    with pytest.raises(Unreadable, match="is x86-64 code, written-core is sm_90"):
        estimate(bodies["dot"], core(isa="sm_90"))


def test_a_model_without_resources_still_has_rates(bodies: dict[str, Body]) -> None:
    one = estimate(bodies["fmas"], core(resources=None))
    assert one.cycles == pytest.approx(5.0)
    assert one.seconds == 0


# rankings


def each(name: str, cycles: float, low: float, high: float, items: float = 1.0) -> Estimate:
    mix = estimate(Body(name, "", counts={"integer_add": 1}), core())
    return msgspec.structs.replace(mix, cycles=cycles, low=low, high=high, items=items)


@pytest.mark.parametrize(
    ("first", "second", "verdict"),
    [
        ((4, 4, 4.5), (8, 7, 9), "first"),
        ((8, 7, 9), (4, 4, 4.5), "second"),
        ((4, 4, 6), (5, 5, 6), "cannot tell"),
        ((4, 4, 4), (4.1, 4.1, 4.1), "cannot tell"),
        ((8, 8, 8, 8), (4, 4, 4, 1), "first"),  # eight results a round
    ],
)
def test_ranks_are_decided_where_ranges_are_apart(
    first: tuple[float, ...], second: tuple[float, ...], verdict: str
) -> None:
    assert rank(each("a", *first), each("b", *second)).verdict == verdict


def test_nothing_is_ranked_without_an_estimate() -> None:
    assert rank(each("a", 0, 0, 0), each("b", 1, 1, 1)).verdict == "cannot tell"
