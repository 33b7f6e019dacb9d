"""The page about replacement gives the constants of the code."""

from __future__ import annotations

from reportgen.analysis import replacement, replacement_policies
from reportgen.backends import layouts
from reportgen.backends.cpu import generator_sequences
from tests.data.replacement import search
from tests.unit.test_method_pages import FOLDER, constants, percent


def test_the_page_gives_the_constants() -> None:
    written = constants("replacement.md")
    assert float(written["tolerance"]) == replacement_policies.LEAST_TOLERANCE
    assert written["tolerance of misses"] == percent(replacement_policies.TOLERANCE_OF_MISSES)
    assert int(written["sets interleaved"]) == layouts.INTERLEAVED
    assert written["between two such sets"] == f"{layouts.APART} lines"
    assert int(written["visits of a line in a period"]) == layouts.WORDS == search.MOST_VISITS
    assert int(written["states that a simulation begins in"]) == replacement_policies.STARTS
    assert float(written["step"]) == replacement.LEAST_STEP
    assert float(written["longer"]) == replacement.LONGER
    assert int(written["others"]) == generator_sequences.OTHERS
    assert int(written["rarely"]) == replacement_policies.RARELY


def test_the_page_counts_what_the_code_has() -> None:
    text = " ".join((FOLDER / "replacement.md").read_text(encoding="utf-8").split())
    family = [name for name in replacement_policies.candidates(8) if name.startswith("QLRU")]
    assert f"{len(family)} members of the family" in text
    assert f"of {search.DRAWN} drawn sequences" in text
    assert len(replacement_policies.candidates(8)) > 100
