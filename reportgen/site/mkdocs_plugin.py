"""MkDocs plugin: hands the rendered tree to MkDocs, and watches the data while serving.

The life of a build, hook by hook:

on_startup   its mere presence keeps this object, and so its memory, across the rebuilds of a server
on_config    style sheet, script and an extension are put in place
on_serve     finished runs in the data folder are watched, runs in progress are not
on_files     pages, figures and downloads join the files; folder markers in the nav are expanded;
             a run that cannot be read is a page that says so, and a logged warning
on_page_markdown   the home page gets its table of devices; long HTML steps aside
on_page_content    the HTML is put back when the Markdown around it has been parsed; what a page was
                   converted to is kept for the next rebuild of a server
on_env             templates of the theme are compiled once, not at every rebuild; a server links files
                   rather than copy them, and passes pages by that are finished already
on_page_context    tables of data are put back, past which the search has come by then
on_post_page       a finished page is kept for the next rebuild of a server, or taken from the last
on_post_template   the page of addresses without a page says where to go
on_post_build      the search gets the entries of the pages that did not go through it

All content comes from `reportgen.site.render`, which does not know MkDocs.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from threading import Thread
from typing import Any, Literal
from urllib.parse import urlsplit

from jinja2 import ChoiceLoader, DictLoader, Environment, FileSystemBytecodeCache
from mkdocs.config import Config
from mkdocs.config import config_options as option
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.livereload import LiveReloadServer
from mkdocs.plugins import BasePlugin, event_priority, get_plugin_logger
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page
from mkdocs.utils.templates import TemplateContext

from reportgen import threads
from reportgen.site import missing, navigation, passthrough
from reportgen.site.address import Links
from reportgen.site.conversions import Conversions, Converted, linked
from reportgen.site.finished import Finished, Linked, stamps
from reportgen.site.pages import index
from reportgen.site.render import SCRIPTS, STYLES, Renderer, Site
from reportgen.site.watching import watch

log = get_plugin_logger(__name__)

DEVICES = "<!-- reportgen:devices -->"
"""Where a hand-written page wants the table of devices."""
OPENING = "<!-- reportgen:opening -->"
"""Where it wants a figure of the newest report."""

FINISHED = "reportgen/finished.html"
"""Template of a page that was finished before: what it gives is replaced by that page."""
SEARCH = "search/search_index.json"
UNDERSTOOD = {"material/search", "reportgen"}
"""Plugins of which it is known what they make of a page.  With another one every page is made anew."""

DERIVING = ("reportgen.model.derive", "pandas", "scipy.optimize", "matplotlib.backends.backend_svg")
"""What showing derived results does without, and deriving does not."""


class ReportgenConfig(Config):  # type: ignore[no-untyped-call]
    """Options of the plugin in mkdocs.yml; paths are relative to that file."""

    data_dir = option.Dir(default="data")
    """Folder of the runs, `<device>/<run>/`; may not exist yet."""
    cache_dir = option.Dir(default=".cache/reportgen")
    """Where rendered pages, figures and derived results are kept; outside `docs` and `data`."""


class ReportgenPlugin(BasePlugin[ReportgenConfig]):  # type: ignore[no-untyped-call]
    """Adds one report a device to a MkDocs site."""

    def __init__(self) -> None:
        self.renderer: Renderer | None = None
        self.site: Site | None = None
        self.links = Links()
        self.blocks: dict[str, list[str]] = {}
        self.texts: dict[str, tuple[object, ...]] = {}
        self.conversions = Conversions()
        self.silent: dict[str, tuple[str, ...]] = {}
        self.serving = False
        self.nav: Navigation | None = None
        self.finished = Finished()
        self.parts: dict[str, tuple[object, ...]] = {}
        self.recalled: dict[str, str] = {}
        self.urls: dict[str, str] = {}

    def on_startup(self, *, command: Literal["build", "gh-deploy", "serve"], dirty: bool) -> None:
        """A server keeps pages for its next build; see the head of this module, too."""
        threads.keep_one()
        self.serving = command == "serve" and not dirty

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """Put the assets on every page."""
        config.extra_css.extend(style for style in STYLES if style not in config.extra_css)
        config.extra_javascript.extend(script for script in SCRIPTS if script not in config.extra_javascript)
        # Headings carry metric ids as their anchors; that is what this extension is for.
        if "attr_list" not in config.markdown_extensions:
            config.markdown_extensions.append("attr_list")
        return config

    def on_serve(self, server: LiveReloadServer, *, config: MkDocsConfig, builder: Any) -> LiveReloadServer:
        """Watch the runs."""
        data = Path(self.config.data_dir)
        if data.is_dir():
            watch(server, data)
            # The first new run would wait for these imports, and a server has nothing else to do now.
            Thread(target=_import_what_derives, name="reportgen-imports", daemon=True).start()
        else:
            log.warning("there is no folder '%s' yet: start the server again after the first run", data)
        return server

    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        """Render, then add what was rendered."""
        known = frozenset(file.src_uri for file in files.documentation_pages())
        self.links = Links(config.use_directory_urls, known)
        data, cache = Path(self.config.data_dir), Path(self.config.cache_dir)
        if self.renderer is None or (self.renderer.data, self.renderer.cache) != (data, cache):
            self.renderer = Renderer(data, cache)
        self.renderer.links, self.renderer.site_url = self.links, config.site_url or ""
        self.site = self.renderer.render()
        for warning in self.site.warnings:
            log.warning("run %s/%s could not be read: %s", warning.device, warning.run, warning.message)
        for item in (*self.site.pages, *self.site.assets):
            existing = files.get_file_from_path(item.uri)
            if existing is not None:
                log.warning("'%s' is generated; the hand-written file of that name is left out", item.uri)
                files.remove(existing)
            file = File.generated(config, item.uri, abs_src_path=str(item.path))
            if item.title:
                file.inclusion = InclusionLevel.NOT_IN_NAV
            files.append(file)
        if config.nav is not None:
            config.nav = navigation.expand(config.nav, self._sections(files))
            for uri in navigation.pages(config.nav):
                named = files.get_file_from_path(uri)
                if named is not None and named.inclusion is InclusionLevel.NOT_IN_NAV:
                    named.inclusion = InclusionLevel.INCLUDED
        return files

    def _sections(self, files: Files) -> dict[str, list[Any]]:
        """What a folder marker in the nav stands for."""
        assert self.site is not None
        found = navigation.folders(
            file.src_uri for file in files.documentation_pages() if file.generated_by is None
        )
        found["devices/"] = navigation.devices(self.site.shelves)
        return found

    def on_nav(self, nav: Navigation, *, config: MkDocsConfig, files: Files) -> Navigation:
        """Remember it: whether a page is still as it was is known when all titles are."""
        self.nav = nav
        return nav

    def on_page_markdown(self, markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
        """Put the table of devices where a page asks for it; set long HTML aside."""
        uri = page.file.src_uri
        generated = page.file.generated_by == "reportgen"
        if not generated and self.site is not None and (DEVICES in markdown or OPENING in markdown):
            shelves = self.site.shelves
            markdown = markdown.replace(DEVICES, index.listing(shelves, uri, self.links))
            opening = index.opening(shelves, uri, self.links, self.site.pictures)
            markdown = markdown.replace(OPENING, opening)
        # Generated pages change with what they lead to; links in a hand-written one may come to life.
        there = frozenset() if generated else linked(uri, markdown, files.src_uris)
        self.texts[uri] = parts = (_settings(config), page.title, there, markdown)
        if self.conversions.recall(uri, parts) is not None:
            return ""
        if generated:
            markdown, self.blocks[uri] = passthrough.stash(markdown)
        return markdown

    def on_page_content(self, html: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
        """Put the HTML back, and tell MkDocs of the anchors in it, which it checks links against."""
        uri = page.file.src_uri
        parts = self.texts.pop(uri)
        kept = self.conversions.recall(uri, parts)
        if kept is None:
            blocks = self.blocks.pop(uri, [])
            anchors = (page.present_anchor_ids or set()) | passthrough.anchors(blocks)
            html = passthrough.restore(html, blocks, silent=False) if blocks else html
            links = tuple((file.src_uri, names) for file, names in (page.links_to_anchors or {}).items())
            kept = Converted(html, tuple(blocks), page.toc, frozenset(anchors), page.title or "", links)
            self.conversions.keep(uri, parts, kept)
        else:
            found = ((files.get_file_from_path(name), names) for name, names in kept.links)
            page.links_to_anchors = {file: names for file, names in found if file is not None}
            page.title = kept.title
        page.toc, page.present_anchor_ids = kept.toc, set(kept.anchors)
        self.silent[uri] = kept.blocks
        return kept.html

    def on_env(self, env: Environment, *, config: MkDocsConfig, files: Files) -> Environment:
        """Keep compiled templates: MkDocs makes a new environment for each rebuild."""
        folder = Path(self.config.cache_dir) / "templates"
        folder.mkdir(parents=True, exist_ok=True)
        env.bytecode_cache = FileSystemBytecodeCache(str(folder))
        self.parts, self.recalled = {}, {}
        if self.serving:
            _link(files, Linked(Path(self.config.cache_dir) / "links"))
            if _is_understood(config):
                env.loader = ChoiceLoader([DictLoader({FINISHED: "-"}), *filter(None, [env.loader])])
                self._recall(config, files)
        return env

    def _recall(self, config: MkDocsConfig, files: Files) -> None:
        """Let the pages that are finished already pass the theme and the search by."""
        around = str(self.nav), _all_settings(config), stamps(config.theme.dirs)
        pages = [
            file.page
            for file in files.documentation_pages(inclusion=InclusionLevel.is_in_serve)
            if file.page is not None
        ]
        self.urls = {page.file.src_uri: page.url for page in pages}
        self.finished.forget_others(self.urls)
        for page in pages:
            uri = page.file.src_uri
            own = page.url, page.title, repr(page.meta), page.edit_url, page.canonical_url, page.toc
            parts = self.parts[uri] = (around, own, page.content, self.silent.get(uri))
            html = self.finished.recall(uri, parts)
            if html is not None:
                self.recalled[uri] = html
                page.meta = {"template": FINISHED, "search": {"exclude": True}}
                page.content = ""

    def on_page_context(
        self, context: TemplateContext, *, page: Page, config: MkDocsConfig, nav: Navigation
    ) -> TemplateContext:
        """Put the tables of data back, which the search has passed over meanwhile."""
        blocks = self.silent.pop(page.file.src_uri, ())
        if blocks and page.content:
            page.content = passthrough.restore(page.content, blocks)
        return context

    def on_post_page(self, output: str, *, page: Page, config: MkDocsConfig) -> str:
        """Take the finished page, or keep it."""
        uri = page.file.src_uri
        known = self.recalled.get(uri)
        if known is None and uri in self.parts:
            self.finished.keep(uri, self.parts[uri], output)
        return output if known is None else known

    def on_post_template(self, output_content: str, *, template_name: str, config: MkDocsConfig) -> str:
        """Give whoever comes to an address without a page somewhere to go."""
        if template_name != "404.html":
            return output_content
        base = urlsplit(config.site_url or "").path
        return missing.page(output_content, f"{base.rstrip('/')}/", self.links)

    @event_priority(-100)  # after the search has written its index
    def on_post_build(self, *, config: MkDocsConfig) -> None:
        """Complete the search."""
        if self.parts:
            recalled = {self.urls[uri] for uri in self.recalled}
            self.finished.complete_search(Path(config.site_dir, SEARCH), list(self.urls.values()), recalled)


def _import_what_derives() -> None:
    """Import what deriving and drawing load when they are first asked for; almost a second."""
    for name in DERIVING:
        import_module(name)


def _settings(config: MkDocsConfig) -> str:
    """What decides, beside its text, how a page is converted."""
    return repr((config.markdown_extensions, config.mdx_configs, config.use_directory_urls))


def _all_settings(config: MkDocsConfig) -> str:
    """What decides, beside its content, the navigation and the templates, what a page looks like."""
    plugins = [(name, plugin.config) for name, plugin in config.plugins.items()]
    return repr((sorted(item for item in config.items() if item[0] != "plugins"), plugins))


def _is_understood(config: MkDocsConfig) -> bool:
    """Whether nothing makes pages but what is known: templates of a user may show the time of day."""
    theme = config.theme
    return theme.name == "material" and not theme.custom_dir and set(config.plugins) <= UNDERSTOOD


def _link(files: Files, linked: Linked) -> None:
    """Link the folders that hold nothing but generated files: MkDocs copies no file onto itself.

    Where a hand-written file lies in one, or a template of the theme might be written, all are copied.
    """
    folders: dict[str, list[File]] = {}
    for file in files:
        folders.setdefault(file.dest_uri.rpartition("/")[0], []).append(file)
    for folder, some in folders.items():
        sources = {
            file.dest_uri.rpartition("/")[2]: Path(file.abs_src_path)
            for file in some
            if file.generated_by == "reportgen" and not file.is_documentation_page() and file.abs_src_path
        }
        alone = not any(other.startswith(folder + "/") for other in folders)
        if folder and alone and len(sources) == len(some):
            linked.link(sources, Path(some[0].abs_dest_path).parent)
    linked.forget_others()
