"""The page for an address without a page has ways out, wherever on its host the site lies."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest
from mkdocs.config.defaults import MkDocsConfig

from reportgen.site import missing
from reportgen.site.address import Links
from reportgen.site.mkdocs_plugin import ReportgenPlugin

THEME = f"<article>{missing.HEAD}</article>"
LINKS = Links(True, frozenset({"how-to-read.md"}))


def test_it_leads_to_pages_that_there_are() -> None:
    html = missing.page(THEME, "/", LINKS)
    for way in ("/", "/devices/", "/compare/", "/how-to-read/"):
        assert f'href="{way}"' in html
    assert "glossary" not in html
    assert "404 - Not found" not in html


@pytest.mark.parametrize(("site", "home"), [(None, "/"), ("https://a.example/reports", "/reports/")])
def test_links_begin_where_the_site_does(site: str | None, home: str) -> None:
    plugin = ReportgenPlugin()
    config = cast(MkDocsConfig, SimpleNamespace(site_url=site))
    html = plugin.on_post_template(THEME, template_name="404.html", config=config)
    assert f'href="{home}"' in html
    assert f'href="{home}devices/"' in html


def test_other_templates_and_other_themes_stay_as_they_are() -> None:
    config = cast(MkDocsConfig, SimpleNamespace(site_url=None))
    assert ReportgenPlugin().on_post_template("<x>", template_name="sitemap.xml", config=config) == "<x>"
    assert missing.page("<h1>Nothing</h1>", "/", LINKS) == "<h1>Nothing</h1>"
