"""Pages of compiler's targets: nothing on them is called measured, and every cell says what it is."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from reportgen.findings.lint import offences_in_html
from reportgen.runs import write
from reportgen.runs.schema import EMULATED, SAMPLE_COLUMNS, Device, Point, Program
from reportgen.site import address, navigation
from reportgen.site.address import Links
from reportgen.site.render import Renderer, Site
from reportgen.status import Status
from tests.unit.analysis.targets import Made, chain, issue, probe, program, run_of

KNOWN = frozenset({"method/encoded.md", "method/machine-code.md", "data-formats.md"})


def target(number: int) -> Device:
    return Device(
        f"sm-{number}", "cuda", "NVIDIA", f"sm_{number} (toolchain only)", f"sm_{number}", cores=0,
        reported={"generation": "Hopper"},
    )  # fmt: skip


def occupancy() -> Made:
    made: list[tuple[Point, Program | None]] = []
    for registers, share in ((32, 1.0), (64, 0.5), (255, 0.125)):
        facts: dict[str, Any] = {
            "threads": 256, "shared_bytes": 1024, "blocks_fit": int(8 * share), "warps_fit": int(64 * share),
            "occupancy": share, "limited_by": "registers",
        }  # fmt: skip
        name = f"gpu_execution/register_pressure#registers={registers}"
        point = Point(
            name, "gpu_execution/register_pressure", {"registers": registers}, Status.OK, facts=facts
        )
        made.append((point, program(name, {"FFMA": 32}, registers=registers)))
    return probe("gpu_execution/register_pressure", "none", variable="registers"), made


def suite(distance: float, matrix: Status = Status.OK, reason: str = "") -> list[Made]:
    mma = chain("mma_m16n8k16_f16_f32", "HMMA.16816.F32", 24, status=matrix, reason=reason)
    tensor = msgspec.structs.replace(mma[0], id=mma[0].id.replace("instruction_latency", "tensor_operations"),
                                     family="tensor_operations")  # fmt: skip
    points = [(msgspec.structs.replace(point, probe=tensor.id), one) for point, one in mma[1]]
    return [
        chain("fp32_fma", "FFMA", distance),
        issue("fp32_fma", "FFMA", {1: distance, 8: 1}),
        chain("popcnt", "POPC", None, edges="POPC>POPC sb x127"),
        chain("fp64_fma", "DFMA", 8, status=Status.INVALID, reason="wanted 32 DFMA, found 1"),
        (tensor, points),
        occupancy(),
    ]


def seal(data: Path, name: str, version: str, device: Device, made: list[Made]) -> None:
    run, programs = run_of(*made, device=device)
    run = msgspec.structs.replace(
        run, run=name, created=f"2026-11-{name[6:8]}T09:00:00+00:00",
        toolchain=run.toolchain | {"compiler_version": version},
    )  # fmt: skip
    columns: dict[str, list[Any]] = {column: [] for column in SAMPLE_COLUMNS}
    write.seal(data / device.id / name, run, columns, programs.values())


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> tuple[Site, dict[str, str]]:
    root = tmp_path_factory.mktemp("targets")
    no_mma = (Status.UNSUPPORTED, f"{EMULATED}this target has no HMMA")
    seal(root / "data", "20261128T090000Z-0000000a", "13.0.88", target(90), suite(5))
    seal(root / "data", "20261129T090000Z-0000000b", "13.5.37", target(90), suite(4))
    seal(root / "data", "20261129T090000Z-0000000c", "13.5.37", target(75), suite(4, *no_mma))
    found = Renderer(root / "data", root / "cache", Links(known=KNOWN)).render()
    assert found.warnings == ()
    return found, {page.uri: page.path.read_text(encoding="utf-8") for page in found.pages}


def test_the_page_of_a_target_has_its_parts_in_order(site: tuple[Site, dict[str, str]]) -> None:
    page = site[1][address.device_page("sm-90")]
    anchors = re.findall(r"^## .*\{#(\S+)\}$", page, re.MULTILINE)
    assert anchors == [
        "key-figures", "instructions", "matrix", "occupancy", "published", "measuring", "not-ok", "downloads",
        "cite",
    ]  # fmt: skip
    assert "toolchain run: nothing was measured on a device" in page
    assert "Toolchain reference: sm_90" in page
    assert "figures/occupancy.light.svg" in page


def test_every_page_about_a_target_says_that_nothing_was_measured(site: tuple[Site, dict[str, str]]) -> None:
    about = [uri for uri in site[1] if uri.startswith(("devices/sm-", "targets/"))]
    assert len(about) > 10
    silent = [uri for uri in about if "othing was measured on a device" not in site[1][uri]]
    assert silent == []
    for uri in about:
        assert offences_in_html(site[1][uri]) == (), uri
        assert not re.search(r">measured</span>", site[1][uri]), uri


def row(page: str, identity: str) -> str:
    found = re.search(rf'<tr id="{re.escape(identity)}".*?</tr>', page)
    assert found, identity
    return found.group()


def test_an_operation_shows_distance_hint_registers_and_verdict(site: tuple[Site, dict[str, str]]) -> None:
    page = site[1][address.device_page("sm-90")]
    fma = row(page, "encoded.latency.fp32_fma")
    assert "<code>FFMA</code>" in fma
    assert 'data-sort="4"' in fma
    assert 'id="encoded.issue.fp32_fma"' in fma
    assert ">verified<" in fma
    assert "scoreboard" in row(page, "encoded.latency.popcnt")
    broken = row(page, "encoded.latency.fp64_fma")
    assert "invalid" in broken
    assert "wanted 32 DFMA, found 1" in broken


def test_matrix_shapes_that_exist_and_those_emulated(site: tuple[Site, dict[str, str]]) -> None:
    has, lacks = (site[1][address.device_page(name)] for name in ("sm-90", "sm-75"))
    assert "1 of 1 shapes and types exist" in has
    assert "0 of 1 shapes and types exist" in lacks
    assert ">emulated<" in row(lacks, "encoded.latency.mma_m16n8k16_f16_f32")


def test_the_occupancy_table_holds_what_the_figure_shows(site: tuple[Site, dict[str, str]]) -> None:
    page = site[1][address.device_page("sm-90")]
    body = page[page.index('id="table-occupancy"') :]
    assert [f"registers {n}" in body for n in (32, 64, 255)] == [True] * 3
    assert "13 %" in body or "12 %" in body


def test_programs_of_an_earlier_toolchain_have_no_pages(site: tuple[Site, dict[str, str]]) -> None:
    _, pages = site
    runs = sorted({uri.split("/")[2] for uri in pages if uri.startswith("devices/sm-90/2026")})
    assert len(runs) > 1
    with_programs = {uri for uri in pages if uri.startswith("devices/sm-90/") and "/probes/" in uri}
    assert {uri.split("/")[2] for uri in with_programs} == {runs[-1]}
    earlier, newest = (pages[address.run_page("sm-90", run)] for run in (runs[0], runs[-1]))
    assert "no pages of their own" in earlier
    assert "probes/instruction_latency" not in earlier
    assert "probes/instruction_latency" in newest


def test_targets_stand_side_by_side(site: tuple[Site, dict[str, str]]) -> None:
    page = site[1][address.TARGETS]
    matrix = row(page, "operation.mma_m16n8k16_f16_f32")
    assert ">24<" in matrix
    assert "emulated" in matrix
    assert "../devices/sm-90/#encoded.latency.mma_m16n8k16_f16_f32" in matrix
    assert '<th scope="col">sm_75</th>' in page


def test_toolkits_show_what_differs_and_nothing_else(site: tuple[Site, dict[str, str]]) -> None:
    page = site[1][address.TOOLKITS]
    assert "CUDA 13.0, CUDA 13.5" in page
    body = page[page.index('id="table-differences"') :]
    assert "fp32 fma" in body
    assert "popcnt" not in body
    counts = page[page.index('id="table-toolkits"') : page.index('id="table-differences"')]
    assert "sm_90" in counts
    assert "sm_75" not in counts


def test_targets_are_no_devices_to_compare(site: tuple[Site, dict[str, str]]) -> None:
    assert "sm_90" not in site[1][address.COMPARE]
    listing = site[1][address.DEVICES]
    assert 'id="table-targets"' in listing
    assert 'id="table-devices"' not in listing


def test_the_nav_puts_targets_in_a_group_of_their_own(site: tuple[Site, dict[str, str]]) -> None:
    nav = navigation.devices(site[0].shelves)
    assert nav[0] == address.DEVICES
    (group,) = nav[1].values()
    assert list(nav[1]) == ["CUDA targets (toolchain)"]
    assert group[:2] == [address.TARGETS, address.TOOLKITS]
    assert {"sm_90": address.device_page("sm-90")} in group
