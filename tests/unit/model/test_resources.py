"""The resource model of a run: from samples of a machine of known ports, and in words that claim no more."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from reportgen.analysis.derive import quantities
from reportgen.findings.evidence import gather
from reportgen.findings.finding import Claim
from reportgen.findings.lint import offences
from reportgen.model.resources import Resources, infer, sentence
from reportgen.runs import read
from tests.simulated import mixtures
from tests.simulated.cpu import make_bundle
from tests.simulated.instruction_points import MATRIX
from tests.simulated.truth import CpuTruth


@pytest.fixture(scope="module")
def resources(tmp_path_factory: pytest.TempPathFactory) -> Resources:
    truth = replace(CpuTruth(), front_end=12.0)
    bundle = read.load(make_bundle(truth, 3, tmp_path_factory.mktemp("run"), mixtures.probe))
    found = infer(gather(bundle.run, quantities(bundle.run, bundle.table)))
    assert found is not None
    return found


def serving(resources: Resources) -> mixtures.Signatures:
    """Resource -> the operations that may use it, without names."""
    served: dict[str, set[str]] = {}
    for group in resources.groups:
        for use in group.explanations[0].uses:
            for name in use.resources:
                served.setdefault(name, set()).add(use.operation)
    return Counter(frozenset(kinds) for kinds in served.values())


def test_the_ports_of_pipelined_operations_come_out_of_noisy_samples(resources: Resources) -> None:
    found = Counter[frozenset[str]]()
    for kinds, count in serving(resources).items():
        found[kinds & frozenset(mixtures.PIPELINED)] += count
    del found[frozenset()]
    assert found == mixtures.signatures(replace(CpuTruth(), front_end=12.0))


def test_it_is_an_inference_with_alternatives(resources: Resources) -> None:
    assert resources.claim is Claim.INFERRED
    assert "issue port" in resources.alternatives
    assert resources.mixes == len(mixtures.PROPORTIONS) * len(MATRIX) * (len(MATRIX) - 1) // 2
    assert resources.front_end == pytest.approx(12, rel=0.07)
    assert resources.cycle_hz == pytest.approx(3.5e9, rel=0.01)


def test_what_dividers_share_is_left_open(resources: Resources) -> None:
    assert ("integer_add", "integer_div") in resources.undecided
    use = resources.use("integer_div")
    assert use is not None
    assert use.cycles == pytest.approx(6 * len(use.resources), rel=0.02)
    assert resources.use("sqrt") is None


def test_its_sentence_passes_the_lint(resources: Resources) -> None:
    assert not offences(resources.sentence)
    assert resources.sentence.startswith(
        f"The times of {resources.mixes} mixes of two operations are consistent"
    )
    assert sentence((), 3, 2).endswith("; 2 of the mixes take another time than these resources say.")


def test_a_run_without_pairs_has_none(tmp_path) -> None:
    from tests.simulated.instruction_points import latency_probes

    bundle = read.load(make_bundle(CpuTruth(), 1, tmp_path / "run", latency_probes))
    assert infer(gather(bundle.run, quantities(bundle.run, bundle.table))) is None
