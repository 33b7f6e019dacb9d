"""The published figures: every row reads, has its citation, and is matched to the right devices."""

from __future__ import annotations

import re
import shutil
import tomllib
from pathlib import Path

import pytest

from reportgen.errors import UserError
from reportgen.findings.lint import offences
from reportgen.findings.metric import Kind, parse
from reportgen.findings.published import library, matching, weighing
from reportgen.findings.published.library import Origin, Tier
from reportgen.status import Status
from reportgen.suite.location import probes_root
from tests.unit.findings.records import changed, evidence, quantity, run

ALL = library.library()
BASE_UNITS = {
    "cycle", "second", "byte", "byte/second", "byte/cycle", "FLOP/second", "OP/second", "FLOP/cycle",
    "OP/cycle", "FLOP/byte", "ratio", "count", "instruction/cycle",
}  # fmt: skip


def test_every_figure_has_its_source_and_a_base_unit() -> None:
    assert len(ALL.figures) == 470
    for figure in ALL.figures:
        assert figure.source in ALL.sources
        assert figure.architecture in ALL.cores
        assert figure.unit in BASE_UNITS, figure
        assert figure.printed
        assert figure.quantity
    assert {one.source for one in ALL.figures} == set(ALL.sources)
    assert {one.architecture for one in ALL.figures} == set(ALL.cores)


def test_metric_ids_are_those_of_this_project() -> None:
    """One that cannot be taken apart is the stem of a nominal rate, or of a matrix instruction."""
    odd = {one.metric for one in ALL.figures if one.metric and parse(one.metric).kind is Kind.OTHER}
    assert odd == {"bandwidth.dram"}


def test_every_operation_is_in_the_instruction_table_of_its_devices() -> None:
    tables = {
        name: tomllib.loads((probes_root() / "instructions" / f"{name}.toml").read_text(encoding="utf-8"))
        for name in ("x86_64", "aarch64", "cuda")
    }
    for figure in ALL.figures:
        name = parse(figure.metric)
        if name.kind is Kind.LATENCY and not figure.metric.startswith("tensor."):
            isa = ALL.cores[figure.architecture].isa
            assert name.subject in tables["cuda" if isa.startswith("sm_") else isa], figure


def test_units_are_those_of_the_metric() -> None:
    for figure in ALL.figures:
        kind = parse(figure.metric).kind if figure.metric else None
        if kind in (Kind.LATENCY, Kind.LEVEL_LATENCY):
            assert figure.unit == "cycle", figure
        if kind is Kind.BANDWIDTH:
            assert figure.unit in ("byte/second", "byte/cycle"), figure
        if kind is Kind.CAPACITY:
            assert figure.unit == "byte", figure


@pytest.mark.parametrize(
    ("device", "printed", "value"),
    [
        ("NVIDIA A100-SXM4-80GB", "41943040 bytes", 40 * 2**20),
        ("NVIDIA A100 PCIe 40GB", "40 MB", 40 * 2**20),
        ("NVIDIA A100 40GB", "1358 GB/s", 1.358e12),
        ("NVIDIA T4 (PCIe)", "220 GiB/s", 220 * 2**30),
        ("NVIDIA RTX 3070 Ti", "252.7 FMA/clk/SM", 252.7 / 2048),
        ("NVIDIA L40", "44.439 TIOP/s", 44.439e12),
    ],
)
def test_values_are_in_base_units(device: str, printed: str, value: float) -> None:
    found = [one.value for one in ALL.figures if one.device == device and one.printed == printed]
    assert found
    assert all(one == pytest.approx(value, rel=1e-5) for one in found)


def test_a_printed_range_keeps_its_ends() -> None:
    (one, *_) = [one for one in ALL.figures if one.printed == "30-40 cycles"]
    assert (one.low, one.value, one.high) == (30.0, 35.0, 40.0)
    assert weighing.agrees(one, quantity("memory.l1.latency", 31.0))


def test_what_stands_on_pages_of_devices_passes_the_lint() -> None:
    for figure in ALL.figures:
        assert offences(f"{figure.quantity}; {figure.conditions}") == (), figure


def test_a_figure_decides_with_its_tier_an_address_and_a_measurement() -> None:
    for figure in ALL.figures:
        if weighing.decides(figure):
            assert figure.tier is Tier.COUNTS
            assert figure.address
            assert figure.kind is not Origin.MODELLED
            assert figure.kind is Origin.MEASURED or figure.unit in ("byte", "count")
    assert sum(map(weighing.decides, ALL.figures)) > 200


def test_rates_of_products_are_those_of_one_instruction_of_the_table() -> None:
    """Half a multiprocessor's rate, or twice, would be a source's FLOP, or its quarter, taken for ours."""
    (hopper,) = [
        one for one in ALL.figures
        if one.metric == "tensor.throughput.mma_m16n8k16_f16_f32" and one.architecture == "sm_90"
    ]  # fmt: skip
    assert (hopper.printed, hopper.unit) == ("713.687 TFLOP/s", "instruction/cycle")
    assert hopper.value * 132 * 1.98e9 * 4096 == pytest.approx(713.687e12, rel=1e-5)


KNOWN_APART = {("sm_89", "memory.l1.latency"), ("sm_75", "latency.fp64_fma")}
"""Of which two sources that say the same of their conditions give numbers that do not agree."""


def test_figures_that_decide_for_an_architecture_agree_with_each_other() -> None:
    """Else they count something else, such as the address arithmetic of a chase by index."""
    deciding: dict[tuple[str, str], list[library.Figure]] = {}
    for one in ALL.figures:
        if one.metric and weighing.decides(one) and matching.architecture_wide(one.metric):
            deciding.setdefault((one.architecture, one.metric), []).append(one)
    apart = {
        key
        for key, figures in deciding.items()
        for first in figures
        for second in figures
        if not weighing.agrees(second, quantity(first.metric, first.value, unit=first.unit))
    }
    assert apart == KNOWN_APART


