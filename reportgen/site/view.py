"""One page being written: where it lies, how it links, which figures it may show."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from reportgen.findings.finding import Claim, Finding
from reportgen.site import address, blocks, templating
from reportgen.site.address import Links
from reportgen.site.markup import Html, anchor, join
from reportgen.site.report import Report
from reportgen.units import format_bytes


@dataclass(frozen=True)
class Picture:
    """A drawn figure: the source paths of its two palettes and its size in CSS pixels."""

    light: str
    dark: str
    size: tuple[int, int]


@dataclass(frozen=True)
class Section:
    """A part of a report under its own heading.

    `body` is HTML without blank lines inside a block; `children` are headings one level down.
    """

    id: str
    title: str
    body: tuple[Html, ...] = ()
    children: tuple[Section, ...] = ()


@dataclass(frozen=True)
class View:
    """Page `here` about one run."""

    here: str
    report: Report
    links: Links
    pictures: Mapping[str, Picture] = field(default_factory=dict)
    probes: bool = True
    """Whether the probes of the run have pages of their own."""

    def page(self, uri: str, mark: str = "") -> str:
        """Address of a generated page or asset."""
        return self.links.to(self.here, uri, mark)

    def asset(self, name: str) -> str:
        """Address of a file beside the report."""
        device, run = self.report.run.device.id, self.report.run.run
        return self.page(address.run_asset(device, run, name))

    def probe(self, probe: str) -> str:
        """Address of a probe's entry; empty for a probe that the run does not have, or not on a page."""
        family = probe.partition("/")[0]
        if not self.probes or family not in self.report.families:
            return ""
        device, run = self.report.run.device.id, self.report.run.run
        return self.page(address.family_page(device, run, family), address.probe_anchor(probe))

    def term(self, metric: str, text: object) -> Html:
        """A link to a metric's entry in the data dictionary."""
        return anchor(text, self.links.term(self.here, metric))

    def intro(self, section: str, **values: object) -> Html:
        """The words at the head of a section, from `templates/intro`."""
        return templating.fragment(f"intro/{section}.html.j2", view=self, **values)

    def method(self, name: str, text: str = "") -> Html:
        """A link to a page of the method, or the bare words where the site has none."""
        return anchor(text or name.replace("-", " "), self.links.method(self.here, name))

    @property
    def small_pages(self) -> str:
        """What a run on small pages was on: `4 KiB pages`, or `small pages` where no size is reported."""
        size = self.report.run.device.reported.get("page_bytes")
        return f"{format_bytes(size)} pages" if isinstance(size, int) else "small pages"

    def word(self, entry: str, text: str = "") -> Html:
        """A word with a link to its entry in the glossary, or the bare word where the site has none."""
        mark = entry.lower().replace(" ", "-")
        return anchor(text or entry, self.links.written(self.here, address.GLOSSARY, mark))

    def finding(self, item: Finding, identity: str = "") -> Html:
        """A finding with links to its probes and to the method behind its metrics."""
        methods = []
        quantity = self.report.fact(item.metrics[0]) if item.metrics else None
        if quantity is not None and self.links.method(self.here, quantity.method):
            methods.append(self.method(quantity.method, f"method: {quantity.method}"))
        return blocks.finding(item, self.probe, methods, identity, counted=self.counted(item))

    def counted(self, item: Finding) -> str:
        """Where is told how often findings of such a confidence are right: on simulated CPUs, so of CPUs."""
        if item.claim not in (Claim.MEASURED, Claim.INFERRED) or self.report.evidence.gpu:
            return ""
        return self.links.method(self.here, "calibration", address.tenth_anchor(item.confidence))

    def findings(self, items: Iterable[Finding | None], *, anchored: bool = False) -> tuple[Html, ...]:
        """Several findings, those that are there."""
        return tuple(self.finding(item, item.id if anchored else "") for item in items if item is not None)

    def stated(self, metrics: Iterable[str], most: int | None = None) -> Html:
        """The findings of some metrics in short, those that are there; beyond `most` folded."""
        found = (self.report.finding.get(metric) for metric in metrics)
        return blocks.stated((item for item in found if item is not None), most)

    def figure(self, name: str, alternative: str, caption: object) -> Html:
        """A figure of this run, or nothing where there was nothing to draw."""
        picture = self.pictures.get(name)
        if picture is None:
            return Html("")
        return blocks.figure(
            f"figure-{name}",
            self.page(picture.light),
            self.page(picture.dark),
            picture.size,
            alternative,
            caption,
        )


def present(parts: Iterable[Html]) -> tuple[Html, ...]:
    """Parts that are not empty."""
    return tuple(part for part in parts if part)


def sentence(items: Iterable[Finding | None], otherwise: str) -> str:
    """The findings' own sentences as one text, for the alternative text of a figure."""
    return str(join((item.sentence for item in items if item is not None), " ")) or otherwise
