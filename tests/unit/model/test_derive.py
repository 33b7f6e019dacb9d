"""A bundle in, quantities, findings and model out; and the ways to name one."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

import reportgen
from reportgen.errors import BundleError, UserError
from reportgen.model.derive import Derived, derive_bundle
from reportgen.model.exports import csv, json
from reportgen.model.exports.dictionary import lookup
from reportgen.runs import read
from reportgen.status import Status
from tests.simulated.cpu import make_data
from tests.simulated.truth import CpuTruth


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    for seed in (3, 4):
        make_data(CpuTruth().quiet(), seed, folder)
    return folder


@pytest.fixture(scope="module")
def bundle(data: Path) -> Path:
    return sorted(data.glob("simulated-core-4000/*"))[-1]


@pytest.fixture(scope="module")
def derived(bundle: Path) -> Derived:
    return derive_bundle(read.load(bundle))


def test_a_bundle_gives_all_that_a_report_shows(derived: Derived) -> None:
    metrics = {quantity.metric for quantity in derived.quantities}
    assert {"latency.fp32_fma", "memory.l1.capacity", "peak.fp32", "ridge.fp32.dram"} <= metrics
    assert {fact.metric for fact in derived.architecture.facts} == metrics
    assert set(derived.conclusions) == {probe.id for probe in derived.bundle.run.probes}
    ridge = derived.architecture.fact("ridge.fp32.dram")
    assert ridge.value is not None
    assert {"fp32", "fp64"} <= {roof.name for roof in derived.architecture.ceilings}


def test_deriving_twice_gives_the_same_bytes(bundle: Path, derived: Derived) -> None:
    again = derive_bundle(read.load(bundle))
    assert json.encode(again.architecture, "model") == json.encode(derived.architecture, "model")
    assert json.encode(again.findings, "findings") == json.encode(derived.findings, "findings")
    assert csv.encode(again.architecture) == csv.encode(derived.architecture)


def test_a_derived_model_comes_back_as_it_was(derived: Derived) -> None:
    data = json.encode(derived.architecture, "model")
    assert json.read_model(data) == derived.architecture
    assert json.read_findings(json.encode(derived.findings, "findings")) == derived.findings


def test_the_dictionary_knows_every_metric_with_a_value(derived: Derived) -> None:
    for fact in derived.architecture.facts:
        if fact.value is not None:
            entry = lookup(fact.metric)
            assert entry is not None, fact.metric
            assert fact.unit in entry.unit or entry.unit.startswith("as without"), fact.metric


def test_no_ridge_is_built_on_a_peak_that_breaks_a_limit(
    monkeypatch: pytest.MonkeyPatch, bundle: Path
) -> None:
    """A laptop chip of 2.6 TFLOP/s that "does" 107."""
    from reportgen.model import derive

    def inflated(found: object) -> tuple[object, ...]:
        return tuple(
            msgspec.structs.replace(one, value=107e12, low=106e12, high=108e12)
            if one.metric == "peak.fp32"
            else one
            for one in original(found)
        )

    original = derive.analyse
    monkeypatch.setattr(derive, "analyse", inflated)
    result = derive_bundle(read.load(bundle))
    peak = result.architecture.fact("peak.fp32")
    assert (peak.status, peak.value) == (Status.INVALID, None)
    assert all(
        fact.value is None for fact in result.architecture.ridges if fact.metric.startswith("ridge.fp32.")
    )
    (finding,) = [one for one in result.findings if one.id == "peak.fp32"]
    assert finding.status is Status.INVALID
    assert "shown as a contradiction and not as a result" in finding.sentence


# reportgen.load


def test_load_by_device_run_path_and_latest(data: Path, bundle: Path, derived: Derived) -> None:
    for name in ("simulated-core-4000", bundle.name, "latest", bundle, str(bundle)):
        assert reportgen.load(name, data).device == "simulated-core-4000"
    assert reportgen.load(bundle, data) == derived.architecture


def test_load_a_model_file_and_its_folder(tmp_path: Path, derived: Derived) -> None:
    path = json.write_model(tmp_path, derived.architecture)
    assert reportgen.load(path) == derived.architecture
    assert reportgen.load(str(tmp_path)) == derived.architecture
    latency = reportgen.load(path).instruction("fp32_fma").dependent_latency
    assert latency is not None
    assert latency.value == pytest.approx(4.0, rel=0.01)


def test_load_says_what_it_cannot_find_or_read(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="there is no run in"):
        reportgen.load("nothing", tmp_path)
    (tmp_path / "model.json").write_text('{"schema": 1}')
    with pytest.raises(BundleError, match="not an architecture model"):
        reportgen.load(tmp_path)
    assert reportgen.__version__ == "0.1.0"
