"""Edges, chains and distances on hand-made instructions."""

from __future__ import annotations

from reportgen.backends.cuda import dataflow
from reportgen.backends.cuda.dataflow import Window
from reportgen.backends.cuda.sass import NO_BARRIER, Control, Instruction


def one(
    text: str, stall: int = 4, *, sets: int = NO_BARRIER, waits: int = 0, predicate: str = ""
) -> Instruction:
    opcode, _, operands = text.partition(" ")
    return Instruction(0, opcode, operands, predicate, Control(stall, 0, sets, NO_BARRIER, waits, 0))


def window(*body: Instruction, before: tuple[Instruction, ...] = ()) -> Window:
    clock = one("CS2R.32 R90,SR_CLOCKLO", 3)
    listed = [*before, clock, *body, one("CS2R.32 R91,SR_CLOCKLO", 1)]
    placed = [Instruction(16 * n, i.opcode, i.operands, i.predicate, i.control) for n, i in enumerate(listed)]
    return Window(placed)


def test_distance_is_the_sum_of_the_stalls_between() -> None:
    made = window(one("FADD R0,R1,R2", 2), one("NOP ", 3), one("FMUL R3,R0,R0", 1))
    (edge,) = made.edges()
    assert (edge.producer, edge.consumer, edge.distance, edge.scoreboard) == (0, 2, 5, False)


def test_scoreboard_needs_a_barrier_that_somebody_waits_on() -> None:
    waited = window(one("MUFU.EX2 R0,R1", 1, sets=2), one("FADD R3,R0,R0", waits=0b100))
    assert [edge.scoreboard for edge in waited.edges()] == [True]
    early = window(
        one("MUFU.EX2 R0,R1", 1, sets=2), one("NOP ", waits=0b100), one("FADD R3,R0,R0"), one("FADD R4,R3,R0")
    )
    assert [edge.scoreboard for edge in early.edges()] == [True, False, True] or [
        edge.scoreboard for edge in early.edges()
    ] == [True, True, False]
    other = window(one("MUFU.EX2 R0,R1", 1, sets=2), one("FADD R3,R0,R0", waits=0b001))
    assert [edge.scoreboard for edge in other.edges()] == [False]


def test_depbar_counts_as_waiting() -> None:
    made = window(one("MUFU.EX2 R0,R1", 1, sets=1), one("DEPBAR.LE SB1,0x0"), one("FADD R3,R0,R0"))
    assert [edge.scoreboard for edge in made.edges()] == [True]


def test_the_last_writer_is_the_producer() -> None:
    made = window(one("FADD R0,R1,R2"), one("FADD R0,R4,R5"), one("FMUL R6,R0,R7"))
    assert [(edge.producer, edge.consumer) for edge in made.edges()] == [(1, 2)]


def test_half_of_a_pair_is_enough() -> None:
    made = window(one("DADD R4,R6,R8"), one("FMUL R0,R5,R1"))
    assert [(edge.producer, edge.consumer) for edge in made.edges()] == [(0, 1)]


def test_a_predicated_write_needs_what_was_there() -> None:
    made = window(one("FADD R0,R1,R2"), one("FADD R0,R4,R5", predicate="@P0"))
    assert [(edge.producer, edge.consumer) for edge in made.edges()] == [(0, 1)]


def test_fillers_write_nothing() -> None:
    made = window(one("UIADD3 UR4,UR4,UR5,URZ", predicate="@!UPT"), one("FADD R0,R1,UR4"))
    assert made.edges() == []


def test_chains_longest_and_rootless() -> None:
    made = window(
        one("FADD R0,R0,R9"),
        one("FADD R1,R1,R9"),
        one("FADD R0,R0,R9"),
        one("FADD R1,R1,R9"),
        one("FADD R5,R8,R9"),
    )
    edges = made.edges()
    assert dataflow.chains(edges, [0, 1, 2, 3]) == 2
    assert dataflow.chains(edges, [0, 1, 2, 3, 4]) == 3
    assert dataflow.longest(edges, [0, 1, 2, 3, 4]) == 2
    assert dataflow.rootless(edges, [0, 1, 2, 3, 4]) == [0, 1, 4]


def test_a_path_through_others_counts_the_wanted_only() -> None:
    made = window(one("FADD R0,R0,R9"), one("MOV R1,R0"), one("FADD R0,R1,R9"))
    assert dataflow.longest(made.edges(), [0, 2]) == 2


