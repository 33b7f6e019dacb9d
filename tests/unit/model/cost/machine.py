"""A core of four integer and four vector resources, written down, and its architecture model."""

from __future__ import annotations

from reportgen import __version__
from reportgen.findings.finding import Claim
from reportgen.model.architecture import MODEL_SCHEMA, Architecture, Fact, Instruction, Level
from reportgen.model.resources import Deviation, Explanation, Placed, ResourceGroup, Resources, Use
from reportgen.status import Status

CLOCK = 4e9


def fact(metric: str, value: float | None, unit: str = "cycle", margin: float = 0.0) -> Fact:
    """A fact whose interval is `margin` wide on either side, relative."""
    if value is None:
        return Fact(metric, unit, Status.UNSTABLE, Claim.MEASURED, 0.0, reason="two groups")
    return Fact(
        metric, unit, Status.OK, Claim.MEASURED, 0.95, value, value * (1 - margin), value * (1 + margin), 99
    )


# operation: (form, latency, cycles an instruction)
OPERATIONS: dict[str, tuple[str, float | None, float]] = {
    "integer_add": ("add {d}, {a}", 1.0, 0.25),
    "integer_sub": ("sub {d}, {a}", 1.0, 0.25),
    "integer_logic": ("xor {d}, {a}", 1.0, 0.25),
    "integer_shift": ("shl {d}, 3", 1.0, 0.5),
    "integer_mul": ("imul {d}, {a}", 3.0, 1.0),
    "integer_div": ("mov rax, {a}; xor edx, edx; div {d}", 12.0, 7.0),
    "integer_move": ("mov {d}, {a}", None, 0.17),
    "integer_zero_extend": ("movzx {d.r32}, {d.r8}", 1.0, 0.25),
    "lea_2": ("lea {d}, [{d}+{a}]", 1.0, 0.25),
    "lea_3": ("lea {d}, [{d}+{a}+8]", 2.0, 0.5),
    "lea_scaled": ("lea {d}, [{a}+{d}*4]", 1.0, 0.25),
    "fp32_add_256": ("vaddps {d}, {d}, {a}", 3.0, 0.5),
    "fp32_mul_256": ("vmulps {d}, {d}, {a}", 3.0, 0.5),
    "fp32_fma_256": ("vfmadd231ps {d}, {a}, {b}", 4.0, 0.5),
    "fp32_fma_512": ("vfmadd231ps {d}, {a}, {b}", 4.0, 1.0),
    "fp32_div_nontrivial_256": ("vdivps {d}, {a}, {d}", 11.0, 3.0),
    "vector_int32_add_256": ("vpaddd {d}, {d}, {a}", 1.0, 0.25),
    "vector_logic_256": ("vandps {d}, {d}, {a}", 1.0, 0.25),
    "shuffle_bytes_256": ("vpshufb {d}, {d}, {a}", 2.0, 0.5),
    "convert_fp64_int64": ("vcvttsd2si {t}, {d}; vcvtsi2sd {d}, {d}, {t}", 12.0, 2.0),
    "convert_int32_fp32_256": ("vcvtdq2ps {d}, {d}", 3.0, 0.5),
    "move_general_vector": ("vmovq {t}, {d}; vmovq {d}, {t}", 6.0, 1.0),
    "l1_load": ("mov {d}, {m8}", 4.0, 1 / 3),
    "l1_load_128": ("vmovups {d}, {m16}", None, 0.5),
    "l1_load_256": ("vmovups {d}, {m32}", None, 0.5),
    "store": ("mov {m}, {d}", None, 1.0),
    "store_256": ("vmovups {m}, {d}", None, 1.0),
    "store_forward": ("mov {m}, {d}; mov {d}, {m}", 1.0, 1.0),
    "store_forward_256": ("vmovups {m}, {d}; vmovups {d}, {m}", 10.0, 1.0),
}  # fmt: skip

USES = {
    "integer_add": ("r1 r2 r3 r4", 1.0),
    "integer_shift": ("r1 r3", 1.0),
    "integer_mul": ("r1", 1.0),
    "fp32_add_256": ("r9 r10", 1.0),
    "fp32_mul_256": ("r5 r6", 1.0),
    "fp32_fma_256": ("r5 r6", 1.0),
    "vector_int32_add_256": ("r5 r6 r9 r10", 1.0),
    "shuffle_bytes_256": ("r6 r10", 1.0),
    "l1_load": ("r2 r7 r8", 1.0),
    "store": ("r8", 1.0),
}


def resources() -> Resources:
    """The resource model; the conversion was placed, and one mix is late."""
    uses = tuple(Use(name, tuple(words.split()), cycles) for name, (words, cycles) in USES.items())
    names = tuple(sorted({name for use in uses for name in use.resources}))
    return Resources(
        claim=Claim.INFERRED, sentence="The times are consistent with ten abstract resources.",
        alternatives=("issue port",), front_end=6.0, cycle_hz=CLOCK, mixes=45,
        groups=(ResourceGroup(tuple(USES), (Explanation(names, uses),), True),),
        deviations=(Deviation("fp32_fma_256", "shuffle_bytes_256", 12, 12, 8.8, 8.0),), undecided=(),
        placed=(Placed("convert_int32_fp32_256", (Use("convert_int32_fp32_256", ("r10", "r9"), 1.0),)),),
    )  # fmt: skip


def level(name: str, capacity: float | None, read: float, write: float) -> Level:
    """A level with its capacity and two bandwidths, bytes a cycle."""
    facts = {} if capacity is None else {"capacity": fact(f"memory.{name}.capacity", capacity, "byte", 0.1)}
    if name == "l1":
        facts["line"] = fact("memory.line", 64.0, "byte")
    rates = {"read": read, "write": write}
    bandwidth = {
        key: fact(f"bandwidth.{name}.{key}", rate * CLOCK, "byte/second", 0.01)
        for key, rate in rates.items()
        if rate
    }
    return Level(name, facts, bandwidth)


def core(**changes: object) -> Architecture:
    """The model; `changes` are fields of `Architecture`."""
    instructions = tuple(
        Instruction(
            operation=name, title=name.replace("_", " "), form=form,
            dependent_latency=fact(f"latency.{name}", latency),
            issue_interval=fact(f"issue_interval.{name}", interval, "cycle/instruction"),
        )
        for name, (form, latency, interval) in OPERATIONS.items()
    )  # fmt: skip
    fields: dict[str, object] = {
        "schema": MODEL_SCHEMA, "device": "written-core", "name": "Written core", "isa": "x86_64",
        "run": "20261101T000000Z-00000000", "created": "2026-11-01T00:00:00+00:00", "suite": "1",
        "environment": {},
        "instructions": instructions, "interference": (),
        "memory": (
            level("l1", 32768, 64, 32), level("l2", 1 << 20, 32, 32), level("l3", 1 << 24, 0, 0),
            level("dram", None, 8, 6),
        ),
        "ceilings": (), "ridges": (), "facts": (), "resources": resources(), "reportgen": __version__,
    }  # fmt: skip
    return Architecture(**(fields | changes))  # type: ignore[arg-type]
