"""The page of lines fetched ahead gives the constants of code and suite."""

from __future__ import annotations

from reportgen.analysis import paired, prefetch
from reportgen.backends.cpu import generator_trails
from reportgen.findings import prefetching
from reportgen.suite.load import load_suite
from tests.unit.test_method_pages import constants, percent


def test_the_page_gives_the_constants() -> None:
    written = constants("prefetch.md")
    definitions = load_suite().definitions
    lengths = {
        definitions[f"memory_hierarchy/prefetch_stride{which}"].constants["length"]
        for which in ("", "_unrolled", "_dram")
    }
    assert lengths == {int(written["lines of a run"])}
    assert written["working set"] == f"{generator_trails.MULTIPLE} times the second level"
    assert written["working set of near lines"] == f"{generator_trails.BESIDE} times the second level"
    assert float(written["followed"]) == prefetch.FOLLOWED
    assert float(written["little to gain"]) == prefetch.TO_GAIN
    assert written["came along"] == f"{prefetch.BROUGHT:g} cycles"
    assert written["streams followed"] == percent(prefetch.STILL)
    assert int(written["visits that tell alone"]) == prefetch.ENOUGH
    assert written["error of a probe"] == percent(paired.ERROR)
    assert int(written["pairs without neighbours"]) == paired.MANY
    assert int(written["visits with pairs"]) == paired.LEAST_VISITS
    assert written["latency of a level"] == percent(prefetching.LEVEL_WITHIN)
