"""From a data folder to a tree of Markdown pages, figures and downloads; knows nothing of MkDocs.

`render` writes `cache/pages/` and gives the list of what is there.  Whatever was rendered before is
taken from `cache/results/` and `cache/figures/`; a page of a run that did not change is left as it lies
in the tree, and any unchanged page keeps its time stamp.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from pathlib import Path

from reportgen import caches
from reportgen.roofline.roofs import FLOP
from reportgen.roofline.workloads import place as place_workloads
from reportgen.roofline.workloads import sheet_of
from reportgen.runs import store
from reportgen.runs.schema import ASIDE
from reportgen.site import address, ahead, catalogue, pictures
from reportgen.site.address import Links
from reportgen.site.aside import Aside
from reportgen.site.catalogue import Entry, Shelf, shelve
from reportgen.site.figures import roofline, roofline_across, roofline_record
from reportgen.site.figures.cache import drawn
from reportgen.site.files import remove_others, write_if_changed
from reportgen.site.kept import Kept
from reportgen.site.markup import Html
from reportgen.site.pages import (
    Page,
    broken,
    compare,
    compare_roofline,
    comparison,
    device,
    dictionary,
    family,
    hypotheses,
    index,
    model,
    published,
    targets,
    toolkits,
    versions,
    workloads,
)
from reportgen.site.pairs import pairs
from reportgen.site.rendered import Rendered, Warned
from reportgen.site.report import Report
from reportgen.site.results import Results, Unreadable
from reportgen.site.view import Picture, View


@contextmanager
def collector_resting() -> Iterator[None]:
    """No garbage collection for a while: what is made here is kept, or has no cycles.

    Deriving and drawing make some hundred thousand objects that the collector would walk over and
    over; a render takes an eighth less without it.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


DRAWN = "drawn"
"""Where a report keeps its figures and their paths in the tree."""
ASSETS = Path(__file__).parent / "assets"
STYLES = ("assets/reportgen/report.css", "assets/reportgen/roofline.css")
SCRIPTS = tuple(f"assets/reportgen/{name}.js" for name in ("tables", "browser", "roofline"))


@dataclass(frozen=True)
class Site:
    """All that one call of `render` gives."""

    pages: tuple[Rendered, ...]
    assets: tuple[Rendered, ...]
    warnings: tuple[Warned, ...]
    shelves: tuple[Shelf, ...]
    pictures: Mapping[str, Mapping[str, Picture]] = field(default_factory=dict)
    """Run -> figure -> where it lies."""


CACHES = (caches.RESULTS, caches.FIGURES)
"""What rendering adds to and no later rendering takes away."""


