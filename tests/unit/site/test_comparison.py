"""Pages that set runs side by side, and the page of what others have published."""

from __future__ import annotations

import re

import pytest

from reportgen.findings.lint import offences_in_html
from reportgen.findings.published.library import library
from reportgen.site import address
from reportgen.site.pages.published import source_anchor
from tests.unit.site.conftest import Rendered


def pair_of(rendered: Rendered) -> str:
    device = rendered.site.shelves[0].device
    keys = [address.run_key(device, run.name) for run in (rendered.older, rendered.newer)]
    return address.comparison_page(*keys)


def test_the_newest_run_is_set_against_the_one_before(rendered: Rendered) -> None:
    page = rendered.page(pair_of(rendered))
    assert re.search(r"Second against first, \d+ metrics: \d+ same", page)
    assert "not overlap" in page
    assert 'id="latency.integer_add"' in page
    assert f"reportgen compare {rendered.older.parent.name}/{rendered.older.name} " in page
    assert "No condition that is recorded differs" in page


def test_the_compare_page_leads_there(rendered: Rendered) -> None:
    page = rendered.page(address.COMPARE)
    assert 'id="table-verdicts"' in page
    link = rendered.renderer.links.to(address.COMPARE, pair_of(rendered))
    assert f'href="{link}"' in page
    assert re.search(r"rg-verdict-same[^<]*>\d+ same<", page)


def test_what_no_device_has_is_not_compared(rendered: Rendered) -> None:
    page = rendered.page(address.COMPARE)
    report = rendered.site.shelves[0].newest.report
    assert report is not None
    absent = {fact.metric for fact in report.of("memory.", "latency.") if fact.value is None}
    assert absent
    assert not [metric for metric in absent if f'id="{metric}"' in page]


def test_two_runs_of_one_simulated_device_hardly_differ(rendered: Rendered) -> None:
    """Of a thousand equal metrics, fewer than six are called different by the overlap of intervals."""
    page = rendered.page(pair_of(rendered))
    rows = re.findall(r'<td><span class="rg-verdict rg-verdict-([a-z-]+)">', page)
    differ = [verdict for verdict in rows if verdict not in ("same", "cannot-tell")]
    assert len(rows) > 100
    assert len(differ) <= 0.02 * len(rows)


def test_every_published_figure_stands_on_its_page_with_its_source(rendered: Rendered) -> None:
    page = rendered.page(address.PUBLISHED)
    shelf = library()
    figures = page[page.index('id="table-figures"') : page.index('id="table-sources"')]
    assert figures.count("<tr") == len(shelf.figures) + 1
    for source in shelf.sources:
        assert f'id="{source_anchor(source)}"' in page
        assert f'href="#{source_anchor(source)}"' in figures
    assert f"{len(shelf.figures)} numbers that others have published" in page
    assert "https://github.com/RRZE-HPC/gpu-benches/blob/1038c5d/gpu-latency/a100_80.txt" in page
    assert "https://arxiv.org/abs/1903.07486" in page


def test_a_figure_leads_to_the_definition_of_its_metric(rendered: Rendered) -> None:
    page = rendered.page(address.PUBLISHED)
    link = rendered.renderer.links.term(address.PUBLISHED, "memory.l1.latency")
    assert f'<a href="{link}">L1 latency</a>' in page


@pytest.mark.parametrize("uri", [address.PUBLISHED, address.COMPARE])
def test_the_words_of_others_pass_the_lint_too(rendered: Rendered, uri: str) -> None:
    assert offences_in_html(rendered.page(uri)) == ()
