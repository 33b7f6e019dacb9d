"""The page of a family: a table to find a probe by."""

from __future__ import annotations

import re
from dataclasses import replace

import msgspec

from reportgen.runs.schema import TOOLCHAIN
from reportgen.site import address
from reportgen.site.pages import family
from reportgen.site.view import View
from tests.unit.site.conftest import Rendered


def view_of(rendered: Rendered) -> View:
    report = rendered.renderer.results.report(rendered.newer)
    here = address.family_page(report.run.device.id, report.run.run, "instruction_latency")
    return View(here, report, rendered.renderer.links)


def test_a_long_page_opens_with_every_probe_its_number_and_its_verdict(rendered: Rendered) -> None:
    view = view_of(rendered)
    probes = view.report.families["instruction_latency"]
    assert len(probes) >= family.LONG
    html = family.contents(view, probes)
    body = html[html.index("<tbody>") :]
    assert re.findall(r'href="#([^"]+)"', body) == [address.probe_anchor(probe.id) for probe in probes]
    fact = view.report.fact("latency.integer_add")
    assert fact is not None
    assert "cycles" in body
    assert "rg-verdict-supported" in body
    page = rendered.page(view.here)
    assert page.index('id="table-probes"') < page.index("<b>Question.</b>")


def test_a_short_page_has_no_such_table(rendered: Rendered) -> None:
    view = view_of(rendered)
    assert family.contents(view, view.report.families["instruction_latency"][: family.LONG - 1]) == ""


def test_where_nothing_ran_it_says_what_became_of_the_programs(rendered: Rendered) -> None:
    view = view_of(rendered)
    run = view.report.run
    run = msgspec.structs.replace(run, plan=run.plan | {"kind": TOOLCHAIN})
    built = replace(view, report=replace(view.report, run=run, kept={}))
    html = family.contents(built, built.report.families["instruction_latency"])
    assert "hypothesis" not in html
    assert "verified" in html
