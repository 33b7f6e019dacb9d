"""The page of counted workloads of a device."""

from __future__ import annotations

import re

from reportgen.findings.lint import offences_in_html
from reportgen.site import address
from reportgen.workload.templates.named import NAMED
from tests.unit.site.conftest import Rendered


def page_of(rendered: Rendered) -> str:
    return rendered.page(address.workloads_page(rendered.site.shelves[0].device))


def test_every_workload_has_its_row_in_each_table_and_its_breakdowns(rendered: Rendered) -> None:
    page = page_of(rendered)
    for identity in ("bounds", "totals", "memory"):
        table = page[page.index(f'id="table-{identity}"') :]
        body = table[table.index("<tbody>") : table.index("</tbody>")]
        assert body.count("<tr") == len(NAMED)
    for one in NAMED:
        assert f"{{ #{one.id} }}" in page
        assert f'id="table-modules-{one.id}"' in page
        assert f'id="table-kinds-{one.id}"' in page
    assert "4,089,184,256" in page
    assert "layers.0 … layers.31" in page
    assert offences_in_html(page) == ()


def test_the_figure_and_its_data_lie_beside_the_report(rendered: Rendered) -> None:
    page = page_of(rendered)
    uris = {item.uri for item in rendered.site.assets}
    device = rendered.site.shelves[0].device
    for ending in ("light.svg", "dark.svg", "svg", "csv", "json"):
        name = f"figures/roofline_workloads.{ending}"
        assert address.run_asset(device, rendered.newer.name, name) in uris
        assert f"{rendered.newer.name}/{name}" in page
    assert re.search(r'alt="Roofline of one core with the counted workloads', page)


def test_only_the_newest_report_leads_there(rendered: Rendered) -> None:
    device = rendered.site.shelves[0].device
    assert 'href="workloads/">Counted workloads' in rendered.page(address.device_page(device))
    for run in (rendered.older.name, rendered.newer.name):
        assert "Counted workloads" not in rendered.page(address.run_page(device, run))
