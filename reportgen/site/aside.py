"""Pages of runs that stand beside those of the suite: validations, surveys, code of the user's own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from reportgen import caches
from reportgen.runs import store
from reportgen.runs.schema import MEASUREMENT, SURVEY, VALIDATION
from reportgen.site import address, measurements, surveys, validations
from reportgen.site.address import Links
from reportgen.site.figures import own_code, scheduling_model
from reportgen.site.figures import validation as scatter
from reportgen.site.figures.cache import Drawn, drawn
from reportgen.site.files import write_if_changed
from reportgen.site.pages import Page, measurement, survey, survey_model, validation
from reportgen.site.rendered import Rendered, Warned
from reportgen.site.results import Results, Unreadable
from reportgen.site.view import Picture

Same = Callable[..., Page]
"""Address, how the page is made, what it is made of -> the page, from before where that is the same."""


@dataclass
class Aside:
    """Remembers between renders what did not change."""

    results: Results
    cache: Path
    links: Links
    same: Same

    def __post_init__(self) -> None:
        self._kept_validations = validations.Validations(self.results)
        self._kept_surveys = surveys.Surveys(self.results)
        self._kept_measurements = measurements.Measurements(self.results)

    def missing(self, refs: Sequence[store.RunRef]) -> list[store.RunRef]:
        """Validations and surveys that are still to be derived; a measurement takes no time."""
        checked, surveyed = self._kept_validations, self._kept_surveys
        return [
            ref
            for ref in refs
            if (ref.kind == VALIDATION and checked.missing(ref))
            or (ref.kind == SURVEY and surveyed.missing(ref, refs))
        ]

    def checked(
        self, refs: Sequence[store.RunRef], warnings: list[Warned]
    ) -> dict[str, list[validations.Checked]]:
        """Validations by device, the newest first; one that cannot be shown is a warning."""
        found: dict[str, list[validations.Checked]] = {}
        for ref in refs:
            if ref.kind == VALIDATION:
                try:
                    one = self._kept_validations.checked(ref)
                    found.setdefault(ref.device, []).append(one)
                except Unreadable as error:
                    warnings.append(Warned(ref.device, ref.run, str(error)))
        return found

    def validation_pages(
        self, checked: Mapping[str, Sequence[validations.Checked]], assets: list[Rendered], tree: Path
    ) -> Iterator[Page]:
        """Each validation at its own address, and a device's newest at that of the device."""
        for device_id, some in checked.items():
            for one in some:
                picture = self._scatter(one, assets, tree)
                places = [address.run_page(device_id, one.run.run)]
                places += [address.validation_page(device_id)] if one is some[0] else []
                for newest, here in enumerate(places):
                    make = partial(validation.page, here, one, picture, self.links, newest=newest > 0)
                    yield self.same(here, make, one.key)

    def surveyed(
        self, refs: Sequence[store.RunRef], warnings: list[Warned]
    ) -> dict[str, list[surveys.Surveyed]]:
        """Surveys by device, the newest first; one that cannot be shown is a warning."""
        found: dict[str, list[surveys.Surveyed]] = {}
        for ref in refs:
            if ref.kind == SURVEY:
                try:
                    found.setdefault(ref.device, []).append(self._kept_surveys.surveyed(ref, refs))
                except Unreadable as error:
                    warnings.append(Warned(ref.device, ref.run, str(error)))
        return {device: some for device, some in found.items() if some}

    def survey_pages(
        self, surveyed: Mapping[str, Sequence[surveys.Surveyed]], assets: list[Rendered], tree: Path
    ) -> Iterator[Page]:
        """Each survey at its own address, and a device's newest at that of the device."""
        for device_id, some in surveyed.items():
            for one in some:
                assets += [
                    Rendered(survey.asset(one.found, name), place) for name, (place, _) in one.files.items()
                ]
                picture = self._beside_model(one, assets, tree)
                places = [address.run_page(device_id, one.found.run)]
                places += [address.survey_page(device_id)] if one is some[0] else []
                for newest, here in enumerate(places):
                    make = partial(survey.page, here, one, picture, self.links, newest=newest > 0)
                    yield self.same(here, make, one.key)

    def measured(
        self, refs: Sequence[store.RunRef], warnings: list[Warned]
    ) -> dict[str, list[measurements.Measured]]:
        """Measurements by device, the newest first; one that cannot be shown is a warning."""
        reported = {ref.device for ref in refs if not (ref.kind or ref.error)}
        found: dict[str, list[measurements.Measured]] = {}
        for ref in refs:
            if ref.kind == MEASUREMENT:
                try:
                    one = self._kept_measurements.measured(ref, reported=ref.device in reported)
                    found.setdefault(ref.device, []).append(one)
                except Unreadable as error:
                    warnings.append(Warned(ref.device, ref.run, str(error)))
        return found

    def measurement_pages(
        self, timed: Mapping[str, Sequence[measurements.Measured]], assets: list[Rendered], tree: Path
    ) -> Iterator[Page]:
        """Each measurement at its own address, and a device's newest at that of the device."""
        for device_id, some in timed.items():
            for one in some:
                picture = self._samples(one, assets, tree)
                places = [address.run_page(device_id, one.found.run)]
                places += [address.measurement_page(device_id)] if one is some[0] else []
                for newest, here in enumerate(places):
                    make = partial(measurement.page, here, one, picture, self.links, newest=newest > 0)
                    yield self.same(here, make, one.key)

    def _beside_model(self, one: surveys.Surveyed, assets: list[Rendered], tree: Path) -> Picture | None:
        """The picture of a survey beside a scheduling model."""
        record = survey_model.scatter(one.found)
        if record is None:
            return None
        figure = drawn(self.cache / caches.FIGURES.name, survey_model.FIGURE, record, scheduling_model.draw)
        return self._placed(survey_model.figures(one.found, figure), figure, assets, tree)

    def _samples(self, one: measurements.Measured, assets: list[Rendered], tree: Path) -> Picture | None:
        """The picture of a measurement, and what lies beside it for download."""
        assets += [
            Rendered(measurement.asset(one.found, name), place) for name, (place, _) in one.files.items()
        ]
        record = measurement.strips(one.found)
        if record is None:
            return None
        figure = drawn(self.cache / caches.FIGURES.name, measurement.FIGURE, record, own_code.draw)
        files = measurement.figures(one.found, figure)
        return self._placed(files, figure, assets, tree)

    def _placed(
        self, files: Mapping[str, bytes], figure: Drawn, assets: list[Rendered], tree: Path
    ) -> Picture:
        """A figure's two files in the tree."""
        for uri, content in files.items():
            write_if_changed(tree / uri, content)
            assets.append(Rendered(uri, tree / uri))
        light, dark = files
        return Picture(light, dark, (figure.width, figure.height))

    def _scatter(self, one: validations.Checked, assets: list[Rendered], tree: Path) -> Picture | None:
        """The picture of a validation, and what lies beside it for download."""
        assets += [
            Rendered(validation.asset(one.found, name), place) for name, (place, _) in one.files.items()
        ]
        record = validation.scatter(one.found)
        if record is None:
            return None
        figure = drawn(self.cache / caches.FIGURES.name, validation.FIGURE, record, scatter.draw)
        return self._placed(validation.figures(one.found, figure), figure, assets, tree)
