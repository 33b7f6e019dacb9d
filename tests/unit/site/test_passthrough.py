"""HTML that steps aside while Markdown is parsed."""

from __future__ import annotations

import markdown
import pytest

from reportgen.site import address, passthrough
from tests.unit.site.conftest import Rendered


def test_long_html_steps_aside_and_comes_back() -> None:
    table = '<div id="table-x">' + "<p>row</p>" * 60 + '<a id="latency.add"></a></div>'
    text = f"# Title\n\n{table}\n\n<p>short</p>\n\nwords *here*\n"
    short, blocks = passthrough.stash(text)
    assert blocks == [table]
    assert len(short) < 120
    assert passthrough.restore(short, blocks) == text
    assert passthrough.anchors(blocks) == {"table-x", "latency.add"}


@pytest.mark.parametrize("family", ["instruction_latency", "memory_hierarchy"])
def test_a_page_is_the_same_by_either_way(rendered: Rendered, family: str) -> None:
    extensions = ["attr_list", "md_in_html", "meta", "toc"]
    device = rendered.site.shelves[0].device
    text = rendered.page(address.family_page(device, rendered.newer.name, family))
    direct = markdown.markdown(text, extensions=extensions)
    short, blocks = passthrough.stash(text)
    assert len(short) < len(text) / 4
    assert passthrough.restore(markdown.markdown(short, extensions=extensions), blocks) == direct


def test_tables_of_data_can_be_put_back_later() -> None:
    table = f'<div class="rg-table" id="t"><table data-search-exclude>{"<tr></tr>" * 60}</table></div>'
    finding = f'<div class="rg-finding"><p>{"word " * 80}</p></div>'
    text = f"# Title\n\n{table}\n\n{finding}\n"
    marked, blocks = passthrough.stash(text)
    spoken = passthrough.restore(marked, blocks, silent=False)
    assert finding in spoken
    assert table not in spoken
    assert passthrough.restore(spoken, blocks) == text
