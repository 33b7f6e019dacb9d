"""The real mkdocs.yml and docs with simulated runs: one strict build, and a server's rebuilds."""

from __future__ import annotations

import logging
import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import Abort

from reportgen.findings.lint import offences_in_html
from reportgen.runs.schema import SAMPLES
from reportgen.site.figures.style import LIMIT_BYTES
from reportgen.site.mkdocs_plugin import ReportgenPlugin
from tests.integration.site_checks import ROOT, Found, configuration, dead_links, read
from tests.simulated.cpu import make_data
from tests.simulated.suite import with_load
from tests.simulated.truth import CpuTruth, Held, Noise

TROUBLED = replace(
    CpuTruth(),
    held=Held(factor=0.8),
    noise=Noise(
        contaminated=0.2, drift=-0.05, throttle=0.9, throttled_from=0.8, transients=3, transient=0.05
    ),
)
"""A clock that drifts, falls late in the run and under load; visits that settle slowly: all of it is told."""


@dataclass(frozen=True)
class Built:
    data: Path
    cache: Path
    site: Path
    pages: dict[Path, Found]
    texts: dict[Path, str]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    root = tmp_path_factory.mktemp("build")
    make_data(CpuTruth(), 1, root / "data")
    make_data(TROUBLED, 2, root / "data", with_load)
    build(configuration(root / "data", root / "cache", root / "site", strict=True))
    pages, texts = read(root / "site")
    return Built(root / "data", root / "cache", root / "site", pages, texts)


def device_page(built: Built) -> Path:
    (device,) = (path for path in built.data.iterdir() if path.is_dir())
    return built.site / "devices" / device.name / "index.html"


def test_no_page_says_more_than_the_evidence(built: Built) -> None:
    said = [
        f"{path.relative_to(built.site)}: {offence.ban}: {offence.context}"
        for path, text in built.texts.items()
        for offence in offences_in_html(text)
    ]
    assert said == []


def test_the_lint_reads_every_page_that_there_is(built: Built) -> None:
    """Hand-written ones, those of reports, of comparisons, of published figures: none is left out."""
    read_pages = {path.relative_to(built.site).as_posix() for path in built.texts}
    written = {path.relative_to(ROOT / "docs").with_suffix("") for path in (ROOT / "docs").rglob("*.md")}
    for page in written:
        place = page.parent if page.name == "index" else page
        assert f"{place.as_posix()}/index.html".removeprefix("./") in read_pages
    made = {path.relative_to(built.cache / "pages") for path in (built.cache / "pages").rglob("*.md")}
    assert len(made) > 20
    for path in made:
        place = path.parent if path.name == "index.md" else path.with_suffix("")
        assert f"{place.as_posix()}/index.html" in read_pages
    assert {"published/index.html", "compare/index.html", "404.html"} <= read_pages
    assert any(re.fullmatch(r"compare/.+--.+/index.html", page) for page in read_pages)


def test_what_troubled_the_device_stands_on_its_page(built: Built) -> None:
    text = re.sub(r"<[^>]+>", " ", built.texts[device_page(built)])
    assert "The core clock seen by the canary moved by" in text
    assert "The first 3 samples of a visit took longer" in text
    assert "in a way consistent with a limit of power, temperature or current" in text
    assert "time or issue slots taken by others" in text
    assert 'id="figure-sustained"' in built.texts[device_page(built)]


def test_every_hypothesis_ends_in_the_tables(built: Built) -> None:
    across = built.texts[built.site / "hypotheses" / "index.html"]
    assert "Simulated Core 4000" in across
    assert across.count("rg-verdict rg-verdict-") > 40


def test_every_link_and_every_anchor_leads_somewhere(built: Built) -> None:
    assert dead_links(built.site, built.pages) == []


def test_ids_are_unique_on_a_page(built: Built) -> None:
    for path, page in built.pages.items():
        twice = {name for name in page.ids if page.ids.count(name) > 1}
        assert twice == set(), path


def test_nothing_is_fetched_from_elsewhere(built: Built) -> None:
    for path, page in built.pages.items():
        assert [url for url in page.loaded if urlsplit(url).netloc] == [], path


def test_every_image_has_words_and_every_figure_a_table_under_it(built: Built) -> None:
    page = built.pages[device_page(built)]
    figures = len(page.images) // 2
    assert figures >= 8
    for image in page.images:
        assert len(str(image.get("alt"))) > 40
        assert image.get("width")
        assert image.get("height")
    sources = [str(image["src"]) for image in page.images]
    assert sum(source.endswith("#only-light") for source in sources) == figures
    assert sum(source.endswith("#only-dark") for source in sources) == figures
    for place, tag in enumerate(page.order):
        if tag == "figure":
            assert page.order[place + 1] == "table"


