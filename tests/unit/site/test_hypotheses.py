"""Every hypothesis ends with a verdict and a rule: on its page, in the table of the run, across devices."""

from __future__ import annotations

import re
from dataclasses import replace

import msgspec

from reportgen.findings.finding import Verdict
from reportgen.findings.hypotheses import Conclusion
from reportgen.runs import read
from reportgen.site import address, verdicts
from reportgen.site.catalogue import Entry, Shelf
from reportgen.site.pages import hypotheses
from reportgen.site.sections import hypotheses as in_short
from reportgen.site.view import View
from reportgen.suite.load import load_suite
from tests.unit.site.conftest import Rendered

WORDS = {one.value for one in Verdict}


def rows(page: str, identity: str) -> dict[str, str]:
    table = page.partition(f'id="table-{identity}"')[2].partition("</table>")[0]
    return dict(re.findall(r'<tr id="([^"]+)">(.*?)</tr>', table, re.DOTALL))


def test_every_probe_of_a_run_has_a_row_with_hypothesis_and_verdict(rendered: Rendered) -> None:
    run = read.load(rendered.newer).run
    page = rendered.page(address.hypotheses_page(run.device.id, run.run))
    found = rows(page, "hypotheses")
    assert set(found) == {probe.id for probe in run.probes}
    for probe in run.probes:
        shown = re.findall(r'class="rg-verdict[^"]*">([^<]+)<', found[probe.id])
        assert len(shown) == 1
        assert shown[0] in WORDS
        if shown[0] != Verdict.SUPPORTED:
            assert "rg-reason" in found[probe.id], probe.id
        assert f"#{address.probe_anchor(probe.id)}" in found[probe.id]


def test_the_rules_stand_on_the_page(rendered: Rendered) -> None:
    run = read.load(rendered.newer).run
    page = rendered.page(address.hypotheses_page(run.device.id, run.run))
    rules = page.partition('id="table-rules"')[2].partition("</table>")[0]
    for analysis in {probe.analysis for probe in run.probes}:
        assert f'<th scope="row">{analysis.replace("_", " ")}</th>' in rules
    assert "No rule for this analysis" not in rules


def test_a_probe_s_own_page_says_verdict_and_rule(rendered: Rendered) -> None:
    run = read.load(rendered.newer).run
    for family in {probe.family for probe in run.probes}:
        page = rendered.page(address.family_page(run.device.id, run.run, family))
        for block in page.split('class="rg-probe"')[1:]:
            assert re.search(r'Hypothesis\.</b>.*?class="rg-verdict', block, re.DOTALL)
            assert "Rule: " in block


def test_a_report_counts_them_and_leads_to_all(rendered: Rendered) -> None:
    run = read.load(rendered.newer).run
    page = rendered.page(address.device_page(run.device.id))
    section = page.partition("## Hypotheses")[2].partition("\n## ")[0]
    assert "All of them, with rule and reason" in section
    assert 'rg-verdict-supported">supported' in section


def test_probes_that_speak_against_one_sentence_stand_under_it_once(rendered: Rendered) -> None:
    report = rendered.renderer.results.report(rendered.newer)
    against = [
        Conclusion(f"family/{name}", "It is whole.", Verdict.NOT_SUPPORTED, "A rule.", f"{name} is not")
        for name in ("one", "two", "three")
    ]
    other = Conclusion("family/four", "It is far.", Verdict.NOT_SUPPORTED, "A rule.", "it is near")
    ended = {one.probe: one for one in (*against, other)}
    view = View(address.DEVICES, replace(report, conclusions=ended), rendered.renderer.links)
    part = in_short.section(view)
    assert part is not None
    html = "".join(part.body)
    assert html.count("<li>") == 2
    assert html.count("It is whole") == 1
    assert all(f"family/{name}: " in html for name in ("one", "two", "three", "four"))
    assert "Not supported by this run (4)" in html


def test_devices_stand_side_by_side(rendered: Rendered) -> None:
    """A probe that a device was not asked, and one whose hypothesis is another there, both say so."""
    report = rendered.renderer.results.report(rendered.newer)
    run = report.run
    dropped, changed = run.probes[0].id, run.probes[1].id
    ended = {name: one for name, one in report.conclusions.items() if name != dropped}
    ended[changed] = Conclusion(changed, "Something else.", Verdict.NOT_SUPPORTED, "A rule.", "It is not.")
    other = msgspec.structs.replace(run, device=msgspec.structs.replace(run.device, id="other", name="Other"))
    second = replace(report, run=other, conclusions=ended)
    shelves = tuple(
        Shelf(one.run.device.id, (Entry(one.run.device.id, one.run.run, one),)) for one in (report, second)
    )
    page = hypotheses.across(shelves, rendered.renderer.links).markdown
    found = rows(page, "hypotheses")
    assert len(re.findall("rg-verdict rg", found[run.probes[2].id])) == 2
    assert "not asked of this device" in found[dropped]
    assert "asked here: Something else. It is not." in found[changed]
    assert '<th scope="col">Other</th>' in page


def test_no_device_gives_a_page_without_a_table() -> None:
    page = hypotheses.across((), address.Links())
    assert "No report yet." in page.markdown
    assert "<table" not in page.markdown


def test_the_suite_s_own_example_ends_by_the_index() -> None:
    """'FP32 ADD and INT ADD use different execution resources': separate supports it, shared does not."""
    definition = load_suite().definitions["pipeline_interference/int_vs_fp"]
    assert definition.hypothesis == "FP32 ADD and INT ADD use different execution resources."
    assert definition.constants["expects"] == "separate"


def test_counts_are_words_in_a_row() -> None:
    some = [Conclusion("a", "", one, "") for one in (Verdict.SUPPORTED, Verdict.SUPPORTED, Verdict.UNDECIDED)]
    text = re.sub(r"<[^>]+>", "", verdicts.counted(some))
    assert text == "2 supported 1 undecided"
