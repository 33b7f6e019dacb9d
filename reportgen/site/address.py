"""Where every page lies, and how one page links to another.

Every generated page is a folder with an `index.md`, and every link is relative: the site works at
any address, with directory URLs or without.
"""

from __future__ import annotations

import posixpath
from collections.abc import Set
from dataclasses import dataclass, field

from reportgen.model.exports import dictionary

DEVICES = "devices/index.md"
COMPARE = "compare/index.md"
DICTIONARY = "dictionary.md"
TARGETS = "targets/index.md"
TOOLKITS = "targets/toolkits/index.md"
PUBLISHED = "published.md"
HYPOTHESES = "hypotheses/index.md"
GLOSSARY = "glossary.md"
HOW_TO_READ = "how-to-read.md"


def device_page(device: str) -> str:
    """The address that shows a device's newest report."""
    return f"devices/{device}/index.md"


def model_page(device: str) -> str:
    """The model of a device's newest report, to browse."""
    return f"devices/{device}/model/index.md"


def validation_page(device: str) -> str:
    """The cost model against measured loops: a device's newest validation."""
    return f"devices/{device}/validation/index.md"


def survey_page(device: str) -> str:
    """All instruction forms: a device's newest survey."""
    return f"devices/{device}/instructions/index.md"


def measurement_page(device: str) -> str:
    """Code of the user's own: a device's newest measurement."""
    return f"devices/{device}/own-code/index.md"


def workloads_page(device: str) -> str:
    """Counted workloads under the roofs of a device's newest report."""
    return f"devices/{device}/workloads/index.md"


def hypotheses_page(device: str, run: str) -> str:
    """How the hypotheses of one run ended."""
    return f"devices/{device}/{run}/hypotheses/index.md"


def versions_page(device: str) -> str:
    """Every report of a device, newest first."""
    return f"devices/{device}/versions/index.md"


def run_page(device: str, run: str) -> str:
    """The address that a report keeps for ever."""
    return f"devices/{device}/{run}/index.md"


def family_page(device: str, run: str, family: str) -> str:
    """The probes of one family in one run."""
    return f"devices/{device}/{run}/probes/{family}/index.md"


def run_key(device: str, run: str) -> str:
    """A run in the address of a comparison."""
    return f"{device}-{run}"


def comparison_page(first: str, second: str) -> str:
    """Two runs, by their keys, side by side."""
    return f"compare/{first}--{second}/index.md"


def run_asset(device: str, run: str, name: str) -> str:
    """A figure or download beside a report."""
    return f"devices/{device}/{run}/{name}"


def probe_anchor(probe: str) -> str:
    """Anchor of a probe on its family's page: `family/name` -> `name`."""
    return probe.partition("/")[2] or probe


def metric_anchor(pattern: str) -> str:
    """Anchor of an entry of the data dictionary: `memory.<level>.capacity` -> `memory.level.capacity`."""
    return pattern.replace("<", "").replace(">", "")


def tenth_anchor(confidence: float) -> str:
    """Anchor of the row of docs/method/calibration.md that a confidence (three decimals) belongs to."""
    return f"tenth-{min(9, round(confidence * 1000) // 100)}"


@dataclass(frozen=True)
class Links:
    """Relative addresses between pages.

    `known` holds the hand-written pages there are (`method/slope.md`); a link to another one is
    left out, so that the renderer serves a site without them too.
    """

    directory_urls: bool = True
    known: Set[str] = field(default_factory=frozenset)

    def url(self, page: str) -> str:
        """Address of a page from the top of the site; anything but Markdown is its own address."""
        if not page.endswith(".md"):
            return page
        if not self.directory_urls:
            return page.removesuffix(".md") + ".html"
        stem = page.removesuffix(".md")
        stem = stem.removesuffix("index") if posixpath.basename(stem) == "index" else stem + "/"
        return stem or "./"

    def to(self, here: str, there: str, anchor: str = "") -> str:
        """Address of `there` as seen from `here`, both source paths such as `compare/index.md`."""
        mark = f"#{anchor}" if anchor else ""
        if here == there:
            return mark or "./"
        target = self.url(there)
        path = posixpath.relpath(target, posixpath.dirname(self.url(here)) or ".")
        return path + ("/" if target.endswith("/") and not path.endswith("/") else "") + mark

    def written(self, here: str, there: str, anchor: str = "") -> str:
        """The same for a hand-written page; empty where the site has none."""
        return self.to(here, there, anchor) if there in self.known else ""

    def term(self, here: str, metric: str) -> str:
        """The entry of the data dictionary that says what a metric means; empty for an unknown kind."""
        entry = dictionary.lookup(metric)
        return self.to(here, DICTIONARY, metric_anchor(entry.pattern)) if entry is not None else ""

    def method(self, here: str, name: str, anchor: str = "") -> str:
        """A page of docs/method, or empty."""
        return self.written(here, f"method/{name}.md", anchor)
