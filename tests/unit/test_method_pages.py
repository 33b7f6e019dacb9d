"""The pages of docs/method have one shape, and the constants they give are those of the code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from reportgen.analysis import (
    boundary,
    branches,
    gpu_further,
    gpu_host_link,
    hierarchy,
    intensity,
    pcie,
    plateau,
    rises,
    robust,
    slope,
    sustained,
    taken_branches,
    tlb,
    working_set,
)
from reportgen.analysis import interference as arrangements
from reportgen.backends import gates
from reportgen.backends.cpu import outcomes
from reportgen.backends.cpu.clock import CALIBRATION_CYCLES, CANARY_INSTRUCTIONS, LONG_CHAIN, SHORT_CHAIN
from reportgen.backends.cpu.preparation import WINDOW_SECONDS
from reportgen.backends.cuda import calls, generator_synchronisation, holding
from reportgen.findings import confidence, crosschecks, hypotheses_synchronisation, interference
from reportgen.findings.gates import GATES
from reportgen.findings.metric import Kind
from reportgen.findings.published import weighing
from reportgen.model import comparable, compare
from reportgen.suite.load import load_suite
from reportgen.survey import modelled
from reportgen.validation import llvm_mca_regions

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "method"
PAGES = sorted(FOLDER.glob("*.md"))
PARTS = ["Method", "Constants, and why", "Assumptions", "What goes wrong", "Sources"]
RESULTS = {"calibration": ["Intervals", "Reliability", "Shared or separate", "Hypotheses", "GPUs"]}
"""Pages that give results of their own before the method."""


def constants(page: str) -> dict[str, str]:
    """Name -> value as written, of the table under "Constants, and why"."""
    text = (FOLDER / page).read_text(encoding="utf-8").split("## Constants, and why")[1].split("\n## ")[0]
    return {
        name.strip(): value.strip()
        for name, value in re.findall(r"^\| ([^|]+)\|([^|]+)\|", text, re.MULTILINE)
    }


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_a_page_asks_answers_and_doubts(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert text.count("\n**Question.** ") == 1
    assert re.findall(r"^## (.+)$", text, re.MULTILINE) == RESULTS.get(page.stem, []) + PARTS


def percent(ratio: float) -> str:
    """As the pages write it: 0.0025 -> "0.25 %"."""
    return f"{ratio * 100:g} %"


def test_the_survey_page_gives_what_agrees_with_a_model() -> None:
    written = constants("survey.md")
    assert written["agreement with a model"] == percent(modelled.SHARE)
    assert (written["of a latency also"], modelled.HALF) == ("half a cycle", 0.5)
    short, long = llvm_mca_regions.SHORT, llvm_mca_regions.LONG
    assert written["simulated"] == f"{short} and {long} instructions"


def test_the_clock_page_gives_the_constants_of_the_gates() -> None:
    text, written = (FOLDER / "clock.md").read_text(encoding="utf-8"), constants("clock.md")
    assert int(written["length of the chain"]) == LONG_CHAIN
    assert int(written["length of the short chain"]) == SHORT_CHAIN
    assert f"- empty) / {CALIBRATION_CYCLES}\n" in text
    assert int(written["canary"]) == CANARY_INSTRUCTIONS
    assert written["agreement"] == percent(gates.AGREEMENT)
    assert written["agreement of long bodies"] == percent(gates.LONG_AGREEMENT)
    assert written["share of the best rate"] == percent(gates.CANARY_SHARE)
    assert int(written['samples behind "best"']) == gates.SUPPORT
    assert int(written["accepted samples"]) == gates.MIN_ACCEPTED
    assert written["standard error"] == percent(gates.PRECISION)
    assert f"{gates.MEDIAN_COST} x {gates.MAD_TO_SIGMA} x MAD" in text


def test_the_other_pages_give_the_constants_of_their_analyses() -> None:
    assert constants("slope.md")["linearity"] == percent(slope.NOT_LINEAR)
    assert constants("slope.md")["stray"] == percent(slope.STRAY)
    assert constants("plateau.md")["member"] == percent(plateau.MEMBER)
    assert constants("plateau.md")["still rising"] == percent(plateau.RISING)
    written = constants("interference.md")
    assert written["same time"] == percent(arrangements.SAME_TIME)
    assert float(written["independent below"]) == interference.INDEPENDENT_BELOW
    assert float(written["serialised from"]) == interference.SERIALISED_FROM
    assert float(written["beyond serial"]) == interference.BEYOND_SERIAL
    assert float(written["room above the front end"]) == interference.FRONT_END_ROOM
    assert float(written["arrangement matters"]) == interference.ARRANGEMENT_MATTERS
    assert float(written["least visible"]) == interference.LEAST_VISIBLE
    assert float(written["scatter of a proportion"]) == interference.SCATTER
    written = constants("boundary.md")
    assert float(written["least step"]) == boundary.LEAST_STEP
    assert float(written["sharp"].split()[0]) == boundary.SHARP_HEIGHT
    assert float(written["end of a sharp edge"].split()[0]) == boundary.SHARP_END
    assert float(written["apart"]) == rises.APART
    assert written["one more rise"] == f"{rises.PAYS:g} log(n)"
    assert written["inside"] == f"{rises.INSIDE:g} variances"
    assert written["scatter on a rise"] == percent(rises.PLACEMENT)
    assert written["grid of the fit"] == percent(round(boundary.GRID - 1, 6))
    assert written["least rise of translation"] == percent(tlb.LEAST_RISE)
    assert f"went to {working_set.OUTSIDE} times" in (FOLDER / "boundary.md").read_text(encoding="utf-8")
    written = constants("bandwidth.md")
    assert written["share of a level"].startswith(f"{hierarchy.FITS} at most, {hierarchy.BEYOND} of")
    assert float(written["multiple of the last cache"]) == hierarchy.DRAM_MULTIPLE


def test_the_roofline_page_gives_the_constants_of_the_sweep() -> None:
    written = constants("roofline.md")
    aside = f"{intensity.LEAST_ASIDE}, a factor of {intensity.ASIDE:.1f} away"
    assert written["points on either side"] == aside
    assert written["scatter about the curve"] == percent(intensity.MISSED)


def test_the_confidence_page_gives_the_scales() -> None:
    text = (FOLDER / "confidence.md").read_text(encoding="utf-8")
    row = r"^\| `(\w+)` \|[^|]+\| ([-0-9.]+) \| ([-0-9.]+) \| ([-0-9.]+) \|$"
    written = {name: tuple(map(float, rest)) for name, *rest in re.findall(row, text, re.MULTILINE)}
    scales = confidence.SCALES | confidence.CODE_SCALES
    assert written == {name: (one.good, one.bad, one.floor) for name, one in scales.items()}
    formula = text.split("```")[1]
    assert all(f"{factor} ^ {name}" in formula for name, factor in confidence.PER_ONE.items())
    assert f"confidence = {confidence.BASE} x" in formula
    assert f"at most {confidence.UNVERIFIED_CAP}." in text
    assert f"than {robust.OUTLIER:g} robust deviations" in text


def test_the_page_of_gates_lists_them_all() -> None:
    text = (FOLDER / "gates.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| (\w+) \| (.+?) \| (.+?) \|$", text, re.MULTILINE)
    assert rows == [(gate.name, str(gate.severity), gate.statement, gate.source) for gate in GATES]


def test_the_page_about_comparing_gives_the_least_relevant_differences() -> None:
    written = constants("comparing.md")
    groups = {
        "instruction latency, throughput, issue interval, peak per cycle": [
            *(Kind.LATENCY, Kind.THROUGHPUT, Kind.ISSUE_INTERVAL, Kind.PEAK_PER_CYCLE)
        ],
        "latency and bandwidth of a level, peak, library routine": [
            *(Kind.LEVEL_LATENCY, Kind.LEVEL_TIME, Kind.CHASE, Kind.BANDWIDTH, Kind.PEAK, Kind.KERNEL)
        ],
        "burst and sustained rate": [Kind.BURST, Kind.SUSTAINED],
        "sustained over burst": [Kind.SUSTAINED_RATIO],
        "settling time": [Kind.SETTLING_TIME],
        "capacity, reach, line, associativity, ridge": [
            *(Kind.CAPACITY, Kind.TLB_REACH, Kind.LINE, Kind.ASSOCIATIVITY, Kind.RIDGE)
        ],
    }
    for name, kinds in groups.items():
        assert {percent(compare.RELEVANT[kind]) for kind in kinds} == {written[name]}
    assert float(written["interference index"]) == compare.RELEVANT[Kind.INTERFERENCE]
    assert written["latency and bandwidth of l3 and dram"] == percent(compare.FAR)
    assert written["clock that moved"] == percent(comparable.CLOCK_MOVED)


def test_the_page_of_the_link_gives_the_constants() -> None:
    written = constants("host-link.md")
    assert written["copies of a sample"] == f"1 to {calls.MOST_CALLS}, {calls.LEAST_MS:g} ms together"
    assert written["one rate"] == percent(gpu_host_link.LEVEL)
    assert written["still rising"] == percent(gpu_host_link.RISING)
    assert written["straight line"] == percent(gpu_host_link.ON_LINE)
    assert written["one latency"] == percent(gpu_host_link.SAME)
    text = (FOLDER / "host-link.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d) \|.*\| ([\d.]+) GB/s \| ([\d.]+) GB/s \|$", text, re.MULTILINE)
    assert rows == [
        (str(number), f"{lane / 1e9:.3f}", f"{16 * lane / 1e9:.1f}") for number, lane in pcie.LANE.items()
    ]


def test_the_page_of_sustained_rates_gives_the_constants() -> None:
    written = constants("sustained.md")
    assert written["first windows"] == percent(sustained.FIRST)
    assert written["last windows"] == percent(sustained.LAST)
    assert int(written["windows of a visit, at least"]) == sustained.LEAST_WINDOWS
    assert written["settled"] == percent(sustained.SETTLED)
    assert written["loosest interval"] == percent(sustained.LOOSE)
    assert float(written["robust deviations"]) == sustained.NOISE
    assert written["window"] == f"{1000 * WINDOW_SECONDS:g} ms"
    assert written["window on a GPU"] == f"{1000 * holding.WINDOW_SECONDS:g} ms"
    assert written["visit"] == f"{load_suite().definitions['roofline/sustained_fp32'].seconds:g} s"


def test_the_page_of_branches_gives_the_constants() -> None:
    written = constants("branches.md")
    assert int(written["branches of a body"]) == outcomes.SITES
    assert int(written["steps between branches"]) == outcomes.STEPS
    assert written["share taken, allowed"] == f"{outcomes.SIGMAS:g} standard deviations"
    assert written["least rise"] == percent(taken_branches.LEAST_RISE)
    assert float(written["least step of a call"]) == branches.LEAST_STEP


def test_the_page_of_cross_checks_gives_the_tolerances() -> None:
    written = constants("cross-checks.md")
    assert written["other probe"] == percent(crosschecks.TOLERANCE)
    assert written["counter"] == percent(crosschecks.COUNTER_TOLERANCE)
    assert written["below the encoded distance"] == f"{crosschecks.ENCODED_SLACK} cycles"
    near = (Kind.LATENCY, Kind.CAPACITY, Kind.PEAK)
    assert {percent(weighing.TOLERANCE[kind]) for kind in near} == {
        written["published: instruction, capacity, peak"]
    }
    wide = (Kind.BANDWIDTH, Kind.TLB_REACH)
    assert {percent(weighing.TOLERANCE[kind]) for kind in wide} == {written["published: bandwidth, reach"]}
    assert written["published: far latency"] == percent(weighing.FAR)
    text = (FOLDER / "cross-checks.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| ([a-z -]+?) \| (?!value|agrees|-)[^|]+\|$", text, re.MULTILINE)[:5] == list(
        crosschecks.CHANNELS
    )


def test_the_page_of_waiting_gives_the_constants() -> None:
    written = constants("synchronisation.md")
    assert written["on one line"] == percent(gpu_further.LINEAR)
    assert written["visible"] == percent(gpu_further.VISIBLE)
    assert written["serial"] == percent(hypotheses_synchronisation.SERIAL)
    made = generator_synchronisation
    assert int(written["steps of a chain of atomic adds"]) == made.STEPS
    assert int(written["turns of all blocks"]) == made.TURNS_OF_ALL
    assert written["a path"] == f"{made.EACH * made.PATH_TURNS} multiply-adds"
    lengths = load_suite().definitions["gpu_synchronisation/block_barrier"].settings["length"]
    assert written["barriers"] == " and ".join(map(str, lengths))