def test_alternative_text_states_the_finding(built: Built) -> None:
    page = built.pages[device_page(built)]
    (sweep,) = {str(i["alt"]) for i in page.images if "working_set" in str(i["src"])}
    assert "still runs at the L1 latency" in sweep


def test_headings_are_permanent_addresses(built: Built) -> None:
    ids = built.pages[device_page(built)].ids
    for name in ("memory.l1.capacity", "memory.l1.latency", "latency.integer_add", "ridge.fp32.dram", "cite"):
        assert name in ids


def test_figures_are_light(built: Built) -> None:
    figures = list(built.site.rglob("*.svg"))
    light, dark = ({path.with_name(path.name.replace(f".{palette}.", ".")) for path in figures
                    if path.name.endswith(f".{palette}.svg")} for palette in ("light", "dark"))  # fmt: skip
    assert light == dark
    kinds = {path.stem for path in light if "devices" in path.parts}
    assert kinds >= {
        "latency", "throughput", "interference", "resources", "working_set", "bandwidth", "roofline",
    }  # fmt: skip
    assert len([path for path in figures if path.name == "roofline.svg"]) == 2
    assert [path.name for path in figures if path.stat().st_size > LIMIT_BYTES] == []


def test_old_versions_stay_out_of_the_search(built: Built) -> None:
    index = (built.site / "search" / "search_index.json").read_text(encoding="utf-8")
    places = set(re.findall(r'"location":"(devices/[^"#]*)', index))
    assert places == {"devices/", f"devices/{device_page(built).parent.name}/",
                      f"devices/{device_page(built).parent.name}/versions/"}  # fmt: skip


def test_the_home_page_lists_the_devices(built: Built) -> None:
    assert f'href="devices/{device_page(built).parent.name}/"' in built.texts[built.site / "index.html"]


def test_the_home_page_opens_with_the_newest_report(built: Built) -> None:
    page = built.pages[built.site / "index.html"]
    assert [str(image["src"]).rpartition("/")[2] for image in page.images] == [
        "working_set.light.svg#only-light",
        "working_set.dark.svg#only-dark",
    ]
    assert all("A dependent load" in str(image["alt"]) for image in page.images)


def test_units_are_spelt_one_way(built: Built) -> None:
    page = built.texts[device_page(built)]
    assert "GFLOP/s" in page
    assert not re.search(r"FLOP[Ss]\b", page)


@pytest.fixture
def records() -> Iterator[list[logging.LogRecord]]:
    """What MkDocs logs, whatever its handlers are."""
    kept: list[logging.LogRecord] = []

    class Keep(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            kept.append(record)

    handler = Keep(logging.WARNING)
    logging.getLogger("mkdocs").addHandler(handler)
    yield kept
    logging.getLogger("mkdocs").removeHandler(handler)


def test_a_server_shows_a_broken_run_and_lives(
    built: Built, tmp_path: Path, records: list[logging.LogRecord]
) -> None:
    """The plugin object is kept from build to build, as `mkdocs serve` does by `on_startup`."""
    data = small_project(built, tmp_path)
    first = load_config(str(tmp_path / "mkdocs.yml"))
    plugin = first.plugins["reportgen"]
    assert isinstance(plugin, ReportgenPlugin)
    first.plugins.on_startup(command="serve", dirty=False)
    build(first)
    renderer = plugin.renderer
    (device,) = (path for path in data.iterdir())
    newest = max(device.iterdir())
    (newest / SAMPLES).write_bytes(b"half a file")

    again = load_config(str(tmp_path / "mkdocs.yml"))
    assert again.plugins["reportgen"] is plugin
    build(again)
    assert plugin.renderer is renderer, "what was read before is remembered"
    assert any("could not be read" in record.getMessage() for record in records)
    page = tmp_path / "site" / "devices" / device.name / newest.name / "index.html"
    assert "result could not be read" in page.read_text()

    shutil.rmtree(newest)
    build(load_config(str(tmp_path / "mkdocs.yml")))
    assert not page.exists()
    assert (tmp_path / "site" / "devices" / device.name / "index.html").is_file()
    # This project builds without directory URLs: links hold there too.
    pages, _ = read(tmp_path / "site")
    assert [link for link in dead_links(tmp_path / "site", pages) if link.startswith("devices")] == []


def small_project(built: Built, folder: Path) -> Path:
    """Another project that uses the plugin, with a copy of the runs and of what was rendered."""
    shutil.copytree(built.data, folder / "data")
    shutil.copytree(built.cache, folder / ".cache" / "reportgen")
    (folder / "docs").mkdir()
    (folder / "docs" / "index.md").write_text("# Home\n\n<!-- reportgen:devices -->\n")
    (folder / "mkdocs.yml").write_text(
        "site_name: test\nplugins: [reportgen]\nnav: [index.md, {Devices: devices/}]\ntheme: mkdocs\n"
        "use_directory_urls: false\n"
    )
    return folder / "data"


def test_strict_refuses_a_broken_run(built: Built, tmp_path: Path) -> None:
    data = small_project(built, tmp_path)
    (device,) = data.iterdir()
    (max(device.iterdir()) / SAMPLES).write_bytes(b"")
    with pytest.raises(Abort):
        build(load_config(str(tmp_path / "mkdocs.yml"), strict=True))


def from_nothing(project: Path) -> dict[str, bytes]:
    """What a build by another process gives: no plugin object is taken over."""
    kept = dict(MkDocsConfig._schema)["plugins"].plugin_cache
    before, out = dict(kept), project / "fresh"
    kept.clear()
    try:
        build(load_config(str(project / "mkdocs.yml"), site_dir=str(out)))
    finally:
        kept.clear()
        kept.update(before)
    return contents(out)


def contents(folder: Path) -> dict[str, bytes]:
    """Every file, those in linked folders too, but one that tells the time."""
    found = (Path(parent, name) for parent, _, names in os.walk(folder, followlinks=True) for name in names)
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in found
        if path.name != "sitemap.xml.gz"
    }


