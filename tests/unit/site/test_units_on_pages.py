"""Units on every page and figure that a renderer makes of simulated runs."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

from reportgen.findings.lint import UNITS, offences, offences_in_html
from tests.unit.site.conftest import Rendered


def test_every_page(rendered: Rendered) -> None:
    said = [
        f"{page.uri}: {one.ban}: {one.context}"
        for page in rendered.site.pages
        for one in offences_in_html(re.sub(r"`[^`\n]*`", "", page.path.read_text(encoding="utf-8")))
    ]
    assert said == []


def test_every_word_in_a_figure(rendered: Rendered) -> None:
    figures = [item.path for item in rendered.site.assets if item.uri.endswith(".light.svg")]
    assert figures
    for path in figures:
        words = " ".join(node.text or "" for node in ET.fromstring(path.read_bytes()).iter())
        assert offences(words, UNITS) == (), path.name
