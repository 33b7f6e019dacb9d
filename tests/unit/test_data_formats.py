"""docs/data-formats.md speaks of every key that is written, and of no other."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from reportgen.analysis.survey_rows import FormRow, PairLatency
from reportgen.findings.finding import Claim, CrossCheck, Finding, Verdict
from reportgen.findings.published.library import Core, Figure, Origin, Source, Tier
from reportgen.measurement import exports as measurement_exports
from reportgen.measurement import record as measurement
from reportgen.model.architecture import Architecture, Ceiling, Fact, Instruction, Interference, Level
from reportgen.model.comparable import Condition
from reportgen.model.compare import Code, Comparison, Difference, Number, Side
from reportgen.model.compare import Verdict as Outcome
from reportgen.model.exports.csv import COLUMNS
from reportgen.model.exports.dictionary import ENTRIES, Entry
from reportgen.model.resources import Deviation, Explanation, Placed, ResourceGroup, Resources, Use
from reportgen.runs.schema import (
    SAMPLE_COLUMNS,
    SCHEMA_VERSION,
    ClockRecord,
    Device,
    DriftMark,
    Point,
    ProbeInfo,
    Program,
    Run,
)
from reportgen.status import USABLE, Status
from reportgen.survey import exports as survey_exports
from reportgen.survey import record as survey
from reportgen.validation import exports
from reportgen.validation import record as validation
from tests.simulated.cpu import make_bundle
from tests.simulated.instruction_points import latency_probes
from tests.simulated.truth import CpuTruth

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "data-formats.md").read_text(encoding="utf-8")
RECORDS = [
    *(Run, Device, ProbeInfo, Point, ClockRecord, DriftMark, Program),
    *(Architecture, Fact, Instruction, Interference, Level, Ceiling, Finding, CrossCheck, Entry),
    *(Comparison, Side, Condition, Difference, Number, Figure, Source, Core),
    *(Resources, ResourceGroup, Explanation, Use, Placed, Deviation),
    *(validation.Validation, validation.Predictor, validation.Row, validation.Prediction, validation.Cause),
    *(survey.Survey, FormRow, PairLatency, survey.Reason, survey.Agreement, survey.Compared),
    *(survey.Modelled, survey.Count),
    *(measurement.Measurement, measurement.OwnRow, measurement.Pairing),
    *(validation.Score, validation.Errors, validation.Pair, validation.Ranking, validation.Miss),
]


def section(heading: str) -> str:
    """Text below a heading, up to the next one of any level."""
    found = re.search(rf"^#+ {re.escape(heading)}$\n(.*?)(?=^#+ |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    assert found, f"no heading '{heading}'"
    return found.group(1)


def rows(heading: str) -> dict[str, str]:
    """First column (its code) -> rest of the row, of the table below a heading."""
    return dict(re.findall(r"^\| `([^`]+)` \|(.*)\|$", section(heading), re.MULTILINE))


@pytest.mark.parametrize("record", RECORDS, ids=lambda r: r.__name__)
def test_every_key_of_a_record_has_its_row(record: type[msgspec.Struct]) -> None:
    assert list(rows(record.__name__)) == list(record.__struct_encode_fields__)


def test_every_record_in_a_manifest_is_among_those() -> None:
    schemas = msgspec.json.schema_components([Run, Architecture, Finding])[1]
    assert {name for name in schemas if name[0].isupper()} - {"Status", "Claim", "Verdict"} <= {
        record.__name__ for record in RECORDS
    }


def test_every_column_of_the_samples_has_its_row() -> None:
    described = {name: text.split("|")[0].strip() for name, text in rows("samples.parquet").items()}
    assert described == SAMPLE_COLUMNS


def test_every_status_has_its_row_and_says_whether_there_is_a_value() -> None:
    described = {name: text.split("|")[-1].strip() != "no" for name, text in rows("Status").items()}
    assert described == {str(status): status in USABLE for status in Status}


def test_every_column_of_the_metrics_has_its_row() -> None:
    assert tuple(rows("metrics.csv")) == COLUMNS


def test_every_kind_of_metric_has_its_row_with_the_same_unit() -> None:
    written = {}
    for ids, unit in re.findall(r"^\| (`.+?`) \| ([^|]+) \|", section("Metric ids"), re.MULTILINE):
        written |= dict.fromkeys(re.findall(r"`([^`]+)`", ids), unit)
    assert written == {entry.pattern: entry.unit for entry in ENTRIES}


@pytest.mark.parametrize("word", [*Claim, *Verdict, *Outcome, *Code, *Origin, *Tier])
def test_every_claim_and_verdict_is_named(word: str) -> None:
    assert f"`{word}`" in PAGE


def test_the_schema_history_reaches_the_present() -> None:
    versions = [int(v) for v in re.findall(r"^\| (\d+) \|", section("run.json"), re.MULTILINE)]
    assert versions == list(range(1, SCHEMA_VERSION + 1))


def test_the_example_reads_a_bundle_without_reportgen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    make_bundle(CpuTruth(), 1, tmp_path / "bundle", latency_probes)
    monkeypatch.chdir(tmp_path / "bundle")
    (example,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert "reportgen" not in example
    exec(compile(example, "data-formats.md", "exec"), {})
    printed = dict(re.findall(r"^(\S+) +([0-9.]+)$", capsys.readouterr().out, re.MULTILINE))
    steps = {
        name.rsplit("=", 1)[1]: float(cycles) for name, cycles in printed.items() if "integer_add#" in name
    }
    assert (steps["192"] - steps["48"]) / 144 == pytest.approx(1.0, rel=0.02)


def test_a_prediction_of_own_code_has_a_row_for_every_key() -> None:
    assert list(rows("Prediction of own code")) == list(measurement.Prediction.__struct_encode_fields__)


def test_the_columns_of_a_measurement_are_those_of_its_file() -> None:
    assert tuple(rows("Columns of measurement.csv")) == measurement_exports.HEAD


def test_the_columns_of_a_survey_are_those_of_its_file() -> None:
    assert tuple(rows("Columns of survey.csv")) == survey_exports.HEAD


def test_the_columns_of_a_validation_are_those_of_its_file() -> None:
    assert tuple(rows("Columns of validation.csv")) == exports.HEAD