def test_a_rebuild_gives_what_a_build_from_nothing_gives(
    built: Built, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever changes between two builds of a server; and what did not change is not made again."""
    data = small_project(built, tmp_path)
    docs, settings = tmp_path / "docs", tmp_path / "mkdocs.yml"
    text = (
        "site_name: test\nplugins: [search, reportgen]\ntheme: material\n"
        "nav: [index.md, {Devices: devices/}, {Notes: notes.md}]\n"
    )
    settings.write_text(text)
    (docs / "notes.md").write_text("Notes\n=====\n\nSee [the end](end.md#last).\n")
    (docs / "own.css").write_text("p {}")
    first = load_config(str(settings))
    first.plugins.on_startup(command="serve", dirty=False)
    plugin = first.plugins["reportgen"]
    assert isinstance(plugin, ReportgenPlugin)

    def made() -> tuple[int, int]:
        """Pages made anew, and all; after a rebuild that gives the bytes of a build from nothing."""
        build(load_config(str(settings)))
        assert contents(tmp_path / "site") == from_nothing(tmp_path)
        return len(plugin.urls) - len(plugin.recalled), len(plugin.urls)

    build(first)
    total = len(plugin.urls)
    assert plugin.recalled == {}
    assert made() == (0, total)

    (device,) = data.iterdir()
    newest = max(device.iterdir())
    newest.rename(tmp_path / "held")
    anew, fewer = made()
    assert 0 < anew < fewer < total
    (tmp_path / "held").rename(newest)
    anew, now = made()
    assert total - fewer <= anew < now == total

    (docs / "notes.md").write_text("Remarks\n=======\n\nSee [the end](end.md#last).\n")
    assert made() == (1, total), "the nav names this page itself"
    (docs / "end.md").write_text("# End\n\n## Last\n")
    (docs / "own.css").write_text("p { color: red }")
    assert made() == (2, total + 1), "the new page, and the one whose link leads there now"
    total += 1
    settings.write_text(text + "extra_css: [own.css]\n")
    assert made() == (total, total)
    settings.write_text(text.replace("Notes", "Other notes") + "extra_css: [own.css]\n")
    assert made() == (total, total)

    # A template of the theme that was edited, and templates of the user, who may show the time of day.
    monkeypatch.setattr("reportgen.site.mkdocs_plugin.stamps", lambda _: [("main.html", 1, 1)])
    assert made() == (total, total)
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "main.html").write_text(
        '{% extends "base.html" %}{% block footer %}mine{% endblock %}'
    )
    settings.write_text(text.replace("material", "{name: material, custom_dir: own}"))
    build(load_config(str(settings)))
    assert plugin.recalled == {}
    assert contents(tmp_path / "site") == from_nothing(tmp_path)


def test_a_server_links_what_it_need_not_copy_and_a_build_copies(built: Built, tmp_path: Path) -> None:
    small_project(built, tmp_path)
    for command, linked in (("serve", True), ("build", False)):
        config = load_config(str(tmp_path / "mkdocs.yml"))
        config.plugins.on_startup(command=command, dirty=False)
        build(config)
        found = list((tmp_path / "site" / "devices").glob("*/*/download"))
        assert found
        assert {path.is_symlink() for path in found} == {linked}
        assert all((path / SAMPLES).is_file() for path in found)
