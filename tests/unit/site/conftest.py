"""One simulated data folder and its rendered site, shared by the tests of the renderer."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from reportgen.site.address import Links
from reportgen.site.render import Renderer, Site
from tests.simulated.cpu import make_data
from tests.simulated.truth import CpuTruth

METHODS = ("slope", "plateau", "interference", "boundary", "bandwidth", "roofline", "clock", "confidence")
KNOWN = frozenset({"how-to-read.md", "data-formats.md", *(f"method/{name}.md" for name in METHODS)})


@dataclass(frozen=True)
class Rendered:
    """Two runs of one simulated device, and what one call of `render` made of them."""

    data: Path
    cache: Path
    older: Path
    newer: Path
    renderer: Renderer
    site: Site

    def page(self, uri: str) -> str:
        """Markdown of a page."""
        return (self.cache / "pages" / uri).read_text(encoding="utf-8")


@pytest.fixture(scope="package")
def rendered(tmp_path_factory: pytest.TempPathFactory) -> Rendered:
    root = tmp_path_factory.mktemp("site")
    data, cache = root / "data", root / "cache"
    older, newer = (make_data(CpuTruth(), seed, data) for seed in (1, 2))
    renderer = Renderer(data, cache, Links(True, KNOWN), "https://reports.example/")
    return Rendered(data, cache, older, newer, renderer, renderer.render())
