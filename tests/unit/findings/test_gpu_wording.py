"""Findings of a simulated GPU speak of multiprocessors, launches, a driver: never of cores and a system."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

import pyarrow as pa
import pytest

from reportgen.analysis.derive import quantities
from reportgen.analysis.encoded import encoded
from reportgen.findings import gates
from reportgen.findings.crosschecks import (
    ABSENT,
    AGREES,
    COMPILER_ENCODED,
    DISAGREES,
    DRIVER,
    OPERATING_SYSTEM,
    PUBLISHED,
)
from reportgen.findings.derive import derive
from reportgen.findings.evidence import gather
from reportgen.findings.finding import Finding
from reportgen.findings.lint import offences
from reportgen.findings.metric import Kind, parse
from reportgen.findings.wording.names import noun
from reportgen.model.exports import dictionary
from reportgen.roofline.ridges import ridges
from reportgen.status import USABLE
from tests.simulated.gpu import make, programs
from tests.simulated.gpu_execution import chain
from tests.simulated.gpu_memory import chases, on_chip, working_set
from tests.simulated.gpu_truth import GpuTruth, Question

TRUTH = GpuTruth()


@cache
def found(
    truth: GpuTruth = TRUTH, only: tuple[Callable[[GpuTruth], Question], ...] = ()
) -> dict[str, Finding]:
    run, rows = make(truth, asked=[one(truth) for one in only])
    read = encoded(run, {one.sha256: one for one in programs(truth)})
    measured = (*quantities(run, pa.table(rows)), *read)
    kept = gates.withhold(measured, gates.check(gather(run, measured)))
    return {finding.id: finding for finding in derive(run, (*measured, *ridges(kept)))}


def sentence(metric: str) -> str:
    return found()[metric].sentence


def test_no_sentence_speaks_of_cores_or_of_an_operating_system() -> None:
    for finding in found().values():
        said = [finding.sentence, *finding.alternatives, *(check.explanation for check in finding.checks)]
        for text in said:
            own = text.replace("operating system or driver", "")
            assert "canary" not in own, f"{finding.id}: {text}"
            assert "operating system" not in own, f"{finding.id}: {text}"
            assert not re.search(r"\bcores?\b", text), f"{finding.id}: {text}"
            assert not re.search(r"write-allocate|(huge|small|4 KiB) pages", text), f"{finding.id}: {text}"


def test_every_metric_is_of_a_known_kind_with_a_sentence_and_an_entry() -> None:
    for metric, finding in found().items():
        if ":" in metric:  # of a rule
            continue
        assert parse(metric).kind is not Kind.OTHER, metric
        entry = dictionary.lookup(metric)
        assert entry is not None, metric
        assert metric not in finding.sentence
        assert not offences(finding.sentence), finding.sentence
        assert noun(metric, str) != metric


def test_nothing_of_a_sound_gpu_is_withheld() -> None:
    broken = {key: one.contradictions for key, one in found().items() if one.contradictions}
    assert broken == {}
    assert {one.status for one in found().values()} <= set(USABLE)


@pytest.mark.parametrize(
    ("metric", "words"),
    [
        ("throughput.fp32_fma", ("one multiprocessor, each for a warp", "2 independent chains in each of 8")),
        ("throughput.fp32_fma", ("schedulers of a multiprocessor issue no faster", "two in a hundred")),
        ("issue_interval.fp32_fma", ("on one multiprocessor, each for a warp.",)),
        ("execution.warp_count_sweep.fp32_fma.1", ("on one multiprocessor with 1 chain a warp", "16 warps")),
        ("execution.shared_bank_strides.banks", ("fits 32 banks",)),
        ("execution.shared_bank_strides.conflict", ("Each further lane",)),
        ("execution.shared_bank_strides.latency_16", ("A load of 16 bytes a lane", "passes over the banks")),
        ("execution.shared_bank_strides.conflict_8", ("With 8 bytes a lane each further pass",)),
        ("execution.block_count_sweep.alone", ("Up to 132 blocks", "from 160 on")),
        ("execution.block_count_sweep.crowded", ("In a launch of 1024 blocks the slowest",)),
        ("execution.register_pressure.1", ("Between 32 and 40 registers", "from about", "limits fewer")),
        ("execution.register_pressure.1", ("The driver answers the same for every setting.",)),
        ("execution.shared_memory_pressure.1", ("Between 8 KiB and 16 KiB of shared", "limits fewer")),
        ("memory.l2.distance.far", ("farther lines of L2", "50.0 %")),
        ("memory.cg.l1.latency", ("cached past L1 only (cg)", "first level that they meet")),
        ("memory.cg.dram.latency", ("in the DRAM range",)),
        ("memory.constant.l3.capacity", ("is at least 64 KiB", "loads from constant memory meet")),
        ("memory.l2.capacity.all_multiprocessors", ("While all multiprocessors read, 48 MiB", "60 MiB no")),
        ("memory.sector.ca", ("loads up to 16 B behind a miss are fast", "every 32 B")),
        ("memory.sector.ca.outer", ("slower than the other misses follows every 128 B",)),
        ("memory.dtlb1.reach_2m", ("addresses 2 MiB apart", "first-level TLB")),
        ("memory.cluster.8.next", ("the next block of a cluster of 8 blocks",)),
        ("memory.bulk.load.fixed", ("do not depend on its size", "from 1 KiB on")),
        ("memory.tile.swizzle.64", ("rows of 64 B are swizzled", "1.0", "no difference was detected")),
        ("memory.tile.promotion.256", ("a miss bringing 256 B into the second level", "as long as without")),
        ("execution.launch_overhead.fixed", ("In a row without a wait, a launch",)),
        ("execution.launch_overhead.block", ("each further block", "between 1 and 16384")),
        ("kernel.sgemm.4096", ("The suite's kernel sgemm ran at", "counted by the work of the definition.")),
        ("bandwidth.dram.read", ("The GPU read", "best with 1024 blocks and vectors of 16 bytes")),
        ("bandwidth.l2.read.one_multiprocessor", ("One multiprocessor of the GPU", "best with 1 block and")),
        ("peak.fp32", ("of one of its 132 multiprocessors while all of them worked", "times their")),
        ("peak.tensor_fp16", ("best tensor FP16 rate of the GPU",)),
        ("ridge.tensor_fp16.dram", ("measured tensor FP16 peak", "DRAM")),
        ("reported:memory.l2.capacity", ("The driver reports 50 MiB",)),
        ("drift:run", ("multiprocessors' clock",)),
        ("acceptance:run", ("gates of clock and results",)),
    ],
)  # fmt: skip
def test_what_a_sentence_says(metric: str, words: tuple[str, ...]) -> None:
    for word in words:
        assert word in sentence(metric)


def test_the_driver_is_the_channel_of_what_is_reported() -> None:
    checks = found()["memory.l2.capacity"].checks
    assert [one.outcome for one in checks if one.channel == DRIVER] == [AGREES]
    assert not [one for one in checks if one.channel == OPERATING_SYSTEM]


@pytest.mark.parametrize(("kept", "outcome"), [(4, AGREES), (5, DISAGREES)])
def test_less_than_the_machine_code_keeps_cannot_be_measured(kept: int, outcome: str) -> None:
    """4.0 cycles are measured; code that keeps 5 cycles between two steps contradicts that."""
    truth = GpuTruth(fma_encoded=kept)
    latency = found(truth, (chain,))["latency.fp32_fma"]
    (check,) = [one for one in latency.checks if one.channel == COMPILER_ENCODED]
    assert check.outcome == outcome
    (back,) = [
        one for one in found(truth, (chain,))["encoded.latency.fp32_fma"].checks if one.channel == "measured"
    ]
    assert back.outcome == ("agrees" if outcome == AGREES else "below")
    if outcome == DISAGREES:
        assert "does not hold" in check.explanation
        assert latency.confidence < found()["latency.fp32_fma"].confidence


def test_figures_of_publications_speak_of_shared_memory_without_naming_a_level() -> None:
    """29 to 30 cycles are published for the architecture of this device, address arithmetic included."""
    latency = found(GpuTruth(shared_latency=23.0), (on_chip,))["memory.shared.l1.latency"]
    (check,) = [one for one in latency.checks if one.channel == PUBLISHED]
    assert check.outcome == ABSENT
    assert "H100" in check.explanation


@pytest.mark.parametrize(("cycles", "outcome"), [(33.0, AGREES), (68.0, DISAGREES)])
def test_figures_of_publications_of_any_product_speak_of_its_first_level(cycles: float, outcome: str) -> None:
    truth = GpuTruth(l1_latency=cycles, read_only_latency=cycles)
    latency = found(truth, (working_set,))["memory.l1.latency"]
    (check,) = [one for one in latency.checks if one.channel == PUBLISHED]
    assert check.outcome == outcome
    assert "H800" in check.explanation


def test_what_else_can_move_the_end_of_a_level_depends_on_the_level() -> None:
    """Shared memory takes from the first level only; a second level may be in parts."""
    first, second = (found()[f"memory.{level}.capacity"].alternatives for level in ("l1", "l2"))
    assert any("carve-out" in one for one in first)
    assert not any("carve-out" in one for one in second)
    assert any("in parts" in one for one in second)


def test_two_paths_into_one_cache_that_differ_by_half_are_shown_as_a_contradiction() -> None:
    """Seen: L1 latency 68 cycles, the read-only path into the same cache 35, both without a doubt."""
    odd = found(GpuTruth(l1_latency=68.0, read_only_latency=35.0), (working_set, chases))
    for metric in ("memory.l1.latency", "chase.l1.nc.latency"):
        assert any("paths into one cache differ" in text for text in odd[metric].contradictions), metric
        assert odd[metric].confidence < 0.7


def test_a_rate_of_another_product_decides_nothing() -> None:
    (check,) = [one for one in found()["bandwidth.dram.read"].checks if one.channel == PUBLISHED]
    assert check.outcome == ABSENT
