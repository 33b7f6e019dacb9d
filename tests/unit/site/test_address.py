"""Addresses: relative, with directory URLs and without."""

from __future__ import annotations

import pytest

from reportgen.site import address
from reportgen.site.address import Links

RUN = address.run_page("dev", "run")


@pytest.mark.parametrize(
    ("directory_urls", "here", "there", "anchor", "expected"),
    [
        (True, RUN, "method/slope.md", "", "../../../method/slope/"),
        (False, RUN, "method/slope.md", "", "../../../method/slope.html"),
        (True, RUN, address.device_page("dev"), "cite", "../#cite"),
        (False, RUN, address.device_page("dev"), "", "../index.html"),
        (True, address.device_page("dev"), address.run_asset("dev", "run", "f.svg"), "", "run/f.svg"),
        (True, "index.md", address.DEVICES, "", "devices/"),
        (True, address.DEVICES, "index.md", "", "../"),
        (True, RUN, RUN, "memory.l1.latency", "#memory.l1.latency"),
        (True, RUN, RUN, "", "./"),
        (True, "method/slope.md", "method/clock.md", "", "../clock/"),
        (False, "method/slope.md", "method/clock.md", "", "clock.html"),
    ],
)
def test_a_link_is_relative(directory_urls: bool, here: str, there: str, anchor: str, expected: str) -> None:
    assert Links(directory_urls).to(here, there, anchor) == expected


def test_a_hand_written_page_that_is_missing_is_not_linked() -> None:
    links = Links(known=frozenset({"method/slope.md"}))
    assert links.method(RUN, "slope") == "../../../method/slope/"
    assert links.method(RUN, "plateau") == ""


def test_a_metric_leads_to_its_definition() -> None:
    links = Links()
    assert links.term(RUN, "memory.l1.latency").endswith("dictionary/#memory.level.latency")
    assert links.term(RUN, "nothing.of.the.kind") == ""
