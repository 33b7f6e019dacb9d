"""The nav of a site: folder markers, such as `devices/`, become lists of pages.

Works on the plain lists and mappings of a nav, so that any generator can use it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from reportgen.site import address, catalogue
from reportgen.site.catalogue import Shelf
from reportgen.site.pages import toolkits

MOST_DEVICES = 20
"""Devices named in the nav; with more of them the nav would weigh more than the pages."""


VALIDATIONS = "Validation of the cost model"
SURVEYS = "All instruction forms"
MEASUREMENTS = "Code of one's own"
TARGETS = "CUDA targets (toolchain)"


def devices(shelves: tuple[Shelf, ...]) -> list[Any]:
    """Index, then one entry a device: its newest report; a compiler's targets in a group of their own."""
    measured, targets = catalogue.measured(shelves), catalogue.targets(shelves)
    found: list[Any] = [address.DEVICES]
    if len(measured) <= MOST_DEVICES:
        found += [{shelf.name: address.device_page(shelf.device)} for shelf in measured]
        checked = [
            {shelf.name: address.validation_page(shelf.device)} for shelf in measured if shelf.validation
        ]
        if checked:
            found.append({VALIDATIONS: checked})
        surveyed = [{shelf.name: address.survey_page(shelf.device)} for shelf in measured if shelf.survey]
        if surveyed:
            found.append({SURVEYS: surveyed})
        own = [
            {shelf.name: address.measurement_page(shelf.device)} for shelf in measured if shelf.measurement
        ]
        if own:
            found.append({MEASUREMENTS: own})
    if targets:
        group: list[Any] = [address.TARGETS]
        if len(toolkits.versions(targets)) > 1:
            group.append(address.TOOLKITS)
        group += [{shelf.device.replace("-", "_"): address.device_page(shelf.device)} for shelf in targets]
        found.append({TARGETS: group})
    return found


def folders(uris: Iterable[str]) -> dict[str, list[Any]]:
    """Folder marker -> its pages, the index first, the others by name."""
    found: dict[str, list[Any]] = {}
    for uri in sorted(uris):
        folder, _, name = uri.rpartition("/")
        if folder:
            pages = found.setdefault(folder + "/", [])
            pages.insert(0 if name in ("index.md", "README.md") else len(pages), uri)
    return found


def expand(nav: Any, sections: Mapping[str, list[Any]]) -> Any:
    """The nav with every marker replaced; a marker without pages is dropped."""
    if isinstance(nav, list):
        made: list[Any] = []
        for item in nav:
            if isinstance(item, str) and item.endswith("/"):
                made.extend(sections.get(item, []))
            else:
                made.append(expand(item, sections))
        return made
    if isinstance(nav, dict):
        return {
            title: list(sections.get(value, []))
            if isinstance(value, str) and value.endswith("/")
            else expand(value, sections)
            for title, value in nav.items()
        }
    return nav


def pages(nav: Any) -> Iterator[str]:
    """Every page that a nav names."""
    if isinstance(nav, str):
        yield nav
    elif isinstance(nav, dict):
        for value in nav.values():
            yield from pages(value)
    elif isinstance(nav, list):
        for item in nav:
            yield from pages(item)
