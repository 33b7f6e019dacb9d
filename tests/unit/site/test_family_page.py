"""The page of a family: a table to find a probe by."""

from __future__ import annotations

import re
from dataclasses import replace

import msgspec

from reportgen.runs.schema import TOOLCHAIN, ProbeInfo
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


def test_a_page_leads_to_the_other_families_of_its_run_and_names_its_own(rendered: Rendered) -> None:
    view = view_of(rendered)
    html = family.families(view, "instruction_latency")
    assert "<b>instruction latency</b>" in html
    assert html.count("<a ") == len(view.report.families) - 1
    assert 'href="../memory_hierarchy/"' in html
    assert html in rendered.page(view.here)


def test_probes_of_one_title_are_told_apart_by_their_names(rendered: Rendered) -> None:
    view = view_of(rendered)
    probes = view.report.families["instruction_latency"]
    same = [replace_title(probe, "one title") for probe in probes[:2]]
    html = family.contents(view, [*same, *probes[2:]])
    for probe in same:
        assert f">{address.probe_anchor(probe.id).replace('_', ' ')}</span>" in html
    assert html.count("rg-note") == len(same)


def replace_title(probe: ProbeInfo, title: str) -> ProbeInfo:
    return msgspec.structs.replace(probe, title=title)


def test_the_hypothesis_of_a_probe_is_told_once(rendered: Rendered) -> None:
    view = view_of(rendered)
    probe = view.report.families["instruction_latency"][0]
    html = family.body(view, probe)
    assert html.count("<b>Hypothesis.</b>") == 1
    assert "The hypothesis of" not in html
