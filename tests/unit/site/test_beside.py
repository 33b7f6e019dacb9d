"""Published figures beside what a run measured."""

from __future__ import annotations

from dataclasses import replace

import msgspec

from reportgen.findings.lint import offences_in_html
from reportgen.site import address
from reportgen.site.sections import beside
from reportgen.site.view import View
from tests.unit.site.conftest import Rendered


def view_of(rendered: Rendered, **tools: str) -> View:
    report = rendered.site.shelves[0].newest.report
    assert report is not None
    run = msgspec.structs.replace(report.run, toolchain={**report.run.toolchain, **tools})
    return View(address.DEVICES, replace(report, run=run, kept={}), rendered.renderer.links)


def test_a_device_of_a_known_core_has_the_figures_of_that_core(rendered: Rendered) -> None:
    view = view_of(rendered, cpu="znver4")
    section = beside.measured(view)
    assert section is not None
    html = "".join(section.body)
    assert "AMD Zen 4" in html
    assert 'href="#latency.' in html
    assert offences_in_html(html) == ()


def test_figures_that_may_not_decide_are_counted_as_neither(rendered: Rendered) -> None:
    section = beside.measured(view_of(rendered, cpu="znver4"))
    assert section is not None
    assert "None of them may decide" in section.body[0]
    assert "shown only" in section.body[1]


def test_a_core_that_nobody_wrote_about_has_no_such_section(rendered: Rendered) -> None:
    assert beside.measured(view_of(rendered, cpu="unheard-of")) is None
