"""Which runs get a page side by side."""

from __future__ import annotations

from typing import Any

from reportgen.model.build import build
from reportgen.runs.schema import Run
from reportgen.site import address
from reportgen.site.catalogue import Entry, Shelf
from reportgen.site.pairs import MOST_PAIRS, pairs
from reportgen.site.report import Report
from tests.unit.findings.records import changed, quantity, run


def report(device: str, name: str, **fields: Any) -> Report:
    manifest: Run = changed(run(), run=name, **fields)
    manifest = changed(manifest, device=changed(manifest.device, id=device))
    one = quantity("latency.x", 4.0)
    return Report(manifest, build(manifest, [one], []), (one,), (), (), "digest")


def shelf(device: str, *reports: Report | None) -> Shelf:
    entries = (Entry(device, one.run.run if one else "broken", one) for one in reports)
    return Shelf(device, tuple(entries))


def uris(*shelves: Shelf) -> list[str]:
    return [pair.uri for pair in pairs(shelves)]


def test_a_run_is_set_against_the_last_one_that_is_comparable() -> None:
    quick = report("a", "2", plan={"seed": 1, "passes": 2, "quick": True})
    found = uris(shelf("a", report("a", "3"), None, quick, report("a", "1"), report("a", "0")))
    assert found == [address.comparison_page("a-1", "a-3")]
    assert uris(shelf("a", report("a", "3"), quick)) == []
    assert uris(shelf("a", None)) == []


def test_devices_are_set_against_each_other_by_their_newest_run() -> None:
    found = uris(shelf("a", report("a", "1")), shelf("b", report("b", "2")), shelf("c", None))
    assert found == [address.comparison_page("a-1", "b-2")]
    other_suite = report("b", "2", suite={"version": "9", "digest": "0"})
    assert uris(shelf("a", report("a", "1")), shelf("b", other_suite)) == []


def test_many_devices_do_not_make_a_page_a_pair() -> None:
    shelves = [shelf(f"d{number}", report(f"d{number}", "1")) for number in range(9)]
    assert len(uris(*shelves)) == MOST_PAIRS < 9 * 8 / 2


def test_targets_of_a_toolchain_are_left_to_their_own_table() -> None:
    built = {"plan": {"kind": "toolchain"}}
    targets = [shelf(f"sm-{n}", report(f"sm-{n}", "1", **built)) for n in (80, 90)]
    assert uris(*targets) == []
    again = shelf("sm-90", report("sm-90", "2", **built), report("sm-90", "1", **built))
    assert uris(again) == [address.comparison_page("sm-90-1", "sm-90-2")]
