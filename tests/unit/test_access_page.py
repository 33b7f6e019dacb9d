"""The page of stores and loads gives the constants of code and suite."""

from __future__ import annotations

from reportgen.analysis import access, store_to_load
from reportgen.backends.cpu import accesses
from reportgen.findings import forwarding
from reportgen.suite.load import load_suite
from tests.unit.test_method_pages import constants, percent


def test_the_page_gives_the_constants() -> None:
    written = constants("access.md")
    definitions = load_suite().definitions
    for name, probe in (
        ("pairs of a loop", "store_to_load"),
        ("pairs of a short loop", "store_to_load_short_loop"),
    ):
        lengths = definitions[f"memory_hierarchy/{probe}"].settings["length"]
        assert written[name] == " and ".join(map(str, lengths))
    assert written["not proportional"] == percent(store_to_load.NOT_PROPORTIONAL)
    assert written["gap between groups"] == f"{store_to_load.APART:g} cycles"
    assert int(written["groups, at most"]) == store_to_load.MOST_GROUPS
    assert written["between the bases"] == f"{accesses.APART} bytes"
    assert written["learnt"] == percent(forwarding.LEARNT)
    assert written["difference seen"] == percent(access.DIFFERS)
    assert written["difference that decides a hypothesis"] == f"{forwarding.SEEN} cycles"
