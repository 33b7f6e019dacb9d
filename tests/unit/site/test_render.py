"""The renderer: what it writes, what it keeps, and what it says of a bundle that it cannot read."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from reportgen import caches
from reportgen.findings.finding import Claim
from reportgen.runs.schema import MANIFEST, SAMPLES
from reportgen.site import address
from reportgen.site.address import Links
from reportgen.site.catalogue import Entry
from reportgen.site.pages import Page, family
from reportgen.site.render import Renderer
from reportgen.site.view import View
from tests.unit.site.conftest import Rendered


def device_of(rendered: Rendered) -> str:
    return rendered.site.shelves[0].device


def tree(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def test_every_version_keeps_its_address_and_the_device_shows_the_newest(rendered: Rendered) -> None:
    device = device_of(rendered)
    newest = rendered.page(address.device_page(device))
    newer = rendered.page(address.run_page(device, rendered.newer.name))
    older = rendered.page(address.run_page(device, rendered.older.name))
    assert rendered.newer.name in newest
    assert rendered.older.name not in newest
    assert "An earlier report" in older
    assert "An earlier report" not in newer
    versions = rendered.page(address.versions_page(device))
    assert versions.index(rendered.newer.name) < versions.index(rendered.older.name)


def test_the_parts_of_a_report_stand_in_order(rendered: Rendered) -> None:
    page = rendered.page(address.device_page(device_of(rendered)))
    anchors = re.findall(r"^## .*\{#(\S+)\}$", page, re.MULTILINE)
    assert anchors == [
        "key-figures", "findings", "latency", "throughput", "interference", "resources", "memory",
        "bandwidth", "roofline", "hypotheses", "measuring", "not-ok", "downloads", "cite",
    ]  # fmt: skip


def test_metric_ids_are_anchors(rendered: Rendered) -> None:
    page = rendered.page(address.device_page(device_of(rendered)))
    assert "### L1 latency {#memory.l1.latency}" in page
    for metric in ("latency.integer_add", "throughput.fp32_fma", "issue_interval.fp32_fma",
                   "interference.integer_add.integer_mul", "bandwidth.dram.read", "peak.fp32"):  # fmt: skip
        assert f'id="{metric}"' in page, metric


def test_claim_and_confidence_stand_beside_every_finding(rendered: Rendered) -> None:
    page = rendered.page(address.device_page(device_of(rendered)))
    blocks = re.findall(r'<div class="rg-finding.*?</p><p class="rg-marks".*?</p>', page)
    assert len(blocks) > 10
    for block in blocks:
        assert any(f">{claim.value}</span>" in block for claim in Claim)
        assert "confidence 0." in block


def test_a_confidence_leads_to_how_often_it_is_right(rendered: Rendered) -> None:
    report = rendered.renderer.results.report(rendered.newer)
    known = View("devices/x/index.md", report, Links(True, {"method/calibration.md"}))
    for finding in report.findings:
        html = known.finding(finding)
        leads = f'../../method/calibration/#{address.tenth_anchor(finding.confidence)}">confidence' in html
        assert leads is (finding.claim in (Claim.MEASURED, Claim.INFERRED))
    card = msgspec.structs.replace(report.run, device=msgspec.structs.replace(report.run.device, isa="sm_90"))
    on_gpu = replace(known, report=replace(report, run=card))
    assert not any("method/calibration" in on_gpu.finding(finding) for finding in report.findings)


def test_what_has_no_value_says_why(rendered: Rendered) -> None:
    page = rendered.page(address.device_page(device_of(rendered)))
    table = page[page.index('id="table-not-ok"') :]
    assert "The device lacks avx512fp16." in table
    assert "Not a GPU." in table


def test_a_probe_shows_question_machine_code_and_samples(rendered: Rendered) -> None:
    device = device_of(rendered)
    page = rendered.page(address.family_page(device, rendered.newer.name, "instruction_latency"))
    assert "{#integer_add}" in page
    assert "Question." in page
    assert "Hypothesis." in page
    assert "Machine code: verified" in page
    assert 'id="table-samples-integer_add"' in page


def test_downloads_carry_their_digest(rendered: Rendered) -> None:
    page = rendered.page(address.device_page(device_of(rendered)))
    report = rendered.site.shelves[0].newest.report
    assert report is not None
    names = [item.name for item in report.downloads]
    assert names == [
        "model.json", "facts.csv", "facts.parquet", "osaca.yml", "sched.td", "cite.bib", "CITATION.cff",
        "findings.json", "metrics.csv", "dictionary.json", "samples.parquet", "run.json", "programs.jsonl.gz",
    ]  # fmt: skip
    for item in report.downloads:
        assert item.sha256 in page
    uris = {asset.uri for asset in rendered.site.assets}
    assert address.run_asset(device_of(rendered), rendered.newer.name, "download/model.json") in uris


def test_the_cite_block_names_version_digest_and_licence(rendered: Rendered) -> None:
    page = rendered.page(address.device_page(device_of(rendered)))
    cite = page[page.index("{#cite}") :]
    report = rendered.site.shelves[0].newest.report
    assert report is not None
    assert report.digest in cite
    assert "CC-BY-4.0" in cite
    assert f"https://reports.example/devices/{device_of(rendered)}/{rendered.newer.name}/" in cite


def test_a_second_render_derives_and_draws_nothing_and_touches_nothing(
    rendered: Rendered, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("must come from the cache")

    monkeypatch.setattr("reportgen.model.derive.derive_bundle", refuse)
    monkeypatch.setattr("reportgen.site.figures.style.to_svg", refuse)
    stamps = {path: path.stat().st_mtime_ns for path in rendered.cache.rglob("*") if path.is_file()}
    again = Renderer(rendered.data, rendered.cache, rendered.renderer.links, rendered.renderer.site_url)
    site = again.render()
    assert site.pages == rendered.site.pages
    assert {path: path.stat().st_mtime_ns for path in rendered.cache.rglob("*") if path.is_file()} == stamps


def test_results_that_are_not_shown_give_way_and_those_that_are_stay(
    rendered: Rendered, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(caches.VARIABLE, "0")
    cache = tmp_path / "cache"
    shutil.copytree(rendered.cache, cache)
    shown = {path.name for path in (cache / "results").iterdir() if path.is_dir()}
    for path in cache.rglob("*"):
        os.utime(path, (1.0, 1.0))
    for stale in (cache / "results/older/result.json", cache / "figures/older.svg"):
        stale.parent.mkdir(exist_ok=True)
        stale.write_text("{}")
        os.utime(stale, (1.0, 1.0))
    renderer = Renderer(rendered.data, cache, rendered.renderer.links, rendered.renderer.site_url)
    renderer.render()
    assert {path.name for path in (cache / "results").iterdir() if path.is_dir()} == shown
    assert not (cache / "figures/older.svg").exists()
    site = renderer.render()  # a second time by the same: it does not stand in its own way
    assert all(one.path.is_file() for one in (*site.pages, *site.assets))
    assert caches.InUse(caches.RESULTS, cache / "results").empty() is None


def test_a_page_of_an_unchanged_run_is_made_once_and_again_when_it_or_the_program_changed(
    rendered: Rendered, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In processes of their own, which remember nothing of each other."""
    shutil.copytree(rendered.cache, tmp_path / "cache")
    made: list[str] = []
    make = family.page

    def noting(view: View, name: str, entry: Entry) -> Page:
        made.append(view.here)
        return make(view, name, entry)

    def render() -> int:
        made.clear()
        links, url = rendered.renderer.links, rendered.renderer.site_url
        Renderer(rendered.data, tmp_path / "cache", links, url).render()
        return len(made)

    monkeypatch.setattr(family, "page", noting)
    assert render() == 0
    edited = next((tmp_path / "cache" / "pages").rglob("probes/*/index.md"))
    edited.write_text("something else", encoding="utf-8")
    assert render() == 1
    monkeypatch.setattr("reportgen.site.kept.program", lambda: "another version")
    assert render() == len(tuple((tmp_path / "cache" / "pages").rglob("probes/*/index.md")))
    assert tree(tmp_path / "cache" / "pages") == tree(rendered.cache / "pages")
    (tmp_path / "cache" / "pages.json").write_text("{", encoding="utf-8")
    assert render() > 0


