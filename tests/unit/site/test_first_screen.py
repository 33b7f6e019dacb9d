"""The head of a report: how far it is to be trusted, and the levels of memory at a glance."""

from __future__ import annotations

import re

from reportgen.site import address
from reportgen.site.pages import device
from reportgen.site.sections import ladder, standing
from reportgen.site.view import View
from tests.unit.site.conftest import Rendered


def view_of(rendered: Rendered) -> View:
    entry = rendered.site.shelves[0].newest
    assert entry.report is not None
    return View(address.device_page(entry.device), entry.report, rendered.renderer.links)


def test_the_card_says_how_sure_what_contradicts_and_what_agrees(rendered: Rendered) -> None:
    view = view_of(rendered)
    card = dict(device.card(view))
    items = standing.about_numbers(view.report.findings)
    assert re.fullmatch(rf"0.9 or more for \d+ % of {len(items)} findings", str(card["confidence"]))
    texts = {text for item in view.report.findings for text in item.contradictions}
    assert str(len(texts) or "none found") in str(card["contradictions"])
    agree = {
        (item.metrics, check.channel, check.explanation)
        for item in items
        for check in item.checks
        if check.outcome == "agrees"
    }
    assert f"{len(agree)} agree" in str(card["cross-checks"])


def test_every_disagreement_is_told_in_its_words_and_once(rendered: Rendered) -> None:
    view = view_of(rendered)
    items = standing.about_numbers(view.report.findings)
    against = [check for item in items for check in item.checks if check.outcome == "disagrees"]
    html = standing.channels(view)
    assert html.count("<li>") == len({check.explanation for check in against}) < len(against)
    assert 'id="table-channels"' in html


def test_a_hypothesis_does_not_count_its_checks_again(rendered: Rendered) -> None:
    findings = view_of(rendered).report.findings
    assert any(item.id.startswith("hypothesis:") for item in findings)
    assert not any(item.id.startswith("hypothesis:") for item in standing.about_numbers(findings))


def test_the_ladder_has_a_rung_for_every_level_that_was_found(rendered: Rendered) -> None:
    view = view_of(rendered)
    html = ladder.ladder(view)
    rungs = re.findall(r'<th scope="row">([^<]+)</th>', html)
    assert rungs == ["L1", "L2", "L3", "DRAM"]
    for metric in ("memory.l1.capacity", "memory.l2.latency", "bandwidth.dram.read"):
        assert f'href="#{metric}"' in html
    assert "reported" in html
    widths = [int(width) for width in re.findall(r"width:(\d+)%", html)]
    assert widths == sorted(widths)
    assert widths[-1] == 100


def test_what_is_told_at_length_is_folded_after_the_first(rendered: Rendered) -> None:
    view = view_of(rendered)
    metrics = [name for name in view.report.finding if name.startswith("latency.")]
    html = view.stated(metrics, most=3)
    open_part, _, folded = html.partition("<details")
    assert open_part.count("<li>") == 3
    assert folded.count("<li>") == len(metrics) - 3
    assert f"{len(metrics) - 3} further findings" in folded
    assert "<details" not in view.stated(metrics[:3], most=3)


def test_of_a_gpu_shared_memory_stands_beside_the_first_level() -> None:
    assert [rung.key for rung in ladder.rungs(gpu=True)] == ["shared", "l1", "l2", "l3", "dram"]
