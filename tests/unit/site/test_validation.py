"""The page of a validation: what it shows, where it is linked, and that it is no report of its device."""

from __future__ import annotations

import dataclasses
import shutil
from pathlib import Path

import msgspec
import pytest

from reportgen.collect.runner import Options
from reportgen.findings.lint import offences_in_html
from reportgen.runs import read, store
from reportgen.site import address, ahead, navigation
from reportgen.site.address import Links
from reportgen.site.aside import Aside
from reportgen.site.figures import validation as scatter
from reportgen.site.figures.style import viewbox
from reportgen.site.render import Renderer, Site
from reportgen.site.results import Results
from reportgen.validation.measure import Asked, validate
from reportgen.validation.osaca import Osaca
from tests.simulated.cpu import device_of
from tests.simulated.loops import CYCLES, Loops, command
from tests.simulated.truth import CpuTruth
from tests.unit.site.conftest import KNOWN, Rendered
from tests.unit.validation.tools import OSACA, write


@dataclasses.dataclass(frozen=True)
class Checked:
    data: Path
    cache: Path
    run: str
    site: Site

    def page(self, uri: str) -> str:
        return (self.cache / "pages" / uri).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def checked(rendered: Rendered, tmp_path_factory: pytest.TempPathFactory) -> Checked:
    """The data of the other tests with a validation of the device's newest run."""
    root = tmp_path_factory.mktemp("validation")
    data, cache = root / "data", root / "cache"
    shutil.copytree(rendered.data, data)
    shutil.copytree(rendered.cache, cache)
    told = {"family": 25, "model": 17, "l1d_bytes": 32768}
    device = msgspec.structs.replace(device_of(CpuTruth()), vendor="AMD", reported=told)
    write(root / "bin", "osaca", OSACA, version="0.7.1", each=CYCLES)
    options = Options(data=data, selector="loops", glob="dot_*,lcg_*,popcount_*", seed=1, command=command)
    made = validate(Asked(options, tools=(Osaca(device, path=str(root / "bin")),)), backend=Loops(device))
    site = Renderer(data, cache, Links(True, KNOWN | {"method/validation.md"})).render()
    return Checked(data, cache, made.run.run, site)


def test_the_page_shows_errors_loops_rankings_and_files(checked: Checked) -> None:
    assert checked.site.warnings == ()
    device = checked.site.shelves[0].device
    page = checked.page(address.validation_page(device))
    for part in ("errors", "picture", "farthest", "rankings", "absent", "downloads"):
        assert f"{{#{part}}}" in page
    assert 'id="loop-dot_avx2_1"' in page
    assert "held-out loops that it covers" in page
    assert "this processor lacks avx512f" in page
    assert "0.7.1, for a processor named ZEN4" in page
    assert "OSACA has no numbers for some instructions of" in page
    assert f"reportgen validate --run {checked.run}" in page
    assert page.count('class="rg-figure"') == 1
    assert page.count('<div class="rg-card-title">') == 2  # mean errors of the cost model and of OSACA
    assert 'alt="Predicted against measured cycles of a round, by cost model, OSACA.' in page
    assert offences_in_html(page) == ()


def test_every_link_to_a_file_of_the_page_leads_somewhere(checked: Checked) -> None:
    device = checked.site.shelves[0].device
    there = {item.uri: item.path for item in checked.site.assets}
    for name in ("validation.json", "validation.csv", "run.json", "samples.parquet", "programs.jsonl.gz"):
        assert there[address.run_asset(device, checked.run, f"download/{name}")].is_file()
        for uri in (address.validation_page(device), address.run_page(device, checked.run)):
            assert f'/{name}"' in checked.page(uri) or f'"download/{name}"' in checked.page(uri)
    for palette in ("light", "dark"):
        assert there[address.run_asset(device, checked.run, f"figures/validation.{palette}.svg")].is_file()


def test_it_is_linked_from_the_report_and_the_nav_and_is_no_report_itself(
    checked: Checked, rendered: Rendered
) -> None:
    (shelf,) = checked.site.shelves
    assert shelf.validation == checked.run
    assert [entry.run for entry in shelf.entries] == [entry.run for entry in rendered.site.shelves[0].entries]
    assert '<a href="validation/">Validation of the cost model</a>' in checked.page(
        address.device_page(shelf.device)
    )
    nav = navigation.devices(checked.site.shelves)
    assert {navigation.VALIDATIONS: [{shelf.name: address.validation_page(shelf.device)}]} in nav
    assert "Validation of the cost model" not in rendered.page(address.device_page(shelf.device))


def test_an_unchanged_validation_is_not_derived_again(
    checked: Checked, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise AssertionError("derived again")

    monkeypatch.setattr("reportgen.validation.derive.derive", refused)
    before = checked.page(address.validation_page(checked.site.shelves[0].device))
    again = Renderer(checked.data, checked.cache, Links(True, KNOWN | {"method/validation.md"})).render()
    assert again.warnings == ()
    assert checked.page(address.validation_page(again.shelves[0].device)) == before


def test_validations_that_nobody_derived_yet_are_derived_ahead(
    checked: Checked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refs = store.list_runs(checked.data)
    asked: list[Path] = []
    monkeypatch.setattr(ahead, "_start", lambda data, runs, cache: asked.extend(runs))
    monkeypatch.setattr(Aside, "missing", lambda self, refs: [ref for ref in refs if ref.kind] * 2)
    Renderer(checked.data, checked.cache, Links(True, KNOWN | {"method/validation.md"})).render()
    (path, same) = asked
    assert (path.name, path) == (checked.run, same)
    monkeypatch.undo()

    shutil.copytree(checked.cache / "results", tmp_path / "results")
    shutil.rmtree(next((tmp_path / "results").glob("*/validation.json")).parent)
    results = Results(tmp_path / "results")
    aside = Aside(results, tmp_path, Links(), lambda *_: pytest.fail("no page is made"))
    assert [ref.run for ref in aside.missing(refs)] == [checked.run]
    ahead.main([str(tmp_path), str(checked.data.resolve()), str(path.resolve())])
    assert aside.missing(refs) == []


def test_a_validation_whose_model_is_gone_is_a_warning(checked: Checked, tmp_path: Path) -> None:
    data, cache = tmp_path / "data", tmp_path / "cache"
    device = checked.site.shelves[0].device
    shutil.copytree(checked.data / device / checked.run, data / device / checked.run)
    site = Renderer(data, cache, Links(True, KNOWN)).render()
    (warning,) = site.warnings
    assert (warning.device, warning.run) == (device, checked.run)
    model = read.load(data / device / checked.run).run.plan["model"]
    assert warning.message == f"the run of its model, {model}, is not here"
    assert not any("validation" in page.uri for page in site.pages)


def test_the_picture_holds_every_loop_of_every_panel() -> None:
    dots = tuple(scatter.Dot(1.0 + i, 1.2 + i, 1.0 + i, 2.0 + i, i % 2 == 0) for i in range(9))
    svg = scatter.draw(scatter.Scatter((scatter.Panel("cost model", dots), scatter.Panel("other", dots[:3]))))
    assert svg.count("<use ") >= 12
    assert "held out" in svg
    assert viewbox(svg)[0] == pytest.approx(643, abs=2)
