"""What tests read of a built site, and the configuration of the project with other folders."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from mkdocs.config import load_config
from mkdocs.config.defaults import MkDocsConfig

from reportgen.site.mkdocs_plugin import ReportgenPlugin

ROOT = Path(__file__).resolve().parents[2]


@dataclass
class Found(HTMLParser):
    """What the checks need of one HTML page."""

    ids: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    loaded: list[str] = field(default_factory=list)
    images: list[dict[str, str | None]] = field(default_factory=list)
    order: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if given.get("id"):
            self.ids.append(str(given["id"]))
        if tag == "a" and given.get("href"):
            self.links.append(str(given["href"]))
        if tag == "link" and "icon" not in str(given.get("rel")) and given.get("rel") != "canonical":
            self.loaded.append(str(given["href"]))
        if tag in ("script", "img") and given.get("src"):
            self.loaded.append(str(given["src"]))
        if tag == "img":
            self.images.append(given)
        if tag in ("figure", "table", "h2"):
            self.order.append(tag)


def configuration(data: Path, cache: Path, site: Path, strict: bool) -> MkDocsConfig:
    """The project's own mkdocs.yml with other folders."""
    config = load_config(str(ROOT / "mkdocs.yml"), site_dir=str(site), strict=strict)
    plugin = config.plugins["reportgen"]
    assert isinstance(plugin, ReportgenPlugin)
    plugin.config["data_dir"], plugin.config["cache_dir"] = str(data), str(cache)
    return config


def read(site: Path) -> tuple[dict[Path, Found], dict[Path, str]]:
    texts = {path: path.read_text(encoding="utf-8") for path in sorted(site.rglob("*.html"))}
    pages = {}
    for path, text in texts.items():
        pages[path] = Found()
        pages[path].feed(text)
    return pages, texts


def dead_links(site: Path, pages: dict[Path, Found]) -> list[str]:
    """Every relative link, and every anchor in one, that leads nowhere."""
    wrong = []
    known = {path: frozenset(page.ids) for path, page in pages.items()}

    @cache
    def led_to(folder: Path, way: str) -> tuple[Path, bool]:
        """Where a link of a page in a folder leads, and whether there is such a file."""
        target = (folder / unquote(way)).resolve()
        target = target / "index.html" if target.is_dir() else target
        return target, target.is_file()

    for path, page in pages.items():
        if path.name == "404.html":
            continue
        for link in dict.fromkeys(page.links + page.loaded):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target, there = led_to(path.parent, parts.path) if parts.path else (path, True)
            anchor = unquote(parts.fragment)
            if not there:
                wrong.append(f"{path.relative_to(site)} -> {link}")
            elif (
                anchor
                and not anchor.startswith(("__", "only-"))
                and anchor not in known.get(target, {anchor})
            ):
                wrong.append(f"{path.relative_to(site)} -> {link} (no such anchor)")
    return wrong