def test_nothing_of_how_the_tables_were_made_is_left_in_them() -> None:
    text = "".join(
        (library.root() / name).read_text(encoding="utf-8") for name in ("figures.csv", "sources.csv")
    )
    assert not re.search(r"find_string|read_file|\bid \d{6}|FLOP[Ss]\b", text)


@pytest.mark.parametrize(
    ("published", "device", "same"),
    [
        ("NVIDIA A100 PCIe 40GB", "NVIDIA A100-PCIE-40GB", True),
        ("NVIDIA A100 SXM 80GB", "NVIDIA A100-SXM4-80GB", True),
        ("NVIDIA H100 80GB HBM3 (SXM5)", "NVIDIA H100 80GB HBM3", True),
        ("NVIDIA RTX 4090", "NVIDIA GeForce RTX 4090", True),
        ("NVIDIA RTX 4090", "NVIDIA GeForce RTX 4090 D", False),
        ("NVIDIA RTX 3080", "NVIDIA GeForce RTX 3080 Ti", False),
        ("NVIDIA L40", "NVIDIA L40S", False),
        ("NVIDIA H100 PCIe", "NVIDIA H100 80GB HBM3", False),
        ("NVIDIA H100 SXM", "NVIDIA H100 80GB HBM3", True),
        ("NVIDIA H100 SXM", "NVIDIA H100 NVL", False),
        ("NVIDIA H200", "NVIDIA H200 NVL", False),
        ("NVIDIA A100 80GB", "NVIDIA A100-SXM4-80GB MIG 1g.10gb", False),
        ("(GH100)", "NVIDIA H100 PCIe", False),
    ],
)
def test_one_product_under_two_spellings(published: str, device: str, same: bool) -> None:
    assert matching.same_product(published, device) is same


@pytest.mark.parametrize(
    ("isa", "cpu", "core_type", "architecture"),
    [
        ("sm_90", "", "", "sm_90"),
        ("sm_90a", "", "", "sm_90"),
        ("sm_103", "", "", ""),
        ("x86_64", "znver4", "", "zen_4"),
        ("x86_64", "alderlake", "core", "golden_cove"),
        ("x86_64", "alderlake", "atom", ""),
        ("x86_64", "znver2", "", ""),
        ("x86_64", "", "", ""),
        ("aarch64", "neoverse-v2", "", "neoverse_v2"),
        ("x86_64", "neoverse-v2", "", ""),
    ],
)
def test_the_architecture_of_a_device(isa: str, cpu: str, core_type: str, architecture: str) -> None:
    reported: dict[str, int | float | str] = {"core_type": core_type} if core_type else {}
    manifest = run(reported=reported, toolchain={"cpu": cpu} if cpu else {})
    found = matching.architecture_of(changed(manifest, device=changed(manifest.device, isa=isa)))
    assert found == architecture


def test_a_wheel_carries_the_figures_inside_the_package(tmp_path: Path) -> None:
    package = tmp_path / "reportgen"
    for folder in (package / "_published", tmp_path / "data" / "published"):
        shutil.copytree(library.root(), folder)
    assert library.root(package) == package / "_published"
    shutil.rmtree(package / "_published")
    assert library.root(package) == tmp_path / "data" / "published"
    shutil.rmtree(tmp_path / "data")
    with pytest.raises(UserError, match="figures are missing") as caught:
        library.root(package)
    assert "pip install -e ." in caught.value.remedy


@pytest.mark.parametrize(
    ("name", "old", "new", "told"),
    [
        ("figures.csv", "device,architecture", "device,arch", "figures.csv, line 1: its columns must be"),
        ("figures.csv", "memory.l1.latency,33.4,", "memory.l1.latency,fast,", "figures.csv, line 2"),
        ("figures.csv", "memory.l1.latency,33.4,", "memory.l1.latency,-1,", "is not a positive number"),
        ("figures.csv", "measured,A,", "measured,C,", "figures.csv, line 2"),
        ("figures.csv", "median\",gpu-benches,", "median\",nobody,", "source 'nobody' is not in"),
        ("figures.csv", "NVIDIA A100 80GB,sm_80", "NVIDIA A100 80GB,sm_81", "architecture 'sm_81' is not in"),
        ("sources.csv", "gpu-benches,", "gpu-benches,more,", "sources.csv, line 2: it has"),
    ],
)  # fmt: skip
def test_a_broken_table_is_named_with_its_line(
    tmp_path: Path, name: str, old: str, new: str, told: str
) -> None:
    folder = tmp_path / "published"
    shutil.copytree(library.root(), folder)
    text = (folder / name).read_text(encoding="utf-8")
    assert old in text
    (folder / name).write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(UserError, match=re.escape(told)):
        library.load(folder)
    (folder / name).unlink()
    with pytest.raises(UserError, match=f"{name}: it cannot be read"):
        library.load(folder)


def test_beside_a_quantity_without_a_number_no_figure_has_a_side() -> None:
    """Samples that fall into two groups are shown as such; a site of them is made all the same."""
    core = run()
    core = changed(core, device=changed(core.device, isa="x86_64"), toolchain={"cpu": "znver4"})
    found = quantity("latency.integer_mul", 3.0)
    assert weighing.weigh(evidence(found, run=core), found)
    torn = quantity("latency.integer_mul", None, status=Status.UNSTABLE, reason="two groups")
    assert weighing.weigh(evidence(torn, run=core), torn) == ()