@dataclass
class Renderer:
    """Renders a data folder again and again; remembers between calls what did not change.

    `data` holds the runs, `cache` is written; neither needs to exist.
    """

    data: Path
    cache: Path
    links: Links = field(default_factory=Links)
    site_url: str = ""

    def __post_init__(self) -> None:
        self.used: list[caches.InUse] = []
        self.results = Results(self.cache / caches.RESULTS.name)
        self.aside = Aside(self.results, self.cache, self.links, self._same)
        self.kept = Kept(self.cache / "pages", self.cache / "pages.json")
        """Pages that stay as they are while a run, or the runs of a device, do."""

    def render(self) -> Site:
        """Write the tree and say what is in it."""
        # Held until this process ends: of what lies in the results, MkDocs makes copies and links after this.
        self.used = self.used or [caches.InUse(one, self.cache / one.name) for one in CACHES]
        for one in self.used:
            one.begin()
        with collector_resting():
            site = self._render()
        for one in self.used:
            one.trim()
        return site

    def _render(self) -> Site:
        self.aside.links = self.links
        warnings: list[Warned] = []
        refs = store.list_runs(self.data)
        runs = (ref.path for ref in refs if ref.kind not in ASIDE and not ref.error)
        ahead.derive(self.results.missing(runs), self.cache)
        ahead.derive_aside(self.aside.missing(refs), self.data, self.cache)  # needs what was derived of runs
        checked = self.aside.checked(refs, warnings)
        surveyed = self.aside.surveyed(refs, warnings)
        timed = self.aside.measured(refs, warnings)
        shelves = shelve(
            [self._entry(ref, warnings) for ref in refs if ref.kind not in ASIDE],
            {device: some[0].run.run for device, some in checked.items()},
            {device: some[0].found.run for device, some in surveyed.items()},
            {device: some[0].found.run for device, some in timed.items()},
        )
        tree = self.cache / "pages"
        pages: list[Rendered] = []
        assets: list[Rendered] = [
            Rendered(f"assets/reportgen/{path.name}", path) for path in sorted(ASSETS.iterdir())
        ]
        shown: dict[str, Mapping[str, Picture]] = {}
        aside = chain(
            self.aside.validation_pages(checked, assets, tree),
            self.aside.survey_pages(surveyed, assets, tree),
            self.aside.measurement_pages(timed, assets, tree),
        )
        for page in chain(self._pages(shelves, assets, shown, tree), aside):
            write_if_changed(tree / page.uri, page.markdown.encode())
            pages.append(Rendered(page.uri, tree / page.uri, page.title))
        remove_others(tree, {item.path for item in (*pages, *assets)})
        self.kept.save()
        return Site(tuple(pages), tuple(assets), tuple(warnings), shelves, shown)

    def _entry(self, ref: store.RunRef, warnings: list[Warned]) -> Entry:
        try:
            report = self.results.report(ref.path)
            device, run = report.run.device.id, report.run.run
            if (device, run) != (ref.device, ref.run):  # its pages would take the place of another's
                raise Unreadable(f"this is run {run} of {device}; its folder must be {device}/{run}")
            return Entry(ref.device, ref.run, report)
        except Unreadable as error:
            warnings.append(Warned(ref.device, ref.run, str(error)))
            return Entry(ref.device, ref.run, None, str(error))

    def _pages(
        self,
        shelves: tuple[Shelf, ...],
        assets: list[Rendered],
        shown: dict[str, Mapping[str, Picture]],
        tree: Path,
    ) -> Iterator[Page]:
        yield self._same(address.DEVICES, partial(index.page, shelves, self.links), *_contents(shelves))
        measured = catalogue.measured(shelves)
        yield from self._compared(measured, assets, tree)
        yield from self._targets(catalogue.targets(shelves))
        across = partial(hypotheses.across, measured, self.links)
        yield self._same(address.HYPOTHESES, across, *_contents(measured))
        yield self._same(address.DICTIONARY, partial(dictionary.page, self.links))
        yield self._same(address.PUBLISHED, partial(published.page, self.links))
        for shelf in shelves:
            here = address.versions_page(shelf.device)
            yield self._same(here, partial(versions.page, shelf, self.links), shelf.contents)
            if shelf.newest.report is None:
                yield broken.page(address.device_page(shelf.device), shelf, shelf.newest, self.links)
            else:
                yield self._model(shelf.newest, shelf.newest.report)
                yield from self._workloads(shelf.newest, shelf.newest.report, assets, tree)
            for entry in shelf.entries:
                if entry.report is None:
                    here = address.run_page(entry.device, entry.run)
                    yield broken.page(here, shelf, entry, self.links)
                else:
                    drawn_of = shown[entry.run] = self._draw(entry, entry.report, assets, tree)
                    yield from self._run(shelf, entry, entry.report, drawn_of)

    def _compared(self, shelves: tuple[Shelf, ...], assets: list[Rendered], tree: Path) -> Iterator[Page]:
        """Devices side by side, and each pair of runs that has a page of its own."""
        compared = tuple(pairs(shelves))
        rooflines = self._rooflines(shelves, assets, tree)
        make = partial(compare.page, shelves, compared, self.links, rooflines)
        yield self._same(address.COMPARE, make, rooflines, *_contents(shelves))
        for pair in compared:
            sides = pair.first.digest, pair.second.digest
            yield self._same(pair.uri, partial(comparison.page, pair, self.links), *sides)

    def _rooflines(self, shelves: tuple[Shelf, ...], assets: list[Rendered], tree: Path) -> Html:
        """The same workloads on every device, with the figure; nothing for fewer than two devices."""
        reports = [shelf.newest.report for shelf in shelves if shelf.newest.report is not None]
        found = compare_roofline.comparison(reports)
        record = roofline_across.record(found) if found is not None else None
        if found is None or record is None:
            return Html("")
        figure = drawn(self.cache / caches.FIGURES.name, "roofline_across", record, roofline_across.draw)
        for uri, content in compare_roofline.files(found, figure).items():
            write_if_changed(tree / uri, content)
            assets.append(Rendered(uri, tree / uri))
        devices = [report.run.device.id for report in reports]
        return compare_roofline.body(found, figure, self.links, devices)

    def _targets(self, shelves: tuple[Shelf, ...]) -> Iterator[Page]:
        """Targets of a compiler side by side, and what differs between its versions."""
        known = _contents(shelves)
        yield self._same(address.TARGETS, partial(targets.page, shelves, self.links), *known)
        if len(toolkits.versions(shelves)) > 1:
            yield self._same(address.TOOLKITS, partial(toolkits.page, shelves, self.links), *known)

    def _draw(
        self, entry: Entry, report: Report, assets: list[Rendered], tree: Path
    ) -> Mapping[str, Picture]:
        """The figures of a report, and what lies beside it for download."""
        known: tuple[dict[str, Picture], list[str]] | None = report.kept.get(DRAWN)
        if known is None or not all((tree / uri).is_file() for uri in known[1]):
            known = {}, []
            report.kept[DRAWN] = known
            for name, figure in pictures.draw_all(report, self.cache / caches.FIGURES.name):
                known[0][name], files = pictures.place(report, name, figure)
                for uri, content in files.items():
                    write_if_changed(tree / uri, content)
                    known[1].append(uri)
        shown, uris = known
        assets += [Rendered(uri, tree / uri) for uri in uris]
        assets += [
            Rendered(address.run_asset(entry.device, entry.run, f"download/{item.name}"), item.path)
            for item in report.downloads
        ]
        return shown

    def _run(
        self, shelf: Shelf, entry: Entry, report: Report, shown: Mapping[str, Picture]
    ) -> Iterator[Page]:
        """The report at its own address, its probes, and the device's page for the newest.

        Programs that were built and not run can be built again, and there are many of them: those of an
        earlier toolchain are in its data only.
        """
        probes = shelf.newest is entry or not report.run.toolchain_only
        own = View(address.run_page(entry.device, entry.run), report, self.links, shown, probes)
        yield self._device(own, shelf, entry, newest=False)
        if shelf.newest is entry:
            latest = View(address.device_page(entry.device), report, self.links, shown)
            yield self._device(latest, shelf, entry, newest=True)
        if not report.run.toolchain_only:
            yield self._hypotheses(entry, report)
        for name in report.families if probes else ():
            here = address.family_page(entry.device, entry.run, name)
            make = partial(family.page, View(here, report, self.links), name, entry)
            yield self._same(here, make, report.digest)

    def _same(self, here: str, make: Callable[[], Page], *parts: object) -> Page:
        """A page that stays as it is while `parts` and the addresses do, from before where it was made."""
        links = (self.links.directory_urls, sorted(self.links.known))
        return self.kept.page(here, (links, *parts), make)

    def _model(self, entry: Entry, report: Report) -> Page:
        """The model to browse: it stays as it is while the run does."""
        here = address.model_page(entry.device)
        return self._same(here, lambda: model.page(View(here, report, self.links), entry), report.digest)

    def _workloads(self, entry: Entry, report: Report, assets: list[Rendered], tree: Path) -> Iterator[Page]:
        """Counted workloads under the roofs, where there are roofs: it stays as it is while the run does."""
        placed = place_workloads(report.roofline)
        if not placed:
            return
        shown = roofline_record.record(sheet_of(report.roofline, placed), FLOP)
        figure = drawn(self.cache / caches.FIGURES.name, "roofline", shown, roofline.draw)
        for uri, content in workloads.files(report, placed, figure).items():
            write_if_changed(tree / uri, content)
            assets.append(Rendered(uri, tree / uri))
        here = address.workloads_page(entry.device)
        make = partial(workloads.page, View(here, report, self.links), entry, placed, figure)
        yield self._same(here, make, report.digest)

    def _hypotheses(self, entry: Entry, report: Report) -> Page:
        """How the hypotheses of a run ended: it stays as it is while the run does."""
        here = address.hypotheses_page(entry.device, entry.run)
        make = partial(hypotheses.of_run, View(here, report, self.links), entry)
        return self._same(here, make, report.digest)

    def _device(self, view: View, shelf: Shelf, entry: Entry, *, newest: bool) -> Page:
        """A report's page: it stays as it is while the run and the list of its device's runs do."""
        make = partial(device.page, view, shelf, entry, self.site_url, newest=newest)
        return self._same(view.here, make, shelf.contents, self.site_url)


def _contents(shelves: Sequence[Shelf]) -> tuple[object, ...]:
    """What a page of several devices is made of."""
    return tuple(shelf.contents for shelf in shelves)