def test_predicted_window() -> None:
    chain = [one("FFMA R0,R0,R1,R2") for _ in range(31)]
    assert window(*chain, one("FFMA R0,R0,R1,R2", 1)).predicted() == 3 + 31 * 4 + 1
    assert window(one("MUFU.EX2 R0,R0", sets=0), one("MUFU.EX2 R0,R0", waits=1)).predicted() is None
    assert window(*chain, one("BRA 0x10")).predicted() is None
    assert Window(chain).predicted() is None


def test_loops_are_branches_back_into_the_window() -> None:
    assert window(one("FADD R0,R0,R1"), one("BRA 0x10")).loops == 1
    assert window(one("FADD R0,R0,R1"), one("BRA 0x40")).loops == 0
    assert window(one("FADD R0,R0,R1"), one("BRA `(.L_x_1)")).loops == 0


def test_results_from_before_that_the_window_waits_for() -> None:
    load = one("LDG.E R1,[R2.64]", sets=3)
    late = window(one("FADD R0,R1,R1", waits=0b1000), before=(load,))
    assert [setter.opcode for setter in late.arrivals()] == ["LDG.E"]
    warm = window(one("FADD R0,R1,R1"), before=(load, one("FADD R9,R1,R1", waits=0b1000)))
    assert warm.arrivals() == []
    again = window(
        one("MUFU.EX2 R4,R5", sets=3),
        one("FADD R0,R4,R1", waits=0b1000),
        before=(load, one("NOP ", waits=0b1000)),
    )
    assert again.arrivals() == []


def test_mode_and_hazards() -> None:
    body = [one("FFMA R0,R0,R1,R2") for _ in range(6)]
    body[2] = one("FFMA R0,R0,R1,R2", 9)
    made = window(*body)
    read = dataflow.encoded(made, made.edges(), range(6))
    assert read is not None
    assert (read.kind, read.distance) == ("fixed", 4)
    assert read.edges == "FFMA>FFMA 4 x4, 9 x1"
    assert read.hazards == "FFMA>FFMA 9 (also overwrites the result) x1"


def test_alternating_pairs_have_a_mode_each() -> None:
    body = [one("HFMA2 R0,R0,R1,R2", 10), one("HFMA2.MMA R0,R0,R1,R2", 6)] * 4
    made = window(*body)
    read = dataflow.encoded(made, made.edges(), range(8))
    assert read is not None
    assert read.hazards == ""
    assert read.edges == "HFMA2.MMA>HFMA2 6 x3; HFMA2>HFMA2.MMA 10 x4"


def test_one_scoreboard_makes_the_chain_variable() -> None:
    made = window(
        one("FMUL R0,R0,R1"),
        one("FMUL R0,R0,R1"),
        one("MUFU.SIN R0,R0", sets=0),
        one("FMUL R0,R0,R1", waits=1),
    )
    read = dataflow.encoded(made, made.edges(), range(4))
    assert read is not None
    assert read.kind == "scoreboard"


def test_no_edge_no_reading() -> None:
    made = window(one("FADD R0,R1,R2"), one("FADD R3,R1,R2"))
    assert dataflow.encoded(made, made.edges(), [0, 1]) is None


def test_what_counts_turns_is_told_apart_from_sums() -> None:
    made = window(
        one("MOV R9,RZ"),
        one("IADD3 R0,R0,R1,R2"),
        one("IADD3 R9,R9,0x1,RZ"),
        one("ISETP.GE.U32.AND P0,PT,R9,UR4,PT"),
        one("BRA 0x20", predicate="@!P0"),
    )
    assert made.control() == {0, 2, 3, 4}


def test_a_loop_that_is_left_by_a_call_counts_turns_too() -> None:
    made = window(
        one("FADD R0,R0,R1"),
        one("ISETP.GE.U32.AND P0,PT,R9,UR4,PT"),
        one("CALL.REL.NOINC 0x50", predicate="@P0"),
        one("BRA 0x10"),
        one("FADD R0,R0,R1"),
    )
    assert made.control() == {1, 2, 3}
    assert not window(one("FADD R0,R0,R1"), one("CALL.REL.NOINC 0x90", predicate="@P0")).control()


def test_a_count_that_is_read_otherwise_is_no_count() -> None:
    made = window(
        one("IADD3 R9,R9,0x1,RZ"),
        one("FADD R0,R9,R1"),
        one("ISETP.GE.U32.AND P0,PT,R9,UR4,PT"),
        one("BRA 0x10", predicate="@!P0"),
    )
    assert made.control() == {2, 3}


def test_a_constant_that_is_fetched_again_joins_no_chains() -> None:
    made = window(one("ULDC UR4,c[0x0][0x228]"), one("FADD R0,R0,UR4"), one("FADD R2,R2,UR4"))
    assert dataflow.chains(made.edges(), [1, 2]) == 2