def test_rendering_needs_neither_mkdocs_nor_matplotlib_nor_pandas_when_all_is_cached(
    rendered: Rendered,
) -> None:
    code = (
        "import sys; from pathlib import Path; from reportgen.site.render import Renderer;"
        f"Renderer(Path({str(rendered.data)!r}), Path({str(rendered.cache)!r})).render();"
        "print([name for name in ('mkdocs', 'matplotlib', 'pandas', 'scipy') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
    rendered.renderer.render()


@pytest.fixture
def copied(rendered: Rendered, tmp_path: Path) -> tuple[Path, Renderer]:
    """The data with a cache of its own, to be damaged; the derived results come along."""
    data = tmp_path / "data"
    shutil.copytree(rendered.data, data)
    shutil.copytree(rendered.cache, tmp_path / "cache")
    return data, Renderer(data, tmp_path / "cache", Links())


@pytest.mark.parametrize(
    ("name", "damage", "told"),
    [
        (SAMPLES, lambda path: path.write_bytes(path.read_bytes()[:1000]), SAMPLES),
        (MANIFEST, lambda path: path.write_text("{ half a manif"), "run.json"),
        (MANIFEST, lambda path: path.unlink(), "run.json"),
        (MANIFEST, lambda path: path.write_text('{"schema": 99}'), "schema 99"),
    ],
)
def test_a_broken_bundle_is_a_page_and_a_warning(
    rendered: Rendered, copied: tuple[Path, Renderer], name: str, damage: object, told: str
) -> None:
    data, renderer = copied
    device, run = device_of(rendered), rendered.newer.name
    assert callable(damage)
    damage(data / device / run / name)
    site = renderer.render()
    (warning,) = site.warnings
    assert (warning.device, warning.run) == (device, run)
    assert told in warning.message
    page = (renderer.cache / "pages" / address.run_page(device, run)).read_text()
    assert "result could not be read: " in page
    assert told in page
    assert str(data) not in page, "a public page names no folder of the machine"
    # The device shows the newest run that can be read, and says that there is another.
    latest = (renderer.cache / "pages" / address.device_page(device)).read_text()
    assert rendered.older.name in latest
    assert "could not be read" in latest


def test_a_device_of_which_nothing_can_be_read_still_has_a_page(
    rendered: Rendered, copied: tuple[Path, Renderer]
) -> None:
    data, renderer = copied
    device = device_of(rendered)
    for run in (rendered.older, rendered.newer):
        (data / device / run.name / MANIFEST).write_text("")
    site = renderer.render()
    assert len(site.warnings) == 2
    page = (renderer.cache / "pages" / address.device_page(device)).read_text()
    assert "result could not be read" in page
    assert "could not be read" in (renderer.cache / "pages" / address.DEVICES).read_text()


def test_a_folder_of_another_name_takes_no_runs_place(
    rendered: Rendered, copied: tuple[Path, Renderer]
) -> None:
    data, renderer = copied
    device, run = device_of(rendered), rendered.newer.name
    (data / device / run).rename(data / device / "the good one")
    site = renderer.render()
    (warning,) = site.warnings
    assert (warning.device, warning.run) == (device, "the good one")
    assert f"its folder must be {device}/{run}" in warning.message
    assert rendered.older.name in (renderer.cache / "pages" / address.device_page(device)).read_text()


def test_a_run_that_is_gone_leaves_no_page(rendered: Rendered, copied: tuple[Path, Renderer]) -> None:
    data, renderer = copied
    device = device_of(rendered)
    shutil.rmtree(data / device / rendered.older.name)
    renderer.render()
    assert not (renderer.cache / "pages" / address.run_page(device, rendered.older.name)).exists()


def test_a_folder_without_runs_gives_a_site_that_says_so(tmp_path: Path) -> None:
    site = Renderer(tmp_path / "none", tmp_path / "cache").render()
    assert site.shelves == ()
    assert "There is no run yet" in (tmp_path / "cache" / "pages" / address.DEVICES).read_text()


def test_the_script_and_the_style_are_assets(rendered: Rendered) -> None:
    uris = {asset.uri for asset in rendered.site.assets}
    assert {"assets/reportgen/report.css", "assets/reportgen/tables.js"} <= uris
    assert all(asset.path.is_file() for asset in rendered.site.assets)
